import { Secret } from '@brokerwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ApiFailureKind, TokenStatus } from '../types.ts'
import { ACCESS_TOKEN_TABLE, accessTokenTransition } from './machine.ts'
import type { AccessTokenEffect, AccessTokenEvent, AccessTokenState } from './state.ts'

const T0 = Date.UTC(2026, 0, 1)
const VALIDITY_MS = 15 * 86_400_000
const token = new Secret('token-1')

const answer = (status: TokenStatus, expiresAtMs: number | undefined = T0 + VALIDITY_MS) => ({
  token,
  status,
  expiresAtMs,
})
const failed = (kind: ApiFailureKind, retryAfterMs?: number) => ({
  kind,
  retryAfterMs,
  error: new Error('x'),
})

/** The state after the events, and all effects. */
function run(
  start: AccessTokenState,
  ...events: readonly AccessTokenEvent[]
): { state: AccessTokenState; effects: readonly AccessTokenEffect[] } {
  let state = start
  const effects: AccessTokenEffect[] = []
  for (const event of events) {
    const [next, more] = accessTokenTransition(state, event)
    state = next
    effects.push(...more)
  }
  return { state, effects }
}

const create: AccessTokenEvent = { type: 'create', nowMs: T0 }
const created = (status: TokenStatus): AccessTokenEvent => ({
  type: 'created',
  nowMs: T0,
  record: answer(status),
})
const follow = (nowMs: number, timeoutMs = 300_000): AccessTokenEvent => ({
  type: 'follow',
  nowMs,
  intervalMs: 5000,
  timeoutMs,
})
const time = (nowMs: number): AccessTokenEvent => ({ type: 'time', nowMs })
const checked = (nowMs: number, status: TokenStatus): AccessTokenEvent => ({
  type: 'checked',
  nowMs,
  record: answer(status),
})
const outcomes = (effects: readonly AccessTokenEffect[]): unknown[] =>
  effects.flatMap((effect) => (effect.type === 'settled' ? [effect.outcome] : []))

describe('every row of the specification’s table', () => {
  const none: AccessTokenState = { name: 'none' }

  test('(none) -> NORMAL in the sandbox, no second-factor step', () => {
    const { state, effects } = run(none, create, created('NORMAL'))
    expect(state.name).toBe('normal')
    expect(effects.map(({ type }) => type)).toEqual(['create', 'save', 'settled'])
  })

  test('(none) -> PENDING in production, and a person is told', () => {
    const { state, effects } = run(none, create, created('PENDING'))
    expect(state.name).toBe('pending')
    expect(effects.at(-1)).toEqual({ type: 'notify', createdAtMs: T0 })
  })

  test('PENDING -> NORMAL when verified within five minutes', () => {
    const { state, effects } = run(
      none,
      create,
      created('PENDING'),
      follow(T0),
      time(T0 + 5000),
      checked(T0 + 5100, 'NORMAL'),
    )
    expect(state).toMatchObject({ name: 'normal', expiresAtMs: T0 + VALIDITY_MS })
    expect(outcomes(effects)).toEqual(['usable'])
  })

  test('PENDING -> EXPIRED when it was not: distinct from the poll’s timeout', () => {
    const pending = run(none, create, created('PENDING'), follow(T0), time(T0 + 5000)).state
    const over = run(pending, checked(T0 + 5100, 'EXPIRED'))
    expect(over.state).toMatchObject({ name: 'expired', reason: 'window' })
    expect(outcomes(over.effects)).toEqual(['window-over'])

    const short = run(
      none,
      create,
      created('PENDING'),
      follow(T0, 6000),
      time(T0 + 5000),
      checked(T0 + 5000, 'PENDING'),
    )
    const end = run(short.state, time(T0 + 6000), checked(T0 + 6000, 'PENDING'))
    expect(end.state.name).toBe('pending')
    expect(outcomes(end.effects)).toEqual(['poll-timeout'])
  })

  test('NORMAL -> EXPIRED after its validity', () => {
    const { state } = run(none, create, created('NORMAL'))
    expect(run(state, time(T0 + VALIDITY_MS - 1)).state.name).toBe('normal')
    expect(run(state, time(T0 + VALIDITY_MS)).state).toMatchObject({ name: 'expired', reason: 'validity' })
  })

  test('NORMAL -> INVALID when it was never used', () => {
    const { state } = run(
      none,
      create,
      created('NORMAL'),
      { type: 'verify', nowMs: T0 },
      checked(T0, 'INVALID'),
    )
    expect(state).toMatchObject({ name: 'invalid', from: 'normal' })
  })
})

test('the store of a step comes before its end', () => {
  const { effects } = run({ name: 'none' }, create, created('NORMAL'))
  expect(effects.findIndex(({ type }) => type === 'save')).toBeLessThan(
    effects.findIndex(({ type }) => type === 'settled'),
  )
})

test('late and repeated events change nothing', () => {
  const pending = run({ name: 'none' }, create, created('PENDING')).state
  for (const late of [create, created('NORMAL'), time(T0 + 1e9), checked(T0, 'NORMAL')])
    expect(accessTokenTransition(pending, late)).toEqual([pending, []])
})

test('a failed check is repeated, no sooner than the service asked for', () => {
  const checking = run({ name: 'none' }, create, created('PENDING'), follow(T0), time(T0 + 5000)).state
  const soon = run(checking, { type: 'check-failed', nowMs: T0 + 5000, failure: failed('no-answer') })
  expect(soon.effects).toEqual([{ type: 'wait', untilMs: T0 + 10_000 }])
  const held = run(checking, {
    type: 'check-failed',
    nowMs: T0 + 5000,
    failure: failed('rate-limited', 30_000),
  })
  expect(held.effects).toEqual([{ type: 'wait', untilMs: T0 + 35_000 }])
  const past = run(checking, {
    type: 'check-failed',
    nowMs: T0 + 5000,
    failure: failed('rate-limited', 400_000),
  })
  expect(outcomes(past.effects)).toEqual(['poll-timeout'])
  const refused = run(checking, { type: 'check-failed', nowMs: T0 + 5000, failure: failed('refused') })
  expect(outcomes(refused.effects)).toEqual(['failed'])
  expect(refused.state.name).toBe('pending')
})

describe('properties', () => {
  const nowMs = fc.integer({ min: T0 - 600_000, max: T0 + 2 * VALIDITY_MS })
  const status = fc.constantFrom<TokenStatus>('PENDING', 'NORMAL', 'INVALID', 'EXPIRED', 'ON_REVIEW')
  const record = fc.record({
    token: fc.constant(token),
    status,
    expiresAtMs: fc.option(nowMs, { nil: undefined }),
  })
  const failure = fc.record({
    kind: fc.constantFrom<ApiFailureKind>(
      'not-sent',
      'no-answer',
      'refused',
      'server-error',
      'rate-limited',
      'bad-answer',
    ),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 600_000 }), { nil: undefined }),
    error: fc.constant(new Error('x')),
  })
  const event: fc.Arbitrary<AccessTokenEvent> = fc.oneof(
    fc.record({ type: fc.constant('create' as const), nowMs }),
    fc.record({ type: fc.constant('created' as const), nowMs, record }),
    fc.record({
      type: fc.constant('create-failed' as const),
      nowMs,
      failure,
      quietMs: fc.constantFrom(0, 300_000),
    }),
    fc.record({
      type: fc.constant('follow' as const),
      nowMs,
      intervalMs: fc.integer({ min: 1, max: 10_000 }),
      timeoutMs: fc.integer({ min: 0, max: 600_000 }),
    }),
    fc.record({ type: fc.constant('time' as const), nowMs }),
    fc.record({ type: fc.constant('verify' as const), nowMs }),
    fc.record({ type: fc.constant('checked' as const), nowMs, record }),
    fc.record({ type: fc.constant('check-failed' as const), nowMs, failure }),
  )

  test('a final state is never left, and the reached state is the one that the table names', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state: AccessTokenState = { name: 'none' }
        for (const item of events) {
          const row = ACCESS_TOKEN_TABLE.find(
            (candidate) =>
              candidate.on === item.type &&
              candidate.from.includes(state.name) &&
              candidate.test(state, item),
          )
          const [next, effects] = accessTokenTransition(state, item)
          if (state.name === 'invalid' || state.name === 'expired') {
            expect(next).toBe(state)
            expect(effects).toEqual([])
          }
          expect(next.name).toBe(row?.to ?? state.name)
          state = next
        }
      }),
      { numRuns: 500 },
    )
  })

  test('never two creates, nor two checks, in flight', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), (events) => {
        let state: AccessTokenState = { name: 'none' }
        let inFlight: 'create' | 'check' | undefined
        for (const item of events) {
          const answers =
            (inFlight === 'create' && (item.type === 'created' || item.type === 'create-failed')) ||
            (inFlight === 'check' && (item.type === 'checked' || item.type === 'check-failed'))
          if (answers) inFlight = undefined
          const [next, effects] = accessTokenTransition(state, item)
          for (const { type } of effects) {
            if (type !== 'create' && type !== 'check') continue
            expect(inFlight).toBeUndefined()
            inFlight = type
          }
          state = next
        }
      }),
      { numRuns: 500 },
    )
  })

  test('no check past the poll’s timeout, but the closing one', () => {
    const answers = fc.record({
      status: fc.constantFrom<TokenStatus | undefined>('PENDING', 'ON_REVIEW', undefined),
      tookMs: fc.integer({ min: 0, max: 20_000 }),
      lateMs: fc.integer({ min: 0, max: 100 }),
      setBackMs: fc.constantFrom(0, 0, 0, 3_600_000),
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 10_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.infiniteStream(answers),
        (intervalMs, timeoutMs, script) => {
          // The host's clock may be set back; `realMs` is the time that really passed.
          let [wallMs, realMs] = [T0, 0]
          const start = run({ name: 'none' }, create, created('PENDING')).state
          let [state, effects] = accessTokenTransition(start, {
            type: 'follow',
            nowMs: T0,
            intervalMs,
            timeoutMs,
          })
          let closing = 0
          let setBacks = 0
          for (const { status: next, tookMs, lateMs, setBackMs } of script) {
            const effect = effects.find(({ type }) => type === 'wait' || type === 'check')
            if (effect === undefined) break
            if (effect.type === 'wait') {
              const passedMs = Math.max(0, effect.untilMs - wallMs) + lateMs
              realMs += passedMs
              wallMs += passedMs - setBackMs
              if (setBackMs > 0) setBacks += 1
              ;[state, effects] = accessTokenTransition(state, time(wallMs))
            } else {
              // Each time that the clock is set back, the wait that it fell into is not counted.
              const slackMs = intervalMs + 100 + setBacks * (intervalMs + 100)
              expect(realMs).toBeLessThanOrEqual(timeoutMs + slackMs)
              if (setBacks === 0 && realMs >= timeoutMs) closing += 1
              realMs += tookMs
              wallMs += tookMs
              ;[state, effects] = accessTokenTransition(
                state,
                next === undefined
                  ? { type: 'check-failed', nowMs: wallMs, failure: failed('no-answer') }
                  : checked(wallMs, next),
              )
            }
          }
          expect(closing).toBeLessThanOrEqual(1)
          expect(state.name).toBe('pending')
          expect(outcomes(effects)).toEqual(['poll-timeout'])
        },
      ),
      { numRuns: 300 },
    )
  })
})
