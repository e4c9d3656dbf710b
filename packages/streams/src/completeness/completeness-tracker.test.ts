import { describe, expect, test } from 'vitest'
import type { StreamNotice } from '../items/notices.ts'
import { CompletenessTracker } from './completeness-tracker.ts'

function createTracker() {
  const state = { isIdle: true, advances: 0 }
  const tracker = new CompletenessTracker({
    isIdle: () => state.isIdle,
    serverTimeMs: ({ timestamp }) => Number(timestamp) || undefined,
    onAdvance: () => {
      state.advances += 1
    },
  })
  tracker.begin({ serviceMs: undefined, hostMs: 1000, offsetMs: undefined })
  return { state, tracker }
}
const live = (serviceMs: number | undefined, hostMs: number, implied = false) => ({
  serviceMs,
  hostMs,
  implied,
})

describe('takeHandledUntil()', () => {
  test('is unknown before the first subscription, and then ends before its gap until that gap is handled', () => {
    const { state, tracker } = createTracker()
    expect(tracker.takeHandledUntil()).toBeUndefined()
    const bounds = tracker.onLive(live(2100, 2000))()
    state.isIdle = false
    expect(tracker.takeHandledUntil()).toEqual({ serviceMs: undefined, hostMs: 1000, offsetMs: 100 })
    const gap = {
      type: 'notice',
      kind: 'gap',
      atMs: 0,
      ...bounds,
      eventTypes: undefined,
      cause: 'restart',
    } as const
    tracker.onGapHandled(gap satisfies StreamNotice)
    expect(tracker.takeHandledUntil()).toEqual({ serviceMs: 2100, hostMs: 2000, offsetMs: 100 })
  })

  test('advances with each handled event, and to the last frame if nothing is unhandled', () => {
    const { state, tracker } = createTracker()
    tracker.onLive(live(2000, 2000))
    state.isIdle = false
    tracker.onFrames({ serviceMs: 5000, hostMs: 5000 }, true)
    expect(state.advances).toBe(0)
    tracker.onHandled('3000')
    expect(state.advances).toBe(1)
    expect(tracker.takeHandledUntil()?.serviceMs).toBe(3000)
    // A replayed event, and an event without a timestamp.
    tracker.onHandled('2500')
    tracker.onHandled('')
    expect(tracker.takeHandledUntil()?.serviceMs).toBe(3000)
    state.isIdle = true
    tracker.onFrames({ serviceMs: 6000, hostMs: 6000 }, true)
    expect(state.advances).toBe(4)
    expect(tracker.takeHandledUntil()?.serviceMs).toBe(6000)
  })
})

describe('a subscription', () => {
  test('ends the gap since the last frame, with a clock offset that is measured again on each connection', () => {
    const { tracker } = createTracker()
    tracker.onLive(live(2000, 2000))
    tracker.onFrames({ serviceMs: 3000, hostMs: 3000 }, true)
    expect(tracker.onLive(live(9000, 4000))()).toEqual({
      fromMs: 3000,
      toMs: 9000,
      hostFromMs: 3000,
      hostToMs: 4000,
      clockOffsetMs: 5000,
    })
    expect(tracker.onLive(live(9500, 9500))().clockOffsetMs).toBe(0)
  })

  test("has the clock offset of the last frame, also if this host's clock is set ahead", () => {
    const { tracker } = createTracker()
    expect(tracker.currentOffsetMs).toBeUndefined()
    tracker.onLive(live(2000, 2000))
    tracker.onFrames({ serviceMs: 3000, hostMs: 63_000 }, true)
    tracker.onFrames({ serviceMs: undefined, hostMs: 64_000 }, true)
    expect(tracker.currentOffsetMs).toBe(-60_000)
  })

  test("that is only implied by an old event ends the gap at this host's time plus the known clock offset", () => {
    const { tracker } = createTracker()
    tracker.onLive(live(2100, 2000))
    tracker.onFrames({ serviceMs: 3100, hostMs: 3000 }, true)
    expect(tracker.onLive(live(1500, 5000, true))()).toMatchObject({
      fromMs: 3100,
      toMs: 5100,
      clockOffsetMs: 100,
    })
    expect(tracker.onLive(live(9900, 6000, true))()).toMatchObject({ toMs: 9900 })
  })
})

describe('a subscription that replays events after a position', () => {
  test('is complete up to the last replayed event, even if pings with later timestamps come in between', () => {
    const { tracker } = createTracker()
    tracker.onLive(live(2000, 2000))
    tracker.onFrames({ serviceMs: 3000, hostMs: 3000 }, true)
    tracker.onLive(live(9000, 9000), true)
    tracker.onFrames({ serviceMs: 3500, hostMs: 9001 }, true)
    tracker.onFrames({ serviceMs: 9100, hostMs: 9100 }, false)
    expect(tracker.receivedUntil.serviceMs).toBe(9100)
    expect(tracker.onLive(live(9500, 9500))()).toMatchObject({ fromMs: 3500, toMs: 9500 })
  })

  test('is complete up to the last frame once an event is as new as the subscription', () => {
    const { tracker } = createTracker()
    tracker.onLive(live(9000, 9000), true)
    tracker.onFrames({ serviceMs: 9000, hostMs: 9001 }, true)
    tracker.onFrames({ serviceMs: 9100, hostMs: 9100 }, false)
    expect(tracker.onLive(live(9500, 9500))().fromMs).toBe(9100)
  })
})
