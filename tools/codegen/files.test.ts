import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { filesBelow, replaceSection, staleFiles, writeStaleFiles } from './files.ts'

test('reports stale files, then writes them, and removes a file that is no longer generated', () => {
  const root = mkdtempSync(join(tmpdir(), 'generated-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const files = new Map([
    ['gen/a/one.ts', 'one'],
    ['gen/two.ts', 'two'],
    ['page.md', 'page'],
  ])
  const generated = { files, folders: ['gen'] }
  expect(staleFiles(root, generated)).toEqual(['gen/a/one.ts', 'gen/two.ts', 'page.md'])
  expect(filesBelow(root)).toEqual([])
  expect(writeStaleFiles(root, generated)).toHaveLength(3)
  expect(staleFiles(root, generated)).toEqual([])

  writeFileSync(join(root, 'gen/two.ts'), 'edited')
  writeFileSync(join(root, 'gen/a/old.ts'), 'old')
  writeFileSync(join(root, 'other.md'), 'not generated')
  expect(staleFiles(root, generated)).toEqual(['gen/two.ts', 'gen/a/old.ts'])
  writeStaleFiles(root, generated)
  expect(filesBelow(root).sort()).toEqual(['gen/a/one.ts', 'gen/two.ts', 'other.md', 'page.md'])
  expect(readFileSync(join(root, 'gen/two.ts'), 'utf8')).toBe('two')
})

test('replaces a section between its markers', () => {
  const document = 'a\n<!-- x -->\nold\n<!-- /x -->\nb'
  const replaced = replaceSection(document, '<!-- x -->', '<!-- /x -->', 'new')
  expect(replaced).toBe('a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb')
  expect(replaceSection(replaced, '<!-- x -->', '<!-- /x -->', 'new')).toBe(replaced)
  expect(() => replaceSection(document, '<!-- y -->', '<!-- /x -->', 'new')).toThrow('<!-- y -->')
})
