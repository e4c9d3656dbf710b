import { expect, test } from 'vitest'
import { backoffMs, connectionLimitMs } from './backoff.ts'

const BOUNDS = { backoffBaseMs: 1000, backoffMaxMs: 30_000 }

test('the first reconnect is immediate; each further bound doubles, up to the longest wait', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backoffMs(BOUNDS, failures, false, 0.5))
  expect(waits).toEqual([0, 500, 1000, 2000, 4000, 8000, 15_000, 15_000])
})

test('a reconnect after a rejection is never immediate', () => {
  expect([1, 2, 3].map((failures) => backoffMs(BOUNDS, failures, true, 0.5))).toEqual([500, 1000, 2000])
})

test('the wait is a random share of the bound, and less than all of it', () => {
  expect(backoffMs(BOUNDS, 2, false, 0)).toBe(0)
  expect(backoffMs(BOUNDS, 2, false, 1 - Number.EPSILON)).toBe(999)
})

test('the wait after a connection limit doubles up to its bound', () => {
  const bounds = { connectionLimitWaitMs: 60_000, connectionLimitMaxMs: 600_000 }
  expect([0, 1, 2, 3, 4, 50].map((waits) => connectionLimitMs(bounds, waits))).toEqual([
    60_000, 120_000, 240_000, 480_000, 600_000, 600_000,
  ])
})
