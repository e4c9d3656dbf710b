import { describe, expect, it } from 'vitest'
import { createCalendar } from './market-hours.ts'

const at = (text: string): number => Date.parse(text)

describe('regular hours', () => {
  it.each([
    ['us', '2026-11-25T14:29:59Z', false],
    ['us', '2026-11-25T14:30:00Z', true],
    ['us', '2026-11-25T20:59:59Z', true],
    ['us', '2026-11-25T21:00:00Z', false],
    ['us', '2026-11-28T15:00:00Z', false],
    ['hk', '2026-11-25T01:29:59Z', false],
    ['hk', '2026-11-25T01:30:00Z', true],
    ['hk', '2026-11-25T04:30:00Z', false],
    ['hk', '2026-11-25T05:00:00Z', true],
    ['hk', '2026-11-25T08:00:00Z', false],
  ] as const)('of %s at %s: %s', (region, time, isOpen) => {
    expect(createCalendar(region).isOpen('regular', at(time))).toBe(isOpen)
  })

  it('end for the week on Friday and begin on Monday', () => {
    const calendar = createCalendar('us')
    expect(calendar.nextOpenMs('regular', at('2026-11-27T21:00:00Z'))).toBe(at('2026-11-30T14:30:00Z'))
    expect(calendar.dayEndMs('regular', at('2026-11-27T20:00:00Z'))).toBe(at('2026-11-27T21:00:00Z'))
  })
})

it('a market that is always open ends its day at midnight of the region', () => {
  const now = at('2026-11-25T23:00:00Z')
  expect(createCalendar('us').dayEndMs('always', now)).toBe(at('2026-11-26T05:00:00Z'))
  expect(createCalendar('hk').dayEndMs('always', now)).toBe(at('2026-11-26T16:00:00Z'))
  expect(createCalendar('us').nextOpenMs('always', now)).toBe(now)
  expect(createCalendar('us').nextOpenMs('closed', now)).toBeUndefined()
})
