import { describe, expect, test } from 'vitest'
import type { StreamNotice } from '../items/notices.ts'
import { CompletenessTracker } from './completeness-tracker.ts'

function createTracker() {
  const state = { isIdle: true, advances: 0 }
  const tracker = new CompletenessTracker({
    isIdle: () => state.isIdle,
    serviceMsOf: ({ timestamp }) => Number(timestamp) || undefined,
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

describe('what was handled', () => {
  test('is not known before the first subscription, and reaches its gap until that is handled', () => {
    const { state, tracker } = createTracker()
    expect(tracker.handled).toBeUndefined()
    const bounds = tracker.onLive(live(2100, 2000))()
    state.isIdle = false
    expect(tracker.handled).toEqual({ serviceMs: undefined, hostMs: 1000, offsetMs: 100 })
    const gap = {
      type: 'notice',
      kind: 'gap',
      atMs: 0,
      ...bounds,
      eventTypes: undefined,
      cause: 'restart',
    } as const
    tracker.onGapHandled(gap satisfies StreamNotice)
    expect(tracker.handled).toEqual({ serviceMs: 2100, hostMs: 2000, offsetMs: 100 })
  })

  test('advances with each event that was handled, and to the last frame if nothing is unhandled', () => {
    const { state, tracker } = createTracker()
    tracker.onLive(live(2000, 2000))
    state.isIdle = false
    tracker.onFrames({ serviceMs: 5000, hostMs: 5000 }, true)
    expect(state.advances).toBe(0)
    tracker.onHandled('3000')
    expect([state.advances, tracker.handled?.serviceMs]).toEqual([1, 3000])
    // One that was sent again, and one without a timestamp.
    tracker.onHandled('2500')
    tracker.onHandled('')
    expect(tracker.handled?.serviceMs).toBe(3000)
    state.isIdle = true
    tracker.onFrames({ serviceMs: 6000, hostMs: 6000 }, true)
    expect([state.advances, tracker.handled?.serviceMs]).toEqual([4, 6000])
  })
})

describe('a subscription', () => {
  test('ends the gap since the last frame, with an offset that each connection measures anew', () => {
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

  test('that only an old event implies ends the gap no earlier than this host and the known offset say', () => {
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

describe('a subscription that began at positions', () => {
  test('is complete until its last event, whatever pings come between the events that are sent again', () => {
    const { tracker } = createTracker()
    tracker.onLive(live(2000, 2000))
    tracker.onFrames({ serviceMs: 3000, hostMs: 3000 }, true)
    tracker.onLive(live(9000, 9000), true)
    tracker.onFrames({ serviceMs: 3500, hostMs: 9001 }, true)
    tracker.onFrames({ serviceMs: 9100, hostMs: 9100 }, false)
    expect(tracker.heard.serviceMs).toBe(9100)
    expect(tracker.onLive(live(9500, 9500))()).toMatchObject({ fromMs: 3500, toMs: 9500 })
  })

  test('is complete until its last frame once an event is as new as the subscription', () => {
    const { tracker } = createTracker()
    tracker.onLive(live(9000, 9000), true)
    tracker.onFrames({ serviceMs: 9000, hostMs: 9001 }, true)
    tracker.onFrames({ serviceMs: 9100, hostMs: 9100 }, false)
    expect(tracker.onLive(live(9500, 9500))().fromMs).toBe(9100)
  })
})
