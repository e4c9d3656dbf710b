/** Reports of what is exported: which there are, what they hold, and what asks for a changeset. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runOrThrow } from '../../ci/lib/run.ts'
import { publicPackages } from '../../ci/lib/workspace.ts'
import { changedReports, packagesOfChangeset, withoutChangeset } from './changes.ts'
import { apiEntries, packageOfReport } from './entries.ts'
import { reportText } from './extract.ts'
import { readReports, valuesIn } from './reports.ts'
import { baseCommit, changesetsSince, reportsAt } from './since.ts'

describe('the reports', () => {
  test('are one of each entry, and no other', () => {
    expect([...readReports().keys()].sort()).toEqual(
      apiEntries()
        .map((entry) => entry.report)
        .sort(),
    )
  })

  test('are named so that their package can be told', () => {
    const shorts = publicPackages().map(({ short }) => short)
    for (const { pkg, report } of apiEntries()) expect(packageOfReport(report)).toBe(pkg.short)
    expect(shorts.filter((short) => short.includes('.'))).toEqual([])
  })

  test('hold types, and values by name', () => {
    const signer = readReports().get('signer.api.md') ?? ''
    expect(signer).toContain('export function createSigner(')
    expect(signer).toContain('export interface SignerOptions')
    expect(valuesIn(signer)).toContain('createSigner')
    expect(valuesIn(signer)).not.toContain('SignerOptions')
  })

  test('do not change with the line in which a warning was found', () => {
    const written = '## API Report File for "x"\n\n// src/a.ts:3:7 - (ae-forgotten-export) The symbol\n'
    expect(reportText('@brokerwire/x', written)).toBe(
      '## API report of @brokerwire/x\n\n// src/a.ts - (ae-forgotten-export) The symbol\n',
    )
  })
})

test('entries without types have no report', () => {
  const exports = {
    '.': { '@brokerwire/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    './deep/one': { types: './dist/one.d.ts', node: './dist/one.js' },
    './package.json': './package.json',
  }
  const pkg = {
    short: 'x',
    directory: 'packages/x',
    manifest: { name: '@brokerwire/x', version: '1.0.0', exports },
  }
  expect(apiEntries([pkg]).map(({ name, types, report }) => [name, types, report])).toEqual([
    ['@brokerwire/x', 'packages/x/dist/index.d.ts', 'x.api.md'],
    ['@brokerwire/x/deep/one', 'packages/x/dist/one.d.ts', 'x.deep.one.api.md'],
  ])
})

describe('a changed report', () => {
  const before = new Map([
    ['a.api.md', '1'],
    ['a.sub.api.md', '1'],
    ['b.api.md', '1'],
  ])

  test('is one whose text differs, that is new, or that is gone', () => {
    const now = new Map([
      ['a.api.md', '2'],
      ['b.api.md', '1'],
      ['c.api.md', '1'],
    ])
    expect(changedReports(before, now)).toEqual(['a.api.md', 'a.sub.api.md', 'c.api.md'])
    expect(changedReports(before, before)).toEqual([])
  })

  test.each([
    ['no changeset', [], ['a', 'b']],
    ["another package's", ["---\n'@brokerwire/c': minor\n---\n\nText\n"], ['a', 'b']],
    ['one of them', ['---\n"@brokerwire/a": patch\n---\n\nText\n'], ['b']],
    ['both in one', ["---\n'@brokerwire/a': patch\n'@brokerwire/b': major\n---\n\nText\n"], []],
    ['a name in the text alone', ["---\n'@brokerwire/a': patch\n---\n\n'@brokerwire/b': minor\n"], ['b']],
  ])('asks for a changeset of its package: %s', (_, changesets, missing) => {
    const problems = withoutChangeset(['a.api.md', 'a.sub.api.md', 'b.api.md'], changesets)
    expect(problems.map((line) => line.split(':')[0])).toEqual(missing.map((short) => `@brokerwire/${short}`))
  })

  test('an empty changeset names nothing', () => {
    expect(packagesOfChangeset('---\n---\n')).toEqual([])
  })
})

describe('since the branch left main', () => {
  const identity = ['-c', 'user.name=n', '-c', 'user.email=n@h.example', '-c', 'commit.gpgsign=false']

  async function repository(branch: string): Promise<{
    readonly root: string
    readonly git: (...args: string[]) => Promise<string>
    readonly write: (file: string, text: string) => void
    readonly commit: () => Promise<string>
  }> {
    const root = mkdtempSync(join(tmpdir(), 'brokerwire-since-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const git = (...args: string[]): Promise<string> =>
      runOrThrow('git', [...identity, ...args], { cwd: root })
    const write = (file: string, text: string): void => {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    const commit = async (): Promise<string> => {
      await git('add', '-A')
      await git('commit', '-q', '--allow-empty', '-m', 'm')
      return (await git('rev-parse', 'HEAD')).trim()
    }
    await git('init', '-q', '-b', branch)
    return { root, git, write, commit }
  }

  test('reports and changesets are those of the commit where it left, and those that came since', async () => {
    const { root, git, write, commit } = await repository('main')
    write('api/a.api.md', 'before')
    write('.changeset/old.md', 'old')
    const left = await commit()
    await git('switch', '-q', '-c', 'topic')
    write('api/a.api.md', 'now')
    write('.changeset/new.md', 'new')
    await commit()
    write('.changeset/not-committed.md', 'not committed')
    expect(await baseCommit(root)).toBe(left)
    expect(await reportsAt(root, left)).toEqual(new Map([['a.api.md', 'before']]))
    expect((await changesetsSince(root, left)).sort()).toEqual(['new', 'not committed'])
  })

  test('a changeset that a release took away is none', async () => {
    const { root, git, write, commit } = await repository('main')
    write('.changeset/old.md', 'old')
    const left = await commit()
    await git('rm', '-q', '.changeset/old.md')
    await commit()
    expect(await changesetsSince(root, left)).toEqual([])
  })

  test('there is nothing to compare with before the first reports, and in a clone that knows no main', async () => {
    const { root, commit } = await repository('topic')
    const only = await commit()
    expect(await baseCommit(root)).toBeUndefined()
    expect(await reportsAt(root, only)).toBeUndefined()
  })

  test('in a clone of one commit nothing has changed', async () => {
    const { root, write, commit } = await repository('main')
    write('api/a.api.md', 'text')
    const only = await commit()
    const clone = mkdtempSync(join(tmpdir(), 'brokerwire-clone-'))
    onTestFinished(() => rmSync(clone, { recursive: true, force: true }))
    await runOrThrow('git', ['clone', '-q', '--depth', '1', `file://${root}`, clone])
    expect(await baseCommit(clone)).toBe(only)
    expect(await reportsAt(clone, only)).toEqual(new Map([['a.api.md', 'text']]))
  })
})
