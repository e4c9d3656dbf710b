import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { isPayloadsError } from '../payloads-error.ts'
import {
  compareInstants,
  instantToMilliseconds,
  instantToNanoseconds,
  instantToTemporal,
  parseInstant,
} from './instant.ts'
import type { Instant } from './instant-text.ts'

function made(text: string): Instant {
  const value = parseInstant(text)
  if (value === undefined) throw new Error(`no instant: ${text}`)
  return value
}

describe('parseInstant', () => {
  test.each([
    '2026-05-01T13:53:58.569-0500',
    '2026-03-04T05:06:07.547958859Z',
    '2026-03-04T05:06:07Z',
    '2026-03-04T05:06:07+00:00',
    '2026-03-04T05:06:07.1+0000',
    '2024-02-29T00:00:00Z',
    '2000-02-29T23:59:59.999999999+14:00',
    '0000-01-01T00:00:00Z',
  ])('returns %s unchanged', (text) => {
    expect(parseInstant(text)).toBe(text)
  })

  test.each([
    '',
    '2026-03-04',
    '2026-03-04T05:06:07',
    '2026-03-04 05:06:07Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+00:60',
    '2026-01-01T00:00:00+00',
    '2026-01-01T00:00:00+000',
    '2026-01-01T00:00:00+00:000',
    '2026-01-01T00:00:00ZZ',
    '2026-01-01t00:00:00z',
    '+2026-01-01T00:00:00Z',
    '２026-01-01T00:00:00Z',
    `2026-01-01T00:00:00.${'1'.repeat(100_000)}Z`,
  ])('rejects %j', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })
})

describe('conversions', () => {
  test('keep nanoseconds and offsets exact', () => {
    expect(instantToNanoseconds(made('2026-03-04T05:06:07.547958859Z'))).toBe(1_772_600_767_547_958_859n)
    expect(instantToNanoseconds(made('1970-01-01T01:00:00+0100'))).toBe(0n)
    expect(instantToNanoseconds(made('1969-12-31T23:59:59.999999999Z'))).toBe(-1n)
    expect(instantToMilliseconds(made('1969-12-31T23:59:59.999999999Z'))).toBe(-1)
  })

  test('to milliseconds agree with Date, also in the first century', () => {
    const min = new Date('0000-01-01T00:00:00Z')
    const max = new Date('9999-12-31T23:59:59.999Z')
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
        expect(instantToMilliseconds(made(date.toISOString()))).toBe(date.getTime())
      }),
    )
  })

  test('compare instants, not strings', () => {
    const utc = made('2026-05-01T18:53:58.569Z')
    expect(compareInstants(utc, made('2026-05-01T13:53:58.569-0500'))).toBe(0)
    expect(compareInstants(utc, made('2026-05-01T18:53:58.569000001Z'))).toBe(-1)
    expect(compareInstants(made('2026-05-01T18:53:58.57Z'), utc)).toBe(1)
  })

  test("text that is no instant is the caller's mistake", () => {
    expect(() => instantToNanoseconds('yesterday' as Instant)).toThrow(
      expect.toSatisfy((error) => isPayloadsError(error, 'PAYLOAD_OPTION_INVALID')),
    )
  })
})

describe('the Temporal of instantToTemporal', () => {
  const value = made('2026-03-04T05:06:07.547958859+0100')

  test('may be passed as an argument', () => {
    expect(instantToTemporal(value, Temporal).toString()).toBe('2026-03-04T04:06:07.547958859Z')
  })

  test('is that of the runtime by default, and there is an error without one', () => {
    if ('Temporal' in globalThis) {
      expect(instantToTemporal(value).toString()).toBe('2026-03-04T04:06:07.547958859Z')
    } else {
      expect(() => instantToTemporal(value)).toThrow(
        expect.toSatisfy((error) => isPayloadsError(error, 'PAYLOAD_NOT_CONVERTIBLE')),
      )
    }
  })
})
