/** The reports in git, and the changesets that their changes need. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runOrThrow } from '../../ci/lib/run.ts'
import { mainBranch, missingChangesets, packagesOfChangeset } from './changes.ts'
import { reportText } from './extract.ts'
import { apiEntries, readReports, valuesIn } from './reports.ts'

test('each entry has one report, which lists the exported types, and the values by name', () => {
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

test('a package needs a changeset if a report of it was changed, added or deleted since the branch left main', async () => {
  const root = mkdtempSync(join(tmpdir(), 'brokerwire-api-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const identity = ['-c', 'user.name=n', '-c', 'user.email=n@h.example', '-c', 'commit.gpgsign=false']
  const git = (...args: string[]): Promise<string> => runOrThrow('git', [...identity, ...args], { cwd: root })
  const commit = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    await git('add', '-A')
    await git('commit', '-q', '-m', 'm')
  }
  const missing = async (): Promise<unknown> =>
    (await missingChangesets(root, 'main')).map((line) => /^@brokerwire\/(\w+):/.exec(line)?.[1])

  await git('init', '-q', '-b', 'topic')
  await commit({ 'api/a.api.md': '1', 'api/b.sub.api.md': '1', 'api/c.api.md': '1', 'api/d.api.md': '1' })
  expect(await mainBranch(root)).toBeUndefined()
  await git('branch', 'main')
  expect(await mainBranch(root)).toBe('main')
  await git('rm', '-q', 'api/d.api.md')
  await commit({ 'api/a.api.md': '2', 'api/b.sub.api.md': '2', 'api/e.api.md': '1' })
  expect(await missing()).toEqual(['a', 'b', 'd', 'e'])
  await commit({ '.changeset/x.md': "---\n'@brokerwire/b': minor\n'@brokerwire/d': major\n---\n\nText\n" })
  expect(await missing()).toEqual(['a', 'e'])
})
