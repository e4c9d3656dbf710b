import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { advance, type CompleteUntil, earlier, gapBounds, measureOffset } from './completeness.ts'

const at = (serviceMs: number | undefined, hostMs: number): CompleteUntil => ({ serviceMs, hostMs })

test('the clock offset is the largest difference that was measured on a connection', () => {
  expect(measureOffset(undefined, at(undefined, 5))).toBeUndefined()
  expect(measureOffset(undefined, at(100, 40))).toBe(60)
  expect(measureOffset(60, at(undefined, 50))).toBe(60)
  // A replayed old event does not change it.
  expect(measureOffset(60, at(10, 50))).toBe(60)
  expect(measureOffset(60, at(200, 50))).toBe(150)
})

test.each<[string, CompleteUntil, CompleteUntil, number | undefined, CompleteUntil]>([
  ['the timestamp of a frame', at(10, 10), at(20, 25), 0, at(20, 20)],
  ['the time of receipt, if that is earlier by the clock offset', at(10, 10), at(20, 15), 0, at(20, 15)],
  ['the previous instant, if the frame is a replayed old event', at(10, 10), at(5, 25), 0, at(10, 10)],
  [
    'the previous instant, if the frame has no timestamp and an earlier one had',
    at(10, 10),
    at(undefined, 25),
    0,
    at(10, 10),
  ],
  [
    'the time of receipt, if no frame has a timestamp',
    at(undefined, 10),
    at(undefined, 25),
    undefined,
    at(undefined, 25),
  ],
  ['the first timestamp', at(undefined, 10), at(20, 25), -5, at(20, 25)],
])('a stream is complete up to %s', (_, before, frame, offsetMs, expected) => {
  expect(advance(before, frame, offsetMs)).toEqual(expected)
})

test("earlier() compares by the service's clock, or by this host's clock if one instant has no timestamp", () => {
  expect(earlier(at(1, 9), at(2, 3))).toEqual(at(1, 9))
  expect(earlier(at(undefined, 9), at(2, 3))).toEqual(at(2, 3))
})

describe('the bounds of a gap', () => {
  const bounds = (fromMs: number, toMs: number, hostFromMs: number, hostToMs: number) => ({
    fromMs,
    toMs,
    hostFromMs,
    hostToMs,
  })
  test.each<[string, CompleteUntil, CompleteUntil, number | undefined, ReturnType<typeof bounds>]>([
    ['are two timestamps', at(100, 40), at(200, 140), 60, bounds(100, 200, 40, 140)],
    [
      "begin at this host's time plus the clock offset",
      at(undefined, 40),
      at(200, 140),
      60,
      bounds(100, 200, 40, 140),
    ],
    [
      "are this host's times, if there is no timestamp",
      at(undefined, 40),
      at(undefined, 140),
      undefined,
      bounds(40, 140, 40, 140),
    ],
    [
      'end at the latest candidate, if the end has no timestamp',
      at(100, 90),
      at(undefined, 140),
      -10,
      bounds(100, 140, 90, 140),
    ],
    [
      "are the widest, if this host's clock was set back",
      at(100, 100),
      at(110, 10),
      100,
      bounds(100, 110, 10, 100),
    ],
    [
      'are the widest, if it was set back before the first subscription',
      at(undefined, 100),
      at(110, 10),
      100,
      bounds(100, 110, 10, 100),
    ],
    [
      "begin at this host's time, if a timestamp is in the future",
      at(900, 100),
      at(110, 110),
      0,
      bounds(100, 110, 100, 110),
    ],
  ])('%s', (_, from, to, offsetMs, expected) => {
    expect(gapBounds(from, to, offsetMs)).toEqual({ ...expected, clockOffsetMs: offsetMs })
  })

  test('never have an end before their start', () => {
    const instant = fc.integer({ min: -1e13, max: 1e13 })
    const until = fc.record({ serviceMs: fc.option(instant, { nil: undefined }), hostMs: instant })
    fc.assert(
      fc.property(until, until, fc.option(instant, { nil: undefined }), (from, to, offsetMs) => {
        const gap = gapBounds(from, to, offsetMs)
        expect(gap.fromMs).toBeLessThanOrEqual(gap.toMs)
        expect(gap.hostFromMs).toBeLessThanOrEqual(gap.hostToMs)
        if (to.serviceMs !== undefined) expect(gap.toMs).toBe(to.serviceMs)
      }),
    )
  })
})
