/** When a consumer counts as stalled. */
import { expect, test } from 'vitest'
import { isStalled } from './stall-detector.ts'

const behind = { last: 9, delivered: 5, pending: 0 }

test('detects a consumer that lags in two snapshots and reports nothing pending', () => {
  expect(isStalled(behind, { ...behind, last: 12 })).toBe(true)
})

test.each([
  ['at the first look', undefined, behind],
  ['where the stream had no more at the look before', { ...behind, last: 5 }, behind],
  ['where it went on', { ...behind, delivered: 4 }, behind],
  ['where it has everything', { ...behind, delivered: 9 }, { ...behind, delivered: 9 }],
  ['where it says that there is more', behind, { ...behind, pending: 4 }],
  ['where it said so', { ...behind, pending: 4 }, behind],
])('not %s', (_, before, now) => {
  expect(isStalled(before, now)).toBe(false)
})
