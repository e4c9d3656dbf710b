/** The gaps of an app, from the instants of its subscriptions. */
import type { StreamNotice } from '@brokerwire/streams'
import { describe, expect, test } from 'vitest'
import type { CompleteUntil, RelayedNotice } from '../wire/notices.ts'
import type { Subscription } from '../wire/subjects.ts'
import { clockOffsetOf, GapTracker, isCovered, widened } from './gap-tracker.ts'
import type { ResumePoint } from './resume-point.ts'

const WRITER = {
  type: 'notice',
  kind: 'writer-changed',
  state: 'acquired',
  atMs: 900_000,
  cluster: 'main',
  relay: 'one',
  incarnation: 'one-1',
} as const
const EMPTY: ResumePoint = {
  sequence: 0,
  streamId: '',
  keys: new Set(),
  positions: {},
  completeUntil: {},
  isTruncated: false,
  since: undefined,
  lastWriter: undefined,
}
const START_MS = 1_000_000
const ALL = ['module', 'trade', 'position'] as const
const MINUTES_MS = 60_000

/** @param clockOffsetMs - The service's clock minus the host's. */
const until = (hostUntilMs: number, clockOffsetMs?: number): CompleteUntil => ({
  untilMs: hostUntilMs + (clockOffsetMs ?? 0),
  hostUntilMs,
  clockOffsetMs,
})

/** A tracker of a subscription that is live since one second, with a tick each second. */
function live(subscription: Subscription = 'trade', resumePoint: ResumePoint = EMPTY): GapTracker {
  const gaps = new GapTracker(START_MS)
  gaps.begin(resumePoint, ALL, ['A'])
  gaps.opened(subscription)
  gaps.subscribed(subscription, START_MS)
  gaps.tick(START_MS + 1000)
  return gaps
}
const from = ([notice]: readonly RelayedNotice[]): number | undefined =>
  notice?.kind === 'gap' || notice?.kind === 'resumed' ? notice.fromMs : undefined
/** A frame on a host whose clock is right. */
const frame = (atMs: number) => ({ atMs, receivedUntilMs: atMs, serverTimeMs: atMs })

describe('the first subscription of a writer', () => {
  const gap = { kind: 'gap', toMs: START_MS + 6000, hostToMs: START_MS + 6000, eventTypes: undefined }
  test.each<[Subscription, ResumePoint, readonly object[]]>([
    [
      'trade',
      EMPTY,
      [{ ...gap, fromMs: START_MS - 5000, hostFromMs: START_MS - 5000, cause: 'before-subscription' }],
    ],
    ['module', EMPTY, []],
    ['module', { ...EMPTY, lastWriter: WRITER }, []],
    [
      'module',
      { ...EMPTY, lastWriter: WRITER, positions: { A: '7' } },
      [{ kind: 'resumed', fromMs: 900_000, toMs: START_MS + 1000, eventTypes: ['A'] }],
    ],
    [
      'trade',
      { ...EMPTY, lastWriter: WRITER, completeUntil: { trade: until(800_000) } },
      [{ ...gap, fromMs: 795_000, cause: 'restart' }],
    ],
    [
      'trade',
      { ...EMPTY, isTruncated: true, completeUntil: { trade: until(700_000) } },
      [{ ...gap, fromMs: 695_000, cause: 'stream-truncated' }],
    ],
    // The service sends an event type with a position again from there. Stored events of the others are lost.
    [
      'module',
      { ...EMPTY, isTruncated: true, completeUntil: { module: until(700_000) } },
      [{ ...gap, fromMs: 695_000, eventTypes: ['A'], cause: 'stream-truncated' }],
    ],
    [
      'module',
      { ...EMPTY, isTruncated: true, completeUntil: { module: until(700_000) }, positions: { A: '7' } },
      [],
    ],
  ])('of %s events after %j starts with the expected notices', (subscription, resumePoint, expected) => {
    const gaps = new GapTracker(START_MS)
    gaps.begin(resumePoint, ALL, ['A'])
    gaps.opened(subscription)
    expect(gaps.subscribed(subscription, START_MS + 1000)).toMatchObject(expected)
  })

  test('keeps the instants of subscriptions that are not selected', () => {
    const gaps = new GapTracker(START_MS)
    gaps.begin({ ...EMPTY, completeUntil: { position: until(800_000) } }, ['trade'], [])
    expect(gaps.completeUntil(START_MS)).toEqual({ trade: until(START_MS), position: until(800_000) })
    gaps.begin(EMPTY, ['module'], [])
    expect(gaps.completeUntil(START_MS)).toEqual({})
  })
})

describe('a host whose clock is wrong', () => {
  /** The service's clock minus the host's: before the gap, and at its end. */
  test.each([
    ['right', 0, 0],
    ['two minutes slow', 2 * MINUTES_MS, 2 * MINUTES_MS],
    ['two minutes fast', -2 * MINUTES_MS, -2 * MINUTES_MS],
    ['set back an hour during the gap', 0, 60 * MINUTES_MS],
    ['set ahead an hour during the gap', 0, -60 * MINUTES_MS],
  ])('has gap bounds by the clock of the service, in order, if its clock is %s', (_, beforeMs, afterMs) => {
    // By the service's clock: complete until 2,000,000, subscribed again at 2,060,000.
    const gaps = live()
    const hostMs = 2_000_000 - beforeMs
    gaps.tick(hostMs)
    gaps.tick(hostMs + 500)
    gaps.frameReceived('trade', {
      atMs: hostMs,
      receivedUntilMs: Math.min(hostMs, 2_000_000),
      serverTimeMs: 2_000_000,
    })
    gaps.setIdle('trade', true)
    gaps.ended('trade', hostMs + 500)
    gaps.opened('trade')
    const [gap] = gaps.subscribed('trade', 2_060_000 - afterMs, afterMs)
    expect(gap).toMatchObject({ fromMs: 1_995_000, toMs: 2_065_000, clockOffsetMs: afterMs })
    if (gap?.kind !== 'gap' || !('hostFromMs' in gap)) throw new Error('no gap')
    expect(gap.hostFromMs).toBeLessThan(gap.hostToMs)
  })

  test.each([
    ['slow', 2 * MINUTES_MS],
    ['fast', -2 * MINUTES_MS],
  ])('has wider gap bounds if its clock is %s and the offset is known on one side only', (_, offsetMs) => {
    const [serviceFromMs, serviceToMs] = [2_000_000, 2_060_000]
    for (const [fromOffsetMs, toOffsetMs] of [
      [offsetMs, undefined],
      [undefined, offsetMs],
    ] as const) {
      const gaps = new GapTracker(START_MS)
      const since = until(serviceFromMs - offsetMs, fromOffsetMs)
      gaps.begin({ ...EMPTY, completeUntil: { trade: since } }, ALL, [])
      gaps.opened('trade')
      const [gap] = gaps.subscribed('trade', serviceToMs - offsetMs, toOffsetMs)
      if (gap?.kind !== 'gap') throw new Error('no gap')
      expect(gap.fromMs).toBeLessThanOrEqual(serviceFromMs - 5000)
      expect(gap.toMs).toBeGreaterThanOrEqual(serviceToMs + 5000)
    }
  })

  test('has the largest offset of a connection, and measures it again on the next one', () => {
    const gaps = live()
    const at = (atMs: number, serverTimeMs: number) =>
      gaps.frameReceived('trade', { atMs, receivedUntilMs: Math.min(atMs, serverTimeMs), serverTimeMs })
    at(1_001_000, 1_003_000)
    at(1_002_000, 1_003_500)
    at(1_003_000, 500_000)
    expect(gaps.clockOffsetMs('trade')).toBe(2000)
    expect(gaps.clockOffsetMs('position')).toBe(2000)
    gaps.reconnecting('trade')
    expect(gaps.clockOffsetMs('trade')).toBeUndefined()
    at(1_004_000, 1_003_000)
    expect(gaps.clockOffsetMs('trade')).toBe(-1000)
  })
})

describe('a subscription that ended and is live again', () => {
  interface Case {
    /** Timestamp of the last event. */
    readonly takenMs?: number
    /** Timestamp of the last frame. */
    readonly receivedUntilMs?: number
    /** Whether all received events were taken. */
    readonly isIdle: boolean
    /** The host's clock at the end. @defaultValue 1_001_700 */
    readonly nowMs?: number
    readonly gapStartMs: number
  }
  const cases: Record<string, Case> = {
    'the last frame if it is idle': { receivedUntilMs: 1_001_500, isIdle: true, gapStartMs: 1_001_500 },
    'the last event if it is busy': {
      takenMs: 1_001_200,
      receivedUntilMs: 1_001_500,
      isIdle: false,
      gapStartMs: 1_001_200,
    },
    'its start if it is busy without an event': {
      receivedUntilMs: 1_001_500,
      isIdle: false,
      gapStartMs: START_MS,
    },
    'its start if no frame arrived': { takenMs: 1_001_200, isIdle: true, gapStartMs: START_MS },
    'the last frame if the timestamp of an event is in the future': {
      takenMs: 9_999_999,
      receivedUntilMs: 1_001_500,
      isIdle: false,
      gapStartMs: 1_001_500,
    },
    'the last tick if the host was suspended for a minute': {
      receivedUntilMs: 1_061_500,
      isIdle: true,
      nowMs: 1_061_700,
      gapStartMs: 1_001_000,
    },
  }
  test.each(Object.entries(cases))(
    'has a gap from %s',
    (_, { takenMs, receivedUntilMs, isIdle, nowMs = 1_001_700, gapStartMs }) => {
      const gaps = live()
      if (takenMs !== undefined) gaps.taken('trade', until(takenMs))
      if (receivedUntilMs !== undefined) gaps.frameReceived('trade', frame(receivedUntilMs))
      gaps.setIdle('trade', isIdle)
      gaps.ended('trade', nowMs)
      gaps.opened('trade')
      const notices = gaps.subscribed('trade', nowMs + 2000)
      expect(notices).toMatchObject([{ kind: 'gap', toMs: nowMs + 7000, cause: 'disconnected' }])
      expect(from(notices)).toBe(gapStartMs - 5000)
    },
  )

  test('has no gap of the relay if the subscription itself reconnected', () => {
    expect(live().subscribed('trade', 1_002_000)).toEqual([])
  })

  test('has no gap of module events, which have a cursor', () => {
    const gaps = live('module')
    gaps.ended('module', 1_002_000)
    expect(gaps.subscribed('module', 1_003_000)).toEqual([])
  })

  test('detects a suspended host until the second tick after it', () => {
    const untilOf = (ticks: readonly number[]): number | undefined => {
      const gaps = live()
      for (const nowMs of ticks) gaps.tick(nowMs)
      gaps.frameReceived('trade', frame(1_062_500))
      gaps.setIdle('trade', true)
      gaps.closing('trade', 1_062_900)
      return gaps.completeUntil(1_062_900).trade?.untilMs
    }
    expect(untilOf([1_062_000])).toBe(1_001_000)
    expect(untilOf([1_061_500, 1_062_500])).toBe(1_062_500)
  })
})

describe('the next writer', () => {
  test('gets the instants of closed subscriptions, and those of the last writer for subscriptions that were never live', () => {
    const gaps = live('trade', { ...EMPTY, completeUntil: { trade: until(1), position: until(800_000) } })
    gaps.frameReceived('trade', frame(1_001_500))
    gaps.setIdle('trade', true)
    gaps.closing('trade', 1_001_700)
    gaps.frameReceived('trade', frame(1_009_000))
    expect(gaps.completeUntil(1_009_000)).toEqual({ trade: until(1_001_500, 0), position: until(800_000) })
  })

  test('gets the instant of the subscription if no frame arrived', () => {
    const gaps = live()
    gaps.closing('trade', 1_001_700)
    expect(gaps.completeUntil(1_001_700)).toEqual({ trade: until(START_MS), position: until(START_MS) })
  })
})

test('ignores the gap before the first subscription, except for its clock offset', () => {
  const bounds = { fromMs: 1, toMs: 2, hostFromMs: 3, hostToMs: 4, clockOffsetMs: -2 }
  const gap = { type: 'notice', kind: 'gap', atMs: 4, ...bounds, eventTypes: undefined } as const
  const first = { ...gap, cause: 'before-subscription' } as unknown as StreamNotice
  expect(isCovered('trade', first)).toBe(true)
  expect(isCovered('module', first)).toBe(false)
  expect(isCovered('trade', { ...gap, cause: 'disconnected' })).toBe(false)
  expect(clockOffsetOf(first)).toBe(-2)
  expect(clockOffsetOf(undefined)).toBeUndefined()
  expect(widened(first)).toMatchObject({ fromMs: -4999, toMs: 5002, hostFromMs: -4997, hostToMs: 5004 })
})

test('widens gaps by five seconds on each side, and no other notice', () => {
  const gap = {
    type: 'notice',
    kind: 'gap',
    atMs: 9,
    fromMs: 10_000,
    toMs: 20_000,
    hostFromMs: 11_000,
    hostToMs: 21_000,
    clockOffsetMs: -1000,
    eventTypes: undefined,
  } as const
  expect(widened({ ...gap, cause: 'disconnected' })).toMatchObject({
    fromMs: 5000,
    toMs: 25_000,
    hostFromMs: 6000,
    hostToMs: 26_000,
  })
  const subscribed = { type: 'notice', kind: 'subscribed', atMs: 9 } as unknown as StreamNotice
  expect(widened(subscribed)).toBe(subscribed)
})
