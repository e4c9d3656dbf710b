import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publicPackages, ROOT } from '../../ci/lib/workspace.ts'
import { fileListProblems, isTestImport } from './allowed-files.ts'

const FILES = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'dist/index.js', 'src/index.ts']

test('accepts code, sources and the pages of each package', () => {
  expect(fileListProblems('streams', FILES)).toEqual([])
})

test.each([
  ['src/stream.test.ts', 'is a test'],
  ['dist/stream.node.test.js', 'is a test'],
  ['src/item.test-d.ts', 'is a test'],
  ['src/test/server.ts', 'is a test'],
  ['dist/test/server.d.ts', 'is a test'],
  ['TRANSPORT-RULES.md', 'is not on the list of allowed files'],
  ['coverage/index.html', 'is not on the list of allowed files'],
  ['src/__snapshots__/page.snap', 'is not on the list of allowed files'],
])('rejects %s', (file, problem) => {
  expect(fileListProblems('streams', [...FILES, file])).toContain(`files: ${file} ${problem}`)
})

test('reports a missing file', () => {
  const missing = fileListProblems('signer', ['package.json'])
  expect(missing).toContain('files: LICENSE is missing')
  expect(missing).toContain('files: no file matches /^vectors\\.json$/')
})

test('finds imports of packages that only tests use', () => {
  expect(isTestImport('src/a.ts', "import { test } from 'vitest'")).toBe(true)
  expect(isTestImport('src/a.ts', "import { a } from '@brokerwire/testing/a'")).toBe(true)
  expect(isTestImport('src/vitest/index.ts', "import { expect } from 'vitest'")).toBe(false)
})

test('the manifest of each package excludes tests, and names no page that a test writes', () => {
  for (const { directory } of publicPackages()) {
    const { files } = JSON.parse(readFileSync(join(ROOT, directory, 'package.json'), 'utf8'))
    expect(files, directory).toEqual(expect.arrayContaining(['!src/**/*.test.ts', '!src/test']))
    expect(files, directory).not.toContain('TRANSPORT-RULES.md')
  }
})
