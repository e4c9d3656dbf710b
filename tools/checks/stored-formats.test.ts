/** Compares the versions in `docs/reference/stored-formats.md` with the code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../ci/lib/workspace.ts'

const page = readFileSync(join(ROOT, 'docs/reference/stored-formats.md'), 'utf8')
/**
 * Matches two cells of a row in the page. The first has the field of the version and its number. The second has
 * the constant that contains this number and the constant's file, or only a file that contains `v: NUMBER`.
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
