import { Secret } from '@brokerwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClientTokenPair } from '../types.ts'
import {
  CLIENT_TOKEN_TRANSITIONS,
  type ClientTokenEvent,
  clientTokenTransition,
  type StoredClientToken,
} from './machine.ts'

const T0 = Date.UTC(2026, 0, 1)
const LIFE_MS = 7_200_000
const REFRESH_LIFE_MS = 15 * 86_400_000
const pairAt = (nowMs: number): ClientTokenPair => ({
  accessToken: new Secret('access'),
  expiresAtMs: nowMs + LIFE_MS,
  refreshToken: new Secret('refresh'),
  refreshExpiresAtMs: nowMs + REFRESH_LIFE_MS,
})
const run = (
  stored: StoredClientToken | undefined,
  ...facts: readonly ClientTokenEvent[]
): StoredClientToken | undefined => facts.reduce(clientTokenTransition, stored)
const time = (nowMs: number): ClientTokenEvent => ({ type: 'time', nowMs })
const created = (nowMs: number): ClientTokenEvent => ({ type: 'created', nowMs, pair: pairAt(nowMs) })

describe('every row of the specification’s table', () => {
  test('a create gives a new pair, whatever was stored before', () => {
    const first = run(undefined, created(T0))
    expect(first).toMatchObject({ issuedAtMs: T0, phase: 'fresh' })
    const late = T0 + REFRESH_LIFE_MS
    for (const before of [first, run(first, time(T0 + LIFE_MS)), run(first, time(late))])
      expect(run(before, created(late))).toMatchObject({
        pair: { expiresAtMs: late + LIFE_MS },
        phase: 'fresh',
      })
  })

  test('a refresh with a valid refresh token gives a new pair in place of the old one', () => {
    const late = T0 + 6_000_000
    const pair = pairAt(late)
    const next = run(undefined, created(T0), time(late), { type: 'refreshed', nowMs: late, pair })
    expect(next).toEqual({ pair, issuedAtMs: late, phase: 'fresh' })
  })
})

test('a pair is fresh for 80 % of its lifetime, then due, and expired after its refresh token', () => {
  const pair = run(undefined, created(T0))
  const phaseAt = (nowMs: number) => run(pair, time(nowMs))?.phase
  expect(phaseAt(T0 + 0.8 * LIFE_MS - 1)).toBe('fresh')
  expect(phaseAt(T0 + 0.8 * LIFE_MS)).toBe('due')
  expect(phaseAt(T0 + REFRESH_LIFE_MS - 1)).toBe('due')
  expect(phaseAt(T0 + REFRESH_LIFE_MS)).toBe('expired')
  // The clock was set back to before the issue.
  expect(phaseAt(T0 - REFRESH_LIFE_MS)).toBe('fresh')
})

test('after a failed refresh the pair is fresh for 30 seconds, until its access token expires', () => {
  const failedAtMs = T0 + 0.9 * LIFE_MS
  const pair = run(undefined, created(T0), time(failedAtMs), { type: 'refresh-failed', nowMs: failedAtMs })
  const phaseAt = (nowMs: number) => run(pair, time(nowMs))?.phase
  expect(phaseAt(failedAtMs)).toBe('fresh')
  expect(phaseAt(failedAtMs + 29_999)).toBe('fresh')
  expect(phaseAt(failedAtMs + 30_000)).toBe('due')
  // The clock was set back to before the failure, so the time since then is unknown.
  expect(phaseAt(failedAtMs - 1)).toBe('due')
  const late = T0 + LIFE_MS - 10_000
  const last = run(undefined, created(T0), time(late), { type: 'refresh-failed', nowMs: late })
  expect(run(last, time(T0 + LIFE_MS - 1))?.phase).toBe('fresh')
  expect(run(last, time(T0 + LIFE_MS))?.phase).toBe('due')
})

/** Events that use each row of the table at least once. Random events may miss some. */
function everyStep(): ClientTokenEvent[] {
  const dueMs = T0 + 0.9 * LIFE_MS
  const refreshExpiredMs = T0 + REFRESH_LIFE_MS
  const at = (nowMs: number, type: 'refresh-rejected' | 'refresh-failed'): ClientTokenEvent => ({
    type,
    nowMs,
  })
  return [
    ...[created(T0), created(T0), time(dueMs), created(T0), time(dueMs)],
    ...[{ type: 'refreshed', nowMs: T0, pair: pairAt(T0) } as const, time(dueMs)],
    ...[at(dueMs, 'refresh-failed'), time(dueMs + 60_000), at(dueMs, 'refresh-rejected'), created(T0)],
    ...[time(refreshExpiredMs), created(T0), time(dueMs), time(refreshExpiredMs)],
  ]
}

test('the table contains every step, and no refresh revives a pair whose refresh token was rejected', () => {
  const nowMs = fc.integer({ min: T0, max: T0 + 40 * 86_400_000 })
  const pair = nowMs.map(pairAt)
  const fact: fc.Arbitrary<ClientTokenEvent> = fc.oneof(
    fc.record({ type: fc.constant('created' as const), nowMs, pair }),
    fc.record({ type: fc.constant('refreshed' as const), nowMs, pair }),
    fc.record({ type: fc.constant('refresh-rejected' as const), nowMs }),
    fc.record({ type: fc.constant('refresh-failed' as const), nowMs }),
    fc.record({ type: fc.constant('time' as const), nowMs }),
  )
  const reached = new Set<string>()
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 60 }), (facts) => {
      let stored: StoredClientToken | undefined
      for (const item of facts) {
        const before = stored?.phase ?? 'none'
        const next = clientTokenTransition(stored, item)
        if (next === stored) continue
        expect(next).toBeDefined()
        const after = next?.phase ?? 'none'
        const rows = CLIENT_TOKEN_TRANSITIONS.filter(
          ({ from, on, to }) => on === item.type && from.includes(before) && to.includes(after),
        )
        expect(rows.length).toBeGreaterThan(0)
        if (before === 'expired') expect(item.type).toBe('created')
        if (!('pair' in item)) expect(next?.pair).toBe(stored?.pair)
        reached.add(`${before} --> ${after}: ${item.type}`)
        stored = next
      }
    }),
    { numRuns: 500, examples: [[everyStep()]] },
  )
  const drawn = CLIENT_TOKEN_TRANSITIONS.flatMap(({ from, on, to }) =>
    from.flatMap((name) => to.map((next) => `${name} --> ${next}: ${on}`)),
  )
  expect(drawn.filter((arrow) => !reached.has(arrow))).toEqual([])
})
