import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  averagePrice,
  divideRounded,
  formatDecimal,
  formatQuantity,
  parseDecimal,
  valueInCents,
} from './decimal.ts'

describe('a decimal', () => {
  it.each([
    ['1', 2, 100n],
    ['1.5', 2, 150n],
    ['1.50', 2, 150n],
    ['1.500', 2, 150n],
    ['-0.01', 2, -1n],
    ['0.00000001', 8, 1n],
    ['007', 2, 700n],
  ])('%j with %i places is parsed', (text, places, value) => {
    expect(parseDecimal(text, places)).toBe(value)
  })

  it.each(['', '.', '1.', '.5', '1.001', '1e5', '0x1', '+1', ' 1', '1,5', 'NaN', '1'.repeat(16)])(
    '%j is not one with two places',
    (text) => {
      expect(parseDecimal(text, 2)).toBeUndefined()
    },
  )

  it('that was written is parsed to the same value', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }),
        fc.integer({ min: 0, max: 8 }),
        (value, min) => {
          expect(parseDecimal(formatDecimal(value, 8, min), 8)).toBe(value)
        },
      ),
    )
  })

  it('is written with the zeros that are asked for', () => {
    const written = [
      formatDecimal(5n, 2, 2),
      formatDecimal(-150n, 2),
      formatDecimal(100n, 2),
      formatQuantity(0n),
    ]
    expect(written).toEqual(['0.05', '-1.5', '1', '0'])
  })
})

it.each([
  [5n, 2n, 3n],
  [-5n, 2n, -3n],
  [5n, -2n, -3n],
  [4n, 3n, 1n],
  [-4n, 3n, -1n],
  [0n, 3n, 0n],
])('%i divided by %i is rounded to %i', (dividend, divisor, rounded) => {
  expect(divideRounded(dividend, divisor)).toBe(rounded)
})

it('a value is rounded to a cent once', () => {
  expect(valueInCents(50_000_000n, 101n)).toBe(51n)
  expect(valueInCents(300_000_000n, 23_812n)).toBe(71_436n)
  expect(averagePrice(71_436n, 300_000_000n)).toBe(2_381_200n)
})
