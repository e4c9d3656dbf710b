/** What judges the fault runs can itself tell right from wrong. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareIds, ledgerUntil, readLedger } from './ledger.ts'

test.each([
  ['all of it', ['a', 'b', 'c'], { missing: 0, invented: 0, repeats: 0, inOrder: true }],
  ['one missing', ['a', 'c'], { missing: 1, invented: 0, repeats: 0, inOrder: true }],
  ['one invented', ['a', 'b', 'x', 'c'], { missing: 0, invented: 1, repeats: 0, inOrder: true }],
  ['one twice', ['a', 'b', 'b', 'c'], { missing: 0, invented: 0, repeats: 1, inOrder: true }],
  ['two swapped', ['b', 'a', 'c'], { missing: 0, invented: 0, repeats: 0, inOrder: false }],
])('%s', (_, handled, verdict) => {
  expect(compareIds(handled, ['a', 'b', 'c'])).toEqual(verdict)
})

test('a line that a kill cut off does not count, and waiting in vain is an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-ledger-'))
  const file = join(folder, 'handled.txt')
  writeFileSync(file, 'N {"kind":"thrown"}\nE a\nE b\nE c-is-cut')
  expect(readLedger(file)).toEqual({ ids: ['a', 'b'], notices: [{ kind: 'thrown' }] })
  await expect(ledgerUntil(file, 'three', ({ ids }) => ids.length === 3, 20)).rejects.toThrow('three')
  rmSync(folder, { recursive: true })
})
