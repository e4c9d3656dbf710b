import { Secret } from '@brokerwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AccessTokenState, TokenCallFailureKind, TokenStatus } from '../types.ts'
import {
  ACCESS_TOKEN_TRANSITIONS,
  type AccessTokenEvent,
  accessTokenState,
  accessTokenTransition,
} from './machine.ts'
import { encodeRecord, parseStoredAccessToken, type StoredAccessToken } from './record.ts'

const T0 = Date.UTC(2026, 0, 1)
const VALIDITY_MS = 15 * 86_400_000
const WINDOW_MS = 300_000
const [first, second] = [new Secret('token-1'), new Secret('token-2')]

const run = (record: StoredAccessToken, ...events: readonly AccessTokenEvent[]): StoredAccessToken =>
  events.reduce(accessTokenTransition, record)
const stateAfter = (record: StoredAccessToken, ...events: readonly AccessTokenEvent[]): AccessTokenState =>
  accessTokenState(run(record, ...events))

const create = (atMs = T0): AccessTokenEvent => ({ type: 'create', atMs })
const created = (status: TokenStatus, token = first, atMs = T0): AccessTokenEvent => ({
  type: 'created',
  atMs,
  nowMs: atMs,
  response: { token, status, expiresAtMs: atMs + VALIDITY_MS },
})
const failed = (kind: TokenCallFailureKind, atMs = T0): AccessTokenEvent => ({
  type: 'create-failed',
  atMs,
  kind,
})
const checked = (
  nowMs: number,
  status: TokenStatus,
  token = first,
  expiresAtMs: number | null = T0 + VALIDITY_MS,
): AccessTokenEvent => ({
  type: 'checked',
  token,
  nowMs,
  response: { token, status, expiresAtMs: expiresAtMs ?? undefined },
})
const time = (nowMs: number): AccessTokenEvent => ({ type: 'time', nowMs })

const pending = run({}, create(), created('PENDING'))
const normal = run({}, create(), created('NORMAL'))
const later = T0 + 86_400_000
const renewing = run(normal, create(later), created('PENDING', second, later))

describe('every row of the specification’s table', () => {
  test('a create in the sandbox leads from no token to NORMAL, without a second factor', () => {
    expect(accessTokenState({})).toBe('none')
    expect(accessTokenState(normal)).toBe('normal')
    expect(normal.current).toMatchObject({ token: first, expiresAtMs: T0 + VALIDITY_MS })
  })

  test('a create in production leads to PENDING, and its window starts at the response', () => {
    expect(accessTokenState(pending)).toBe('pending')
    expect(pending.pending).toMatchObject({ status: 'PENDING', createdAtMs: T0 })
  })

  test('PENDING becomes NORMAL when verified within five minutes', () => {
    const after = run(pending, checked(T0 + 5100, 'PENDING'), checked(T0 + 10_100, 'NORMAL'))
    expect(accessTokenState(after)).toBe('normal')
    expect(after.current).toMatchObject({ token: first, expiresAtMs: T0 + VALIDITY_MS, createdAtMs: T0 })
    expect(after.pending).toBeUndefined()
  })

  test('PENDING becomes EXPIRED by the service\u2019s response, never by this host\u2019s clock', () => {
    expect(stateAfter(pending, checked(T0 + 5100, 'EXPIRED'))).toBe('expired')
    expect(stateAfter(pending, time(T0 + 2 * VALIDITY_MS))).toBe('pending')
    expect(stateAfter(pending, checked(T0 + WINDOW_MS, 'PENDING'))).toBe('pending')
  })

  test('NORMAL becomes EXPIRED at its expiry', () => {
    expect(stateAfter(normal, time(T0 + VALIDITY_MS - 1))).toBe('normal')
    expect(stateAfter(normal, time(T0 + VALIDITY_MS))).toBe('expired')
    expect(stateAfter(normal, checked(T0 + VALIDITY_MS, 'EXPIRED'))).toBe('expired')
  })

  test('NORMAL becomes INVALID when it was never used', () => {
    expect(stateAfter(normal, checked(T0, 'INVALID'))).toBe('invalid')
  })
})

describe('cases that the specification does not define', () => {
  test('an unknown status is neither usable nor final, and keeps its text', () => {
    const after = run({}, create(), created('ON_REVIEW'))
    expect(accessTokenState(after)).toBe('unrecognized')
    expect(after.pending?.status).toBe('ON_REVIEW')
    expect(stateAfter(after, checked(T0 + 1, 'PENDING'))).toBe('pending')
    expect(stateAfter(after, checked(T0 + 1, 'NORMAL'))).toBe('normal')
  })

  test('a create with an unknown outcome counts for five minutes, also if the clock is wrong', () => {
    const after = run({}, create(), failed('no-response'))
    expect(accessTokenState(after)).toBe('unresolved')
    for (const nowMs of [T0, T0 + WINDOW_MS - 1, T0 - WINDOW_MS + 1])
      expect(stateAfter(after, time(nowMs))).toBe('unresolved')
    for (const nowMs of [T0 + WINDOW_MS, T0 - WINDOW_MS]) expect(stateAfter(after, time(nowMs))).toBe('none')
  })

  test.each(['not-sent', 'rejected', 'rate-limited'] as const)('after %s no token was created', (kind) => {
    expect(run({}, create(), failed(kind))).toEqual({ lastCreate: undefined })
  })

  test('during a renewal the old token is kept until the new one is verified', () => {
    expect(accessTokenState(renewing)).toBe('renewing')
    const done = run(renewing, checked(later + 1, 'NORMAL', second))
    expect(done.current?.token).toBe(second)
    for (const status of ['INVALID', 'EXPIRED']) {
      const kept = run(renewing, checked(later + 1, status, second))
      expect({ state: accessTokenState(kept), token: kept.current?.token }).toEqual({
        state: 'normal',
        token: first,
      })
    }
    for (const status of ['INVALID', 'EXPIRED', 'PENDING', 'ON_REVIEW']) {
      const left = run(renewing, checked(later + 1, status, first))
      expect({ state: accessTokenState(left), token: left.pending?.token }).toEqual({
        state: 'pending',
        token: second,
      })
    }
    expect(stateAfter(renewing, { type: 'abandoned', token: second })).toBe('normal')
    expect(stateAfter(renewing, time(T0 + VALIDITY_MS))).toBe('pending')
  })

  test('no second token is created while one is pending', () => {
    for (const record of [pending, renewing]) expect(run(record, create(later + 1))).toBe(record)
  })

  test('a NORMAL token that becomes PENDING again waits like any other', () => {
    const after = run(normal, checked(T0 + 7, 'PENDING', first, null))
    expect(after.current).toBeUndefined()
    expect(after.pending).toMatchObject({ expiresAtMs: T0 + VALIDITY_MS, createdAtMs: T0 + 7 })
  })

  test('NORMAL without an expiry keeps the known expiry, unless it has passed', () => {
    expect(run(normal, checked(T0 + 1, 'NORMAL', first, null)).current?.expiresAtMs).toBe(T0 + VALIDITY_MS)
    const after = run(normal, checked(T0 + VALIDITY_MS, 'NORMAL', first, null))
    expect(after.current).toMatchObject({ expiresAtMs: undefined })
  })

  test('each expiry warning is recorded once', () => {
    const announced = (thresholdMs: number): AccessTokenEvent => ({
      type: 'announced',
      token: first,
      thresholdMs,
    })
    const once = run(normal, announced(3_600_000))
    expect(run(once, announced(3_600_000))).toBe(once)
    expect(run(once, announced(86_400_000))).toBe(once)
    expect(run(once, announced(60_000)).announcedMs).toBe(60_000)
    const moved = run(once, checked(T0 + 1, 'NORMAL', first, T0 + 2 * VALIDITY_MS))
    expect(moved.announcedMs).toBeUndefined()
  })
})

describe('events about a replaced token or create', () => {
  test('the response of a create that was followed by another changes nothing', () => {
    const taken = run({}, create(T0), create(T0 + 20_000))
    for (const late of [created('NORMAL'), created('PENDING'), failed('no-response'), failed('rejected')])
      expect(run(taken, late)).toBe(taken)
    expect(stateAfter(taken, created('NORMAL', second, T0 + 20_000))).toBe('normal')
  })

  test('a response that arrives twice changes nothing', () => {
    for (const twice of [created('NORMAL'), created('PENDING'), failed('no-response')]) {
      const once = run({}, create(), twice)
      expect(run(once, twice)).toBe(once)
    }
  })

  test('events about another token change nothing', () => {
    for (const record of [{}, pending, normal]) {
      for (const status of ['NORMAL', 'INVALID', 'EXPIRED', 'PENDING'])
        expect(run(record, checked(T0, status, second))).toBe(record)
      expect(run(record, { type: 'abandoned', token: second })).toBe(record)
      expect(run(record, { type: 'announced', token: second, thresholdMs: 1 })).toBe(record)
    }
  })
})

/** The fields of a record that later transitions depend on. */
function shapeOf(record: StoredAccessToken): string {
  const { current, pending, ended, lastCreate, announcedMs } = record
  return [current && 'current', pending?.status, ended, lastCreate?.outcome, announcedMs].join()
}

/** One event of each kind that a record can have. */
function eventsFor(record: StoredAccessToken): readonly AccessTokenEvent[] {
  const atMs = record.lastCreate?.atMs ?? T0
  const fresh = new Secret(`token-${atMs}`)
  const statuses = ['PENDING', 'NORMAL', 'INVALID', 'EXPIRED', 'ON_REVIEW']
  const known = [record.current?.token, record.pending?.token].filter((token) => token !== undefined)
  return [
    create(atMs + 1000),
    ...statuses.map((status) => created(status, fresh, atMs)),
    ...(['no-response', 'rejected'] as const).map((kind) => failed(kind, atMs)),
    ...known.flatMap((token) => [
      ...statuses.map((status) => checked(atMs, status, token)),
      { type: 'abandoned', token } as const,
      { type: 'announced', token, thresholdMs: 1 } as const,
    ]),
    time(atMs),
    time(atMs + WINDOW_MS),
    time(T0 + VALIDITY_MS),
  ]
}

test('every step is in the table, and every row of the table happens', () => {
  const arrow = (from: string, to: string, on: string): string => `${from} --> ${to}: ${on}`
  const named = ACCESS_TOKEN_TRANSITIONS.flatMap(({ from, on, to }) =>
    from.flatMap((name) => (to.length === 0 ? [name] : to).map((next) => arrow(name, next, on))),
  )
  const reached = new Set<string>()
  const known = new Map<string, StoredAccessToken>()
  const next: StoredAccessToken[] = [{}, { ended: 'UNREADABLE' }]
  for (let record = next.pop(); record !== undefined; record = next.pop()) {
    known.set(shapeOf(record), record)
    for (const event of eventsFor(record)) {
      const after = accessTokenTransition(record, event)
      if (after === record) continue
      reached.add(arrow(accessTokenState(record), accessTokenState(after), event.type))
      expect(accessTokenState(parseStoredAccessToken(encodeRecord(after)))).toBe(accessTokenState(after))
      // The record after a time event is the view of a reader. It is not stored.
      if (event.type !== 'time' && !known.has(shapeOf(after))) next.push(after)
    }
  }
  expect([...reached].filter((step) => !named.includes(step))).toEqual([])
  expect(named.filter((step) => !reached.has(step))).toEqual([])
  expect(known.size).toBeGreaterThan(30)
})

describe('properties', () => {
  const nowMs = fc.integer({ min: T0 - 600_000, max: T0 + 2 * VALIDITY_MS })
  const status = fc.constantFrom<TokenStatus>('PENDING', 'NORMAL', 'INVALID', 'EXPIRED', 'ON_REVIEW')
  const kind = fc.constantFrom<TokenCallFailureKind>(
    'not-sent',
    'no-response',
    'rejected',
    'server-error',
    'rate-limited',
    'invalid-response',
  )
  const type = fc.constantFrom<AccessTokenEvent['type']>(
    ...(['create', 'created', 'created', 'create-failed', 'checked', 'checked', 'checked'] as const),
    ...(['abandoned', 'announced', 'time'] as const),
  )
  const expiresAtMs = fc.option(nowMs, { nil: undefined })
  const move = fc.record({ type, nowMs, status, kind, expiresAtMs, number: fc.integer({ min: 0, max: 9 }) })

  /** An event about a stored token or create, most of the time. */
  function eventFor(record: StoredAccessToken, made: typeof move extends fc.Arbitrary<infer T> ? T : never) {
    const { number, ...drawn } = made
    const fresh = new Secret(`token-${number}`)
    const stored = number % 2 === 0 ? record.current : record.pending
    const token = (number < 8 ? (stored ?? record.pending ?? record.current)?.token : undefined) ?? fresh
    const { status, expiresAtMs } = drawn
    const atMs = drawn.type === 'create' || number > 7 ? drawn.nowMs : (record.lastCreate?.atMs ?? T0)
    const response = { token: drawn.type === 'created' ? fresh : token, status, expiresAtMs }
    return { ...drawn, atMs, token, response, thresholdMs: number } as AccessTokenEvent
  }

  test('an expired token is usable again only after a new create', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 80 }), (moves) => {
        let record: StoredAccessToken = {}
        for (const made of moves) {
          const event = eventFor(record, made)
          const next = accessTokenTransition(record, event)
          if (record.ended !== undefined && event.type !== 'created')
            expect({ current: next.current, pending: next.pending }).toEqual({
              current: undefined,
              pending: undefined,
            })
          record = next
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('the fields of a record next to the token', () => {
  const [old, fresh] = [new Secret('old-token'), new Secret('new-token')]
  const answerOf = (token: Secret, status: string, expiresAtMs: number) => ({ token, status, expiresAtMs })
  const current = { token: old, expiresAtMs: 9000 }
  const pending = {
    token: fresh,
    status: 'PENDING',
    expiresAtMs: 9000,
    createdAtMs: 1,
    checkedAtMs: undefined,
  }
  const renewing: StoredAccessToken = { current, pending }

  test('a new token that ends does not end the current one', () => {
    const response = answerOf(fresh, 'INVALID', 9000)
    const after = accessTokenTransition(renewing, { type: 'checked', token: fresh, nowMs: 5, response })
    expect(after).toEqual({ current, pending: undefined, ended: undefined })
  })

  test('a current token that ends does not end the pending one', () => {
    const response = answerOf(old, 'INVALID', 9000)
    const after = accessTokenTransition(renewing, { type: 'checked', token: old, nowMs: 5, response })
    expect(after.ended).toBeUndefined()
    expect(accessTokenTransition(renewing, { type: 'time', nowMs: 9001 }).ended).toBeUndefined()
  })

  test('an abandoned renewal discards only the new token', () => {
    expect(accessTokenTransition(renewing, { type: 'abandoned', token: old })).toBe(renewing)
    expect(accessTokenTransition(renewing, { type: 'abandoned', token: fresh }).pending).toBeUndefined()
  })

  test('a token that was created INVALID does not count as EXPIRED', () => {
    const begun = accessTokenTransition({}, { type: 'create', atMs: 1 })
    const response = answerOf(fresh, 'INVALID', 0)
    const after = accessTokenTransition(begun, { type: 'created', atMs: 1, nowMs: 5, response })
    expect(accessTokenState(after)).toBe('invalid')
  })

  test('an expiry warning is recorded only for the current token', () => {
    const announced = (token: Secret) => ({ type: 'announced', token, thresholdMs: 1 }) as const
    expect(accessTokenTransition(renewing, announced(fresh))).toBe(renewing)
    expect(accessTokenTransition(renewing, announced(old)).announcedMs).toBe(1)
  })

  test('an expiry warning is repeated only if the expiry has changed', () => {
    const announced: StoredAccessToken = { current, announcedMs: 1000 }
    const checked = (expiresAtMs: number) =>
      accessTokenTransition(announced, {
        type: 'checked',
        token: old,
        nowMs: 5,
        response: answerOf(old, 'NORMAL', expiresAtMs),
      }).announcedMs
    expect(checked(9000)).toBe(1000)
    expect(checked(9001)).toBeUndefined()
  })
})
