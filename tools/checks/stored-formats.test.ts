/** Compares the versions in `docs/stored-formats.md` with the code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../ci/lib/workspace.ts'

const page = readFileSync(join(ROOT, 'docs/stored-formats.md'), 'utf8')
/**
 * A cell with the name and number of a version, and a cell that shows where the code has the number: a
 * constant and its file, or a file that contains `v: NUMBER`.
 */
const ROW = /\| `([\w-]+)` (\d+) \| (?:`(\w+)` in )?`(packages\/[^`]+)` \|/g
const rows = [...page.matchAll(ROW)].map(([, field = '', version = '', constant, file = '']) => ({
  field,
  version,
  constant,
  file,
}))

test.each(rows)('$file has version $version', ({ field, version, constant, file }) => {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const declared = new RegExp(constant === undefined ? `\\b${field}: (\\d+)` : `\\b${constant} = (\\d+)`)
  expect(declared.exec(source)?.[1]).toBe(version)
})

test('compares every row of the page that names a file', () => {
  expect(rows.length).toBe(page.match(/`packages\/[^`]+\.ts` \|/g)?.length)
  expect(rows.length).toBeGreaterThan(12)
})
