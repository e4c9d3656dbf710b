/** The condition under which a consumer counts as stalled. */
import { expect, test } from 'vitest'
import { isStalled } from './stall-detector.ts'

const behind = { last: 9, delivered: 5, pending: 0 }

test('detects a consumer that lags in two snapshots and reports nothing pending', () => {
  expect(isStalled(behind, { ...behind, last: 12 })).toBe(true)
})

test.each([
  ['in the first snapshot', undefined, behind],
  ['if the stream had no more messages in the previous snapshot', { ...behind, last: 5 }, behind],
  ['where it went on', { ...behind, delivered: 4 }, behind],
  ['where it has everything', { ...behind, delivered: 9 }, { ...behind, delivered: 9 }],
  ['if it reports pending messages', behind, { ...behind, pending: 4 }],
  ['if it reported pending messages before', { ...behind, pending: 4 }, behind],
])('detects no stall %s', (_, before, now) => {
  expect(isStalled(before, now)).toBe(false)
})
