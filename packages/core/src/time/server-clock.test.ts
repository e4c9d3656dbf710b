import { describe, expect, test } from 'vitest'
import { isCoreError } from '../core-error.ts'
import { createServerClock } from './server-clock.ts'

const HOST_MS = 1_700_000_000_000
const host = (): number => HOST_MS

describe("the service's clock", () => {
  test("is the host's before the first sync", () => {
    const clock = createServerClock(host)
    expect(clock.now()).toBe(HOST_MS)
    expect(clock.offsetMs).toBe(0)
  })

  test.each([300_000, -300_000])('is synchronized to an offset of %d ms', (offsetMs) => {
    const clock = createServerClock(host)
    expect(clock.sync(HOST_MS + offsetMs)).toBe(true)
    expect(clock.now()).toBe(HOST_MS + offsetMs)
    expect(clock.offsetMs).toBe(offsetMs)
  })

  test('ignores a difference within the tolerance, also from the current offset', () => {
    const clock = createServerClock(host)
    expect(clock.sync(HOST_MS + 2000)).toBe(false)
    expect(clock.sync(HOST_MS + 2001)).toBe(true)
    expect(clock.sync(HOST_MS + 3000)).toBe(false)
    expect(clock.offsetMs).toBe(2001)
    expect(createServerClock(host, { toleranceMs: 0 }).sync(HOST_MS + 1)).toBe(true)
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'ignores the time %d',
    (time) => {
      const clock = createServerClock(host)
      expect(clock.sync(time)).toBe(false)
      expect(clock.resync(time)).toBe(false)
      expect(clock.offsetMs).toBe(0)
    },
  )
})

const DAY_MS = 86_400_000

function coreErrorOf(run: () => unknown): Error {
  try {
    run()
  } catch (error) {
    if (isCoreError(error)) return error
    throw error
  }
  throw new Error('expected a CoreError')
}

describe('an implausible date', () => {
  test.each([
    ['2099', Date.UTC(2099, 0, 1)],
    ['1970', 0],
    ['9999', Date.UTC(9999, 11, 31)],
    ['a year beyond every calendar', 1e18],
    ['a day and a second ahead', HOST_MS + DAY_MS + 1000],
    ['a day and a second behind', HOST_MS - DAY_MS - 1000],
  ])(
    '%s is an error that names both clocks and the option, and does not change the offset',
    (_name, time) => {
      const clock = createServerClock(host)
      clock.sync(HOST_MS + 300_000)
      const error = coreErrorOf(() => clock.sync(time))
      expect(isCoreError(error, 'CLOCK_IMPLAUSIBLE') && error.details).toEqual({
        serverNowMs: time,
        hostNowMs: HOST_MS,
        maxClockOffsetMs: DAY_MS,
      })
      expect(error.message).toMatch(
        /the service's clock must be within 86400000 ms of this host's 2023-11-14T22:13:20.000Z; received .*maxClockOffsetMs/,
      )
      expect(clock.offsetMs).toBe(300_000)
    },
  )

  test('cannot be reached step by step: the bound is relative to the host', () => {
    const clock = createServerClock(host)
    clock.sync(HOST_MS + DAY_MS)
    coreErrorOf(() => clock.sync(HOST_MS + 2 * DAY_MS))
    expect(clock.offsetMs).toBe(DAY_MS)
  })

  test('is accepted if maxClockOffsetMs allows it', () => {
    const clock = createServerClock(() => 0, { maxClockOffsetMs: Number.MAX_SAFE_INTEGER })
    expect(clock.sync(HOST_MS)).toBe(true)
    expect(clock.now()).toBe(HOST_MS)
    coreErrorOf(() => createServerClock(host, { maxClockOffsetMs: 0 }).sync(HOST_MS + 1))
  })
})

describe('the offset from one wrong date', () => {
  test.each([
    ['the right time', 0, 0],
    ['about the right time', 1500, 0],
    ['a time that is closer', 600_000, 600_000],
    ['a time that is closer, on the other side', -600_000, -600_000],
  ])('is corrected by %s', (_name, statedMs, offsetMs) => {
    for (const wrongMs of [20 * 3_600_000, -20 * 3_600_000]) {
      const clock = createServerClock(host)
      clock.sync(HOST_MS + wrongMs)
      expect(clock.resync(HOST_MS + statedMs)).toBe(true)
      expect(clock.offsetMs).toBe(offsetMs)
    }
  })

  test('stays if a response took long, has the same time, or a time further away', () => {
    const clock = createServerClock(host)
    clock.sync(HOST_MS + 600_000)
    for (const statedMs of [600_000, 541_000, 700_000, -600_000, -559_000, 80 * 365 * DAY_MS]) {
      expect(clock.resync(HOST_MS + statedMs)).toBe(false)
    }
    expect(clock.offsetMs).toBe(600_000)
  })

  test('stays 0 after a response that did not reject a timestamp', () => {
    const clock = createServerClock(host)
    expect(clock.resync(HOST_MS + 600_000)).toBe(false)
    expect(clock.offsetMs).toBe(0)
  })
})

test.each([
  [{ maxClockOffsetMs: -1 }, 'maxClockOffsetMs'],
  [{ maxClockOffsetMs: Number.POSITIVE_INFINITY }, 'maxClockOffsetMs'],
  [{ toleranceMs: '1' }, 'toleranceMs'],
  [2000, 'options'],
])('an error names the invalid option: %j', (options, option) => {
  const error = coreErrorOf(() => createServerClock(host, options as never))
  expect(isCoreError(error, 'CLOCK_INVALID') && error.details.option).toBe(option)
})
