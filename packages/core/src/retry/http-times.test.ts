import { describe, expect, test } from 'vitest'
import { parseHttpDate, parseRetryAfter } from './http-times.ts'

describe('Retry-After and Date', () => {
  const now = Date.UTC(2026, 0, 1)
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 5 ', 5000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['', undefined],
    [null, undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['99999999999', 99_999_999_999_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Thursday, 01-Jan-26 00:01:00 GMT', 60_000],
    ['Thu Jan  1 00:01:00 2026', 60_000],
    ['Thu Jan 1 00:01:00 2026', undefined],
    ['2027', 2_027_000],
    ['soon', undefined],
    ['Thu, 99 Jan 2026 00:01:00 GMT', undefined],
  ])('%j', (value, expected) => {
    const headers = new Headers(value === null ? {} : { 'retry-after': value })
    expect(parseRetryAfter(headers, now)).toBe(expected)
  })

  const HOST_CLOCKS = { 'is right': 0, 'is 240 s ahead': 240_000, 'is 240 s behind': -240_000 }
  test.each(Object.entries(HOST_CLOCKS))(
    'a date is compared with the Date of the response if the clock %s',
    (_, offsetMs) => {
      const date = new Date(now).toUTCString()
      const at = new Date(now + 5000).toUTCString()
      expect(parseRetryAfter(new Headers({ date, 'retry-after': at }), now + offsetMs)).toBe(5000)
      expect(parseRetryAfter(new Headers({ date, 'retry-after': date }), now + offsetMs)).toBe(0)
    },
  )

  test('without a Date that can be read, it is compared with the clock', () => {
    const at = new Date(now + 5000).toUTCString()
    expect(parseRetryAfter(new Headers({ 'retry-after': at }), now)).toBe(5000)
    expect(parseRetryAfter(new Headers({ date: 'today', 'retry-after': at }), now)).toBe(5000)
  })

  test('only the form of HTTP is a date', () => {
    expect(parseHttpDate('Thu, 01 Jan 2026 00:00:00 GMT', now)).toBe(now)
    const noDay = '123, 01 Jan 2026 00:00:00 GMT'
    for (const text of ['99999', '2026-01-01', 'Thu, 01 Jan 99999 00:00:00 GMT', noDay, undefined]) {
      expect(parseHttpDate(text, now)).toBeNaN()
    }
  })

  test('the old forms are read, a year of two digits as the nearer one', () => {
    for (const text of ['Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
      expect(parseHttpDate(text, now)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37))
    }
    expect(parseHttpDate('Friday, 01-Jan-76 00:00:00 GMT', now)).toBe(Date.UTC(2076, 0, 1))
    expect(parseHttpDate('Friday, 01-Jan-77 00:00:00 GMT', now)).toBe(Date.UTC(1977, 0, 1))
    expect(parseHttpDate('Mon, 01 Foo 2026 00:00:00 GMT', now)).toBeNaN()
  })
})
