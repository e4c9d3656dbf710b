/** The gaps of a key, as the instants of its subscriptions give them. */
import type { StreamNotice } from '@brokerwire/streams'
import { describe, expect, test } from 'vitest'
import type { Subscription } from '../wire/subjects.ts'
import { GapTracker, widened } from './gap-tracker.ts'
import type { ResumePoint } from './resume-point.ts'

const HOLDER = {
  type: 'notice',
  kind: 'holder',
  state: 'taken',
  atMs: 900_000,
  fleet: 'main',
  relay: 'one',
  incarnation: 'one-1',
} as const
const EMPTY: ResumePoint = {
  sequence: 0,
  keys: new Set(),
  positions: {},
  completeUntilMs: { trade: undefined, position: undefined },
  holder: undefined,
}
const START_MS = 1_000_000

/** A tracker of a subscription that is live since one second, with a tick each second. */
function live(subscription: Subscription = 'trade', resumePoint: ResumePoint = EMPTY): GapTracker {
  const gaps = new GapTracker(START_MS)
  gaps.begin(resumePoint)
  gaps.opened(subscription)
  gaps.subscribed(subscription, START_MS)
  gaps.tick(START_MS + 1000)
  return gaps
}
const from = (notice: StreamNotice | undefined): number | undefined =>
  notice?.kind === 'gap' || notice?.kind === 'resumed' ? notice.fromMs : undefined

describe('the first subscription of a writer', () => {
  test.each([
    ['trade', EMPTY, undefined],
    ['module', EMPTY, undefined],
    ['module', { ...EMPTY, holder: HOLDER }, undefined],
    [
      'module',
      { ...EMPTY, holder: HOLDER, positions: { A: '7' } },
      { kind: 'resumed', fromMs: 900_000, toMs: START_MS, eventTypes: ['A'] },
    ],
    [
      'trade',
      { ...EMPTY, holder: HOLDER },
      { kind: 'gap', fromMs: undefined, toMs: START_MS + 5000, cause: 'disconnected' },
    ],
    [
      'trade',
      { ...EMPTY, holder: HOLDER, completeUntilMs: { trade: 800_000, position: undefined } },
      { kind: 'gap', fromMs: 795_000, toMs: START_MS + 5000, cause: 'disconnected' },
    ],
  ] as const)('%s after %j', (subscription, resumePoint, expected) => {
    const gaps = new GapTracker(START_MS)
    gaps.begin(resumePoint)
    gaps.opened(subscription)
    const notice = gaps.subscribed(subscription, START_MS)
    if (expected === undefined) expect(notice).toBeUndefined()
    else expect(notice).toMatchObject(expected)
  })
})

describe('a stream that ended and is live again', () => {
  /** [an event was taken that was sent at, the service was heard at, it is idle, the host's clock at the end] */
  test.each([
    ['idle: until the service was heard', undefined, 1_001_500, true, 1_001_700, 1_001_500],
    ['busy: until the last event', 1_001_200, 1_001_500, false, 1_001_700, 1_001_200],
    ['busy, and no event was taken: unknown', undefined, 1_001_500, false, 1_001_700, undefined],
    ['the service was never heard: unknown', 1_001_200, undefined, true, 1_001_700, undefined],
    [
      'an event of a clock that is ahead: until the service was heard',
      9_999_999,
      1_001_500,
      false,
      1_001_700,
      1_001_500,
    ],
    [
      'the host stood still for a minute: until its last tick',
      undefined,
      1_061_500,
      true,
      1_061_700,
      1_001_000,
    ],
  ])('%s', (_, takenMs, heardMs, isIdle, nowMs, expected) => {
    const gaps = live()
    if (takenMs !== undefined) gaps.taken('trade', takenMs)
    if (heardMs !== undefined) gaps.heard('trade', heardMs)
    gaps.setIdle('trade', isIdle)
    gaps.ended('trade', nowMs)
    gaps.opened('trade')
    const notice = gaps.subscribed('trade', nowMs + 2000)
    expect(notice).toMatchObject({ kind: 'gap', toMs: nowMs + 7000 })
    expect(from(notice)).toBe(expected === undefined ? undefined : expected - 5000)
  })

  test('a connection that came back within one stream has no gap of the relay: the stream reports its own', () => {
    expect(live().subscribed('trade', 1_002_000)).toBeUndefined()
  })

  test('module events have a cursor: nothing is missing', () => {
    const gaps = live('module')
    gaps.ended('module', 1_002_000)
    expect(gaps.subscribed('module', 1_003_000)).toBeUndefined()
  })

  test('the tick after a standstill still counts as one, and the tick after that does not', () => {
    const untilOf = (ticks: readonly number[]): number | undefined => {
      const gaps = live()
      for (const nowMs of ticks) gaps.tick(nowMs)
      gaps.heard('trade', 1_062_500)
      gaps.setIdle('trade', true)
      gaps.closing('trade', 1_062_900)
      return gaps.completeUntilMs().trade
    }
    expect(untilOf([1_062_000])).toBe(1_001_000)
    expect(untilOf([1_061_500, 1_062_500])).toBe(1_062_500)
  })
})

describe('the next writer', () => {
  test('gets the instants of closed streams, and those of the last writer for streams that were never live', () => {
    const gaps = live('trade', { ...EMPTY, holder: HOLDER, completeUntilMs: { trade: 1, position: 800_000 } })
    gaps.heard('trade', 1_001_500)
    gaps.setIdle('trade', true)
    gaps.closing('trade', 1_001_700)
    expect(gaps.completeUntilMs()).toEqual({ trade: 1_001_500, position: 800_000 })
  })

  test('gets nothing of a stream of which nothing is known', () => {
    const gaps = live()
    gaps.closing('trade', 1_001_700)
    expect(gaps.completeUntilMs()).toEqual({})
  })
})

test('only gaps are widened, by five seconds on each side', () => {
  const gap = {
    type: 'notice',
    kind: 'gap',
    atMs: 9,
    fromMs: 10_000,
    toMs: 20_000,
    eventTypes: undefined,
  } as const
  expect(widened({ ...gap, cause: 'disconnected' })).toMatchObject({ fromMs: 5000, toMs: 25_000 })
  const subscribed = { type: 'notice', kind: 'subscribed', atMs: 9 } as unknown as StreamNotice
  expect(widened(subscribed)).toBe(subscribed)
})
