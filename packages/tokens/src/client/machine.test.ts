import { Secret } from '@brokerwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ApiFailureKind, ClientTokenPair } from '../types.ts'
import {
  CLIENT_TOKEN_TABLE,
  type ClientTokenEvent,
  type ClientTokenState,
  clientTokenTransition,
} from './machine.ts'

const T0 = Date.UTC(2026, 0, 1)
const pairAt = (nowMs: number): ClientTokenPair => ({
  accessToken: new Secret('access'),
  expiresAtMs: nowMs + 7_200_000,
  refreshToken: new Secret('refresh'),
  refreshExpiresAtMs: nowMs + 15 * 86_400_000,
})
const run = (start: ClientTokenState, ...events: readonly ClientTokenEvent[]) => {
  let state = start
  const effects: string[] = []
  for (const event of events) {
    const [next, more] = clientTokenTransition(state, event)
    state = next
    effects.push(...more.map(({ type }) => type))
  }
  return { state, effects }
}

describe('every row of the specification’s table', () => {
  const first = run(
    { name: 'none' },
    { type: 'get', nowMs: T0 },
    { type: 'created', nowMs: T0, pair: pairAt(T0) },
    { type: 'saved', nowMs: T0 },
  )

  test('create: a new pair, saved and then delivered', () => {
    expect(first.state.name).toBe('held')
    expect(first.effects).toEqual(['create', 'save', 'deliver'])
  })

  test('create over a pair: all earlier tokens are invalid, and it is said', () => {
    const late = T0 + 16 * 86_400_000
    const again = run(
      first.state,
      { type: 'get', nowMs: late },
      { type: 'created', nowMs: late, pair: pairAt(late) },
    )
    expect(again.state).toMatchObject({ name: 'saving', replacedAllSessions: true })
    const [, [deliver]] = clientTokenTransition(again.state, { type: 'saved', nowMs: late })
    expect(deliver).toMatchObject({ type: 'deliver', replacedAllSessions: true })
  })

  test('refresh with a valid refresh token: a new pair, the old one is gone', () => {
    const late = T0 + 6_000_000
    const pair = pairAt(late)
    const next = run(
      first.state,
      { type: 'get', nowMs: late },
      { type: 'refreshed', nowMs: late, pair },
      { type: 'saved', nowMs: late },
    )
    expect(next.state).toMatchObject({ name: 'held', pair })
    expect(next.effects).toEqual(['refresh', 'save', 'deliver'])
  })
})

test('properties: one call in flight, nothing delivered unsaved, no create while the refresh token may live', () => {
  const nowMs = fc.integer({ min: T0, max: T0 + 40 * 86_400_000 })
  const failure = fc.record({
    kind: fc.constantFrom<ApiFailureKind>(
      'not-sent',
      'no-answer',
      'refused',
      'server-error',
      'rate-limited',
      'bad-answer',
    ),
    status: fc.constantFrom(401, 403, 417, 429, 500, undefined),
    code: fc.constantFrom('INVALID_TOKEN', 'ILLEGAL_TIMESTAMP', undefined),
    error: fc.constant(new Error('x')),
  })
  const pair = nowMs.map(pairAt)
  const event: fc.Arbitrary<ClientTokenEvent> = fc.oneof(
    fc.record({ type: fc.constant('get' as const), nowMs }),
    fc.record({ type: fc.constant('created' as const), nowMs, pair }),
    fc.record({ type: fc.constant('create-failed' as const), nowMs, failure }),
    fc.record({ type: fc.constant('refreshed' as const), nowMs, pair }),
    fc.record({ type: fc.constant('refresh-failed' as const), nowMs, failure }),
    fc.record({ type: fc.constant('saved' as const), nowMs }),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let state: ClientTokenState = { name: 'none' }
      let saved: ClientTokenPair | undefined
      let inFlight = false
      for (const item of events) {
        const row = CLIENT_TOKEN_TABLE.find(
          (candidate) =>
            candidate.on === item.type && candidate.from.includes(state.name) && candidate.test(state, item),
        )
        const before = state
        const [next, effects] = clientTokenTransition(state, item)
        expect(next.name).toBe(row?.to ?? before.name)
        if (before.name === 'creating' || before.name === 'refreshing') inFlight = next === before
        if (before.name === 'saving' && item.type === 'saved') saved = before.pair
        for (const effect of effects) {
          if (effect.type === 'create' || effect.type === 'refresh') {
            expect(inFlight).toBe(false)
            inFlight = true
          }
          if (effect.type === 'deliver') expect(effect.pair).toBe(saved)
          if (effect.type === 'create' && before.name !== 'none') {
            const refused =
              item.type === 'refresh-failed' &&
              item.failure.kind === 'refused' &&
              (item.failure.status === 401 || item.failure.status === 417) &&
              !(item.failure.status === 401 && item.failure.code === 'ILLEGAL_TIMESTAMP')
            const over = before.name === 'held' && item.nowMs >= before.pair.refreshExpiresAtMs
            expect(refused || over).toBe(true)
          }
        }
        state = next
      }
    }),
    { numRuns: 500 },
  )
})
