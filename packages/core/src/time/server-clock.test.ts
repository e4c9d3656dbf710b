import { describe, expect, test } from 'vitest'
import { isCoreError } from '../core-error.ts'
import { createServerClock } from './server-clock.ts'

const HOST_MS = 1_700_000_000_000
const host = (): number => HOST_MS

describe("the service's clock", () => {
  test("is the host's until something was learned", () => {
    const clock = createServerClock(host)
    expect([clock.now(), clock.offsetMs]).toEqual([HOST_MS, 0])
  })

  test.each([300_000, -300_000])('learns an offset of %d', (offsetMs) => {
    const clock = createServerClock(host)
    expect(clock.learn(HOST_MS + offsetMs)).toBe(true)
    expect([clock.now(), clock.offsetMs]).toEqual([HOST_MS + offsetMs, offsetMs])
  })

  test('leaves a difference within the tolerance alone, also against what it knows', () => {
    const clock = createServerClock(host)
    expect(clock.learn(HOST_MS + 2000)).toBe(false)
    expect(clock.learn(HOST_MS + 2001)).toBe(true)
    expect(clock.learn(HOST_MS + 3000)).toBe(false)
    expect(clock.offsetMs).toBe(2001)
    expect(createServerClock(host, { toleranceMs: 0 }).learn(HOST_MS + 1)).toBe(true)
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('ignores %d', (time) => {
    const clock = createServerClock(host)
    expect(clock.learn(time)).toBe(false)
    expect(clock.takeBack(time)).toBe(false)
    expect(clock.offsetMs).toBe(0)
  })
})

const DAY_MS = 86_400_000

function refusal(run: () => unknown): Error {
  try {
    run()
  } catch (error) {
    if (isCoreError(error)) return error
    throw error
  }
  throw new Error('expected a refusal')
}

describe('a date that no clock can be', () => {
  test.each([
    ['2099', Date.UTC(2099, 0, 1)],
    ['1970', 0],
    ['9999', Date.UTC(9999, 11, 31)],
    ['a year beyond every calendar', 1e18],
    ['a day and a second ahead', HOST_MS + DAY_MS + 1000],
    ['a day and a second behind', HOST_MS - DAY_MS - 1000],
  ])('%s is an error that names both clocks and the option, and teaches nothing', (_name, time) => {
    const clock = createServerClock(host)
    clock.learn(HOST_MS + 300_000)
    const error = refusal(() => clock.learn(time))
    expect(isCoreError(error, 'CLOCK_IMPLAUSIBLE') && error.details).toEqual({
      serverNowMs: time,
      hostNowMs: HOST_MS,
      maxClockOffsetMs: DAY_MS,
    })
    expect(error.message).toMatch(/the service's clock says .*2023-11-14T22:13:20.000Z.*maxClockOffsetMs/)
    expect(clock.offsetMs).toBe(300_000)
  })

  test('cannot be reached step by step: the bound counts from the host', () => {
    const clock = createServerClock(host)
    clock.learn(HOST_MS + DAY_MS)
    refusal(() => clock.learn(HOST_MS + 2 * DAY_MS))
    expect(clock.offsetMs).toBe(DAY_MS)
  })

  test('may be allowed', () => {
    const clock = createServerClock(() => 0, { maxClockOffsetMs: Number.MAX_SAFE_INTEGER })
    expect(clock.learn(HOST_MS)).toBe(true)
    expect(clock.now()).toBe(HOST_MS)
    refusal(() => createServerClock(host, { maxClockOffsetMs: 0 }).learn(HOST_MS + 1))
  })
})

describe('what one wrong date has taught', () => {
  test.each([
    ['the right time', 0, 0],
    ['about the right time', 1500, 0],
    ['a time that is closer', 600_000, 600_000],
    ['a time that is closer, on the other side', -600_000, -600_000],
  ])('is taken back by %s', (_name, saidMs, offsetMs) => {
    for (const wrongMs of [20 * 3_600_000, -20 * 3_600_000]) {
      const clock = createServerClock(host)
      clock.learn(HOST_MS + wrongMs)
      expect(clock.takeBack(HOST_MS + saidMs)).toBe(true)
      expect(clock.offsetMs).toBe(offsetMs)
    }
  })

  test('stays where an answer was long on its way, says the same, or something further away', () => {
    const clock = createServerClock(host)
    clock.learn(HOST_MS + 600_000)
    for (const saidMs of [600_000, 541_000, 700_000, -600_000, -559_000, 80 * 365 * DAY_MS]) {
      expect(clock.takeBack(HOST_MS + saidMs)).toBe(false)
    }
    expect(clock.offsetMs).toBe(600_000)
  })

  test('nothing is learned beside an answer that refused no timestamp', () => {
    const clock = createServerClock(host)
    expect(clock.takeBack(HOST_MS + 600_000)).toBe(false)
    expect(clock.offsetMs).toBe(0)
  })
})

test.each([
  [{ maxClockOffsetMs: -1 }, 'maxClockOffsetMs'],
  [{ maxClockOffsetMs: Number.POSITIVE_INFINITY }, 'maxClockOffsetMs'],
  [{ toleranceMs: '1' }, 'toleranceMs'],
  [2000, 'options'],
])('wrong options are refused by name: %j', (options, option) => {
  const error = refusal(() => createServerClock(host, options as never))
  expect(isCoreError(error, 'CLOCK_INVALID') && error.details.option).toBe(option)
})
