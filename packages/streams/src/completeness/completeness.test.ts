import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { advance, type CompleteUntil, earlier, gapBounds, measureOffset } from './completeness.ts'

const at = (serviceMs: number | undefined, hostMs: number): CompleteUntil => ({ serviceMs, hostMs })

test('the offset is the largest difference of a connection', () => {
  expect(measureOffset(undefined, at(undefined, 5))).toBeUndefined()
  expect(measureOffset(undefined, at(100, 40))).toBe(60)
  expect(measureOffset(60, at(undefined, 50))).toBe(60)
  // An old event that is sent again.
  expect(measureOffset(60, at(10, 50))).toBe(60)
  expect(measureOffset(60, at(200, 50))).toBe(150)
})

test.each<[string, CompleteUntil, CompleteUntil, number | undefined, CompleteUntil]>([
  ['the timestamp of a frame', at(10, 10), at(20, 25), 0, at(20, 20)],
  ['its receipt, if that is earlier by the offset', at(10, 10), at(20, 15), 0, at(20, 15)],
  ['nothing with an old event that is sent again', at(10, 10), at(5, 25), 0, at(10, 10)],
  ['nothing without a timestamp, if others have one', at(10, 10), at(undefined, 25), 0, at(10, 10)],
  [
    'its receipt, if no frame has a timestamp',
    at(undefined, 10),
    at(undefined, 25),
    undefined,
    at(undefined, 25),
  ],
  ['the first timestamp', at(undefined, 10), at(20, 25), -5, at(20, 25)],
])('a stream is complete until %s', (_, before, frame, offsetMs, expected) => {
  expect(advance(before, frame, offsetMs)).toEqual(expected)
})

test('the earlier of two instants is compared by the service, or by this host if one has no timestamp', () => {
  expect(earlier(at(1, 9), at(2, 3))).toEqual(at(1, 9))
  expect(earlier(at(undefined, 9), at(2, 3))).toEqual(at(2, 3))
})

describe('the bounds of a gap', () => {
  test.each<
    [string, CompleteUntil, CompleteUntil, number | undefined, readonly [number, number, number, number]]
  >([
    ['by two timestamps', at(100, 40), at(200, 140), 60, [100, 200, 40, 140]],
    ['by this host and the offset', at(undefined, 40), at(200, 140), 60, [100, 200, 40, 140]],
    ['by this host alone', at(undefined, 40), at(undefined, 140), undefined, [40, 140, 40, 140]],
    [
      'with an end that has no timestamp: the latest candidate',
      at(100, 90),
      at(undefined, 140),
      -10,
      [100, 140, 90, 140],
    ],
    ['after a clock was set back', at(100, 100), at(110, 10), 100, [100, 110, 10, 100]],
    [
      'after it was set back before the first subscription',
      at(undefined, 100),
      at(110, 10),
      100,
      [100, 110, 10, 100],
    ],
    ['with a timestamp in the future', at(900, 100), at(110, 110), 0, [100, 110, 100, 110]],
  ])('%s', (_, from, to, offsetMs, [fromMs, toMs, hostFromMs, hostToMs]) => {
    expect(gapBounds(from, to, offsetMs)).toEqual({
      fromMs,
      toMs,
      hostFromMs,
      hostToMs,
      clockOffsetMs: offsetMs,
    })
  })

  test('never end before they begin', () => {
    const instant = fc.integer({ min: -1e13, max: 1e13 })
    const until = fc.record({ serviceMs: fc.option(instant, { nil: undefined }), hostMs: instant })
    fc.assert(
      fc.property(until, until, fc.option(instant, { nil: undefined }), (from, to, offsetMs) => {
        const bounds = gapBounds(from, to, offsetMs)
        expect(bounds.fromMs).toBeLessThanOrEqual(bounds.toMs)
        expect(bounds.hostFromMs).toBeLessThanOrEqual(bounds.hostToMs)
        if (to.serviceMs !== undefined) expect(bounds.toMs).toBe(to.serviceMs)
      }),
    )
  })
})
