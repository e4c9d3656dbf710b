/** The reports in git, and the changesets that their changes need. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runOrThrow } from '../../ci/lib/run.ts'
import { baseCommit, missingChangesets, packagesOfChangeset } from './changes.ts'
import { reportText } from './extract.ts'
import { apiEntries, readReports, valuesIn } from './reports.ts'

test('each entry has one report, which lists types, and values by name', () => {
  const reports = readReports()
  expect([...reports.keys()].sort()).toEqual(
    apiEntries()
      .map(({ report }) => report)
      .sort(),
  )
  const signer = reports.get('signer.api.md') ?? ''
  expect(signer).toContain('export interface SignerOptions')
  expect(valuesIn(signer)).toContain('createSigner')
  expect(valuesIn(signer)).not.toContain('SignerOptions')
})

test('a report does not depend on line numbers', () => {
  const written = '## API Report File for "x"\n\n// src/a.ts:3:7 - (ae-forgotten-export) The symbol\n'
  const text = '## API report of @brokerwire/x\n\n// src/a.ts - (ae-forgotten-export) The symbol\n'
  expect(reportText('@brokerwire/x', written)).toBe(text)
})

test('entries without types have no report', () => {
  const exports = {
    '.': { '@brokerwire/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    './deep/one': { types: './dist/one.d.ts', node: './dist/one.js' },
    './package.json': './package.json',
  }
  const manifest = { name: '@brokerwire/x', version: '1.0.0', exports }
  expect(apiEntries([{ short: 'x', directory: 'packages/x', manifest }])).toMatchObject([
    { name: '@brokerwire/x', types: 'packages/x/dist/index.d.ts', report: 'x.api.md' },
    { name: '@brokerwire/x/deep/one', types: 'packages/x/dist/one.d.ts', report: 'x.deep.one.api.md' },
  ])
})

test.each([
  ['---\n\'@brokerwire/a\': patch\n"@brokerwire/b": major\n---\n\nText\n', ['a', 'b']],
  ["---\n'@brokerwire/a': patch\n---\n\n'@brokerwire/b': minor\n", ['a']],
  ['---\n---\n', []],
])('the packages of a changeset: %j', (text, packages) => {
  expect(packagesOfChangeset(text)).toEqual(packages)
})

test('a report that is changed, new or deleted since the branch left main needs a changeset', async () => {
  const { root, git, write, commit } = await repository('main')
  for (const name of ['a', 'b.sub', 'c', 'd']) write(`api/${name}.api.md`, 'before')
  write('.changeset/old.md', "---\n'@brokerwire/a': patch\n---\n")
  const base = await commit()
  await git('switch', '-q', '-c', 'topic')
  for (const name of ['a', 'b.sub', 'e']) write(`api/${name}.api.md`, 'after')
  await git('rm', '-q', 'api/d.api.md')
  await commit()
  const missing = async (): Promise<unknown> =>
    (await missingChangesets(root, base)).map((line) => line.split(':')[0]?.slice('@brokerwire/'.length))
  expect(await baseCommit(root)).toBe(base)
  expect(await missing()).toEqual(['a', 'b', 'd', 'e'])
  write('.changeset/new.md', "---\n'@brokerwire/b': minor\n---\n")
  expect(await missing()).toEqual(['a', 'd', 'e'])
  await commit()
  write('.changeset/other.md', "---\n'@brokerwire/a': minor\n'@brokerwire/d': major\n---\n")
  await git('rm', '-q', '.changeset/old.md')
  expect(await missing()).toEqual(['e'])
})

test('there is no base without main and before the first reports; a shallow clone of main is its own base', async () => {
  const topic = await repository('topic')
  await topic.commit()
  expect(await baseCommit(topic.root)).toBeUndefined()
  const main = await repository('main')
  await main.commit()
  expect(await baseCommit(main.root)).toBeUndefined()
  main.write('api/a.api.md', 'text')
  const only = await main.commit()
  const clone = temporaryFolder()
  await runOrThrow('git', ['clone', '-q', '--depth', '1', `file://${main.root}`, clone])
  expect(await baseCommit(clone)).toBe(only)
  expect(await missingChangesets(clone, only)).toEqual([])
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-api-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function repository(branch: string) {
  const root = temporaryFolder()
  const identity = ['-c', 'user.name=n', '-c', 'user.email=n@h.example', '-c', 'commit.gpgsign=false']
  const git = (...args: string[]): Promise<string> => runOrThrow('git', [...identity, ...args], { cwd: root })
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
