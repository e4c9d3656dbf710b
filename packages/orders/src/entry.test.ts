/** The transitions of an entry, and the decisions that use one reading of the clock. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ENTRY_EVENTS,
  type EntryEvent,
  type EntryState,
  entryTransition,
  isClockJump,
  isOpen,
  MAX_LOOKS,
  mayResend,
  type OrderEntry,
  type OrderLook,
} from './entry.ts'
import { decodeEntry, decodeIndex, encodeEntry, encodeIndex } from './entry-record.ts'

const STATES = Object.keys(ENTRY_EVENTS) as EntryState[]
const entryIn = (state: EntryState, more: Partial<OrderEntry> = {}): OrderEntry => ({
  accountId: 'A1',
  clientOrderId: 'o1',
  state,
  path: '/trading/orders/place',
  body: '{}',
  placement: 'p1',
  preparedAtMs: 1000,
  ...(state !== 'prepared' && { sentAtMs: 1000 }),
  looks: [],
  ...more,
})
const look = (result: OrderLook['result']): OrderLook => ({ atMs: 1, operation: 'orders.get', result })
const EVENTS: readonly EntryEvent[] = [
  { type: 'sent', atMs: 2000 },
  { type: 'resent', atMs: 2000 },
  { type: 'not-sent', atMs: 2000, reason: { code: 'X' } },
  { type: 'lost', atMs: 2000, reason: { code: 'X' } },
  { type: 'accepted', atMs: 2000, source: 'response', orderId: 'S1' },
  { type: 'rejected', atMs: 2000, reason: { code: 'X' } },
  { type: 'looked', atMs: 2000, settleMs: 0, timeoutMs: 0, looks: [look('not-found')], found: undefined },
  { type: 'looked', atMs: 2000, settleMs: 9999, timeoutMs: 0, looks: [look('not-found')], found: undefined },
  { type: 'looked', atMs: 2000, settleMs: 0, timeoutMs: 0, looks: [look('failed')], found: undefined },
  {
    type: 'looked',
    atMs: 2000,
    settleMs: 0,
    timeoutMs: 0,
    looks: [look('found')],
    found: { source: 'orders.get', orderId: 'S1', orderStatus: 'FILLED', isRejected: false },
  },
]

describe('the entry of an order', () => {
  test.each(STATES)('in the state %s ignores the events of other states', (state) => {
    const entry = entryIn(state)
    for (const event of EVENTS.filter(({ type }) => !ENTRY_EVENTS[state].includes(type)))
      expect(entryTransition(entry, event)).toBe(entry)
  })

  test.each(['accepted', 'rejected', 'not-sent'] as const)('never leaves the state %s', (state) => {
    for (const event of EVENTS) expect(entryTransition(entryIn(state), event).state).toBe(state)
  })

  test('is sent only after it was prepared, and sent again only while its outcome is unknown', () => {
    const sources = (type: EntryEvent['type']) => STATES.filter((state) => ENTRY_EVENTS[state].includes(type))
    expect(sources('sent')).toEqual(['prepared'])
    expect(sources('resent')).toEqual(['sent', 'unknown'])
  })

  test('has an instant at which it was closed if and only if it is closed', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 12 }), (events) => {
        const entry = events.reduce(entryTransition, entryIn('prepared'))
        expect(entry.closedAtMs === undefined).toBe(isOpen(entry))
        expect(decodeEntry(encodeEntry(entry))).toEqual(entry)
      }),
    )
  })

  test('that was sent twice is closed by the order itself, never by a rejection of the second sending', () => {
    const entry = entryIn('sent', { resentAtMs: 1500 })
    expect(entryTransition(entry, { type: 'rejected', atMs: 2000, reason: { code: 'X' } })).toBe(entry)
    expect(entryTransition(entry, { type: 'not-sent', atMs: 2000, reason: { code: 'X' } })).toBe(entry)
  })

  test.each([
    [1499, 'unknown', 'QUERIES_MAY_LAG'],
    [1500, 'not-found', undefined],
    [999, 'unknown', 'CLOCK_JUMPED'],
  ])('that no query had at %i is %s', (atMs, state, code) => {
    const event = {
      type: 'looked',
      atMs,
      settleMs: 500,
      timeoutMs: 0,
      looks: [look('not-found')],
      found: undefined,
    } as const
    const entry = entryTransition(entryIn('unknown', { lostAtMs: 1000 }), event)
    expect({ state: entry.state, code: entry.reason?.code }).toEqual({ state, code })
  })

  test('whose process may still wait for the response is not closed before its time limit has passed, too', () => {
    const lookAt = (atMs: number): EntryEvent => ({
      type: 'looked',
      atMs,
      settleMs: 500,
      timeoutMs: 100,
      looks: [look('not-found')],
      found: undefined,
    })
    const first = entryTransition(entryIn('sent'), lookAt(90_000))
    const lags = { state: 'unknown', lostAtMs: 90_100, reason: { code: 'QUERIES_MAY_LAG' } }
    expect(first).toMatchObject(lags)
    expect(entryTransition(first, lookAt(90_001))).toMatchObject(lags)
    expect(entryTransition(first, lookAt(90_599))).toMatchObject(lags)
    expect(entryTransition(first, lookAt(90_600))).toMatchObject({ state: 'not-found', lostAtMs: 90_100 })
    expect(entryTransition(first, lookAt(89_999))).toMatchObject({
      state: 'unknown',
      reason: { code: 'CLOCK_JUMPED' },
    })
  })

  test('keeps the last looks', () => {
    let entry = entryIn('sent')
    for (let atMs = 1; atMs <= 50; atMs += 1) {
      const looks = [{ ...look('not-found'), atMs }]
      entry = entryTransition(entry, {
        type: 'looked',
        atMs,
        settleMs: 1e9,
        timeoutMs: 0,
        looks,
        found: undefined,
      })
    }
    expect(entry.looks).toHaveLength(MAX_LOOKS)
    expect(entry.looks.at(-1)?.atMs).toBe(50)
  })
})

describe('the decision to send again', () => {
  test.each([
    [0, true],
    [10_000, true],
    [10_001, false],
    [-1, false],
    [Number.NaN, false],
  ])('%d ms after the first sending is %s', (sinceMs, expected) => {
    expect(mayResend(1000, 1000 + sinceMs, false, false)).toBe(expected)
    expect(mayResend(1000, 1000 + sinceMs, true, false)).toBe(false)
    expect(mayResend(1000, 1000 + sinceMs, false, true)).toBe(false)
  })

  test.each([
    [0, false],
    [120_000, false],
    [120_001, true],
    [-1, true],
    [Number.NaN, true],
  ])('a clock that moves by %d ms before the sending has jumped: %s', (byMs, expected) => {
    expect(isClockJump(1000, 1000 + byMs, 1000 + byMs)).toBe(expected)
  })

  test.each([
    [0, false],
    [10_000, false],
    [10_001, true],
    [-1, true],
    [Number.NaN, true],
  ])('a clock that moves by %d ms while the entry is marked has jumped: %s', (byMs, expected) => {
    expect(isClockJump(1000, 2000, 2000 + byMs)).toBe(expected)
  })
})

describe('a stored record', () => {
  const stored = (change: object): string =>
    JSON.stringify({ ...(JSON.parse(encodeEntry(entryIn('sent'))) as object), ...change })

  test.each([
    [{ v: 2 }, 'newer-format', 'v'],
    [{ v: '1' }, 'malformed', 'v'],
    [{ v: undefined }, 'malformed', 'v'],
    [{ state: 'gone' }, 'malformed', 'state'],
    [{ sentAtMs: -1 }, 'malformed', 'sentAtMs'],
    [{ body: 5 }, 'malformed', 'body'],
    [{ accountId: undefined }, 'malformed', 'accountId'],
    [{ looks: [{ atMs: 1, operation: 'orders.place', result: 'found' }] }, 'malformed', 'looks[0].operation'],
    [{ secret: 'text' }, 'malformed', 'an unknown field'],
  ])('with %j is rejected as %s', (change, reason, field) => {
    const read = () => decodeEntry(stored(change))
    expect(read).toThrow(
      expect.objectContaining({
        code: 'JOURNAL_RECORD_INVALID',
        details: { record: 'entry', reason, field, mayBeSent: false, state: undefined },
      }),
    )
  })

  test.each(['', 'null', '[]', '{', '{"v":1,"entries":[["A1"]]}', '{"v":1,"entries":{}}', '{"v":0}'])(
    'of the index that is %j is rejected',
    (text) => {
      expect(() => decodeIndex(text)).toThrow(
        expect.objectContaining({
          code: 'JOURNAL_RECORD_INVALID',
          details: expect.objectContaining({ record: 'index' }),
        }),
      )
    },
  )

  test('of the index is read as it was written', () => {
    const items = [{ accountId: 'A1', clientOrderId: 'o1', preparedAtMs: 5, placement: 'p1' }]
    expect(decodeIndex(encodeIndex(items))).toEqual(items)
    expect(decodeIndex(undefined)).toEqual([])
  })
})
