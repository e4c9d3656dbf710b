import { describe, expect, test } from 'vitest'
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
    expect(createServerClock(host, 0).learn(HOST_MS + 1)).toBe(true)
  })

  test('ignores what no service says, and takes what is just within', () => {
    for (const time of [
      0,
      Date.UTC(1970, 0, 2),
      Date.UTC(2020, 0, 1) - 1,
      Date.UTC(2100, 0, 1),
      Date.UTC(9999, 11, 31),
    ]) {
      const clock = createServerClock(host)
      expect(clock.learn(time)).toBe(false)
      expect(clock.offsetMs).toBe(0)
    }
    for (const time of [Date.UTC(2020, 0, 1), Date.UTC(2100, 0, 1) - 1]) {
      const clock = createServerClock(host)
      expect(clock.learn(time)).toBe(true)
      expect(clock.now()).toBe(time)
    }
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('ignores %d', (time) => {
    const clock = createServerClock(host)
    expect(clock.learn(time)).toBe(false)
    expect(clock.offsetMs).toBe(0)
  })
})
