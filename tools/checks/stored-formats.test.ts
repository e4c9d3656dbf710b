/** The versions in `docs/stored-formats.md` are those of the code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../ci/lib/workspace.ts'

const page = readFileSync(join(ROOT, 'docs/stored-formats.md'), 'utf8')
/** A cell with the name and number of a version, and one with its constant and file, or with a file that has `v: NUMBER`. */
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

test('every row with a file is compared', () => {
  expect(rows.length).toBe(page.match(/`packages\/[^`]+\.ts` \|/g)?.length)
  expect(rows.length).toBeGreaterThan(12)
})
