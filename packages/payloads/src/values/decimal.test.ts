import { Big } from 'big.js'
import { BigNumber } from 'bignumber.js'
import { Decimal as DecimalJs } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPayloadsError } from '../payloads-error.ts'
import { decimalText } from '../test/arbitraries.ts'
import {
  compareDecimals,
  decimalFromBigInt,
  decimalTo,
  decimalToBigInt,
  decimalToPlain,
  parseDecimal,
} from './decimal.ts'
import type { Decimal } from './decimal-text.ts'

function made(text: string): Decimal {
  const value = parseDecimal(text)
  if (value === undefined) throw new Error(`no decimal: ${text}`)
  return value
}

/** big.js does not accept a plus sign. */
function big(text: string): Big {
  return new Big(text.replace(/^\+/, ''))
}

describe('parseDecimal', () => {
  test.each(['0', '-0', '+5', '684.85', '411.0000000000', '0E-10', '-1.5E+3', '1e5', '007', '9'.repeat(512)])(
    'keeps %s as it is',
    (text) => {
      expect(parseDecimal(text)).toBe(text)
    },
  )

  test.each([
    '',
    '-',
    '.5',
    '5.',
    '1.2.3',
    '1,5',
    ' 1',
    '1 ',
    '1e',
    '1e+',
    '1E1000',
    '0x10',
    'NaN',
    'Infinity',
    '１',
    '1\n',
    '9'.repeat(513),
  ])('rejects %j', (text) => {
    expect(parseDecimal(text)).toBeUndefined()
  })

  test('rejects a value that is not a string', () => {
    expect(parseDecimal(12 as unknown as string)).toBeUndefined()
  })
})

describe('decimalToPlain', () => {
  test.each([
    ['0E-10', '0.0000000000'],
    ['-0E-2', '0.00'],
    ['-1.5E+3', '-1500'],
    ['1.50', '1.50'],
    ['+007.10', '7.10'],
    ['12.34e1', '123.4'],
    ['12.34e-3', '0.01234'],
    ['12e2', '1200'],
    ['0', '0'],
    ['-0.0', '0.0'],
  ])('%s is %s', (text, plain) => {
    expect(decimalToPlain(made(text))).toBe(plain)
  })

  test('returns the same number in plain form, and is idempotent', () => {
    fc.assert(
      fc.property(decimalText(), (text) => {
        const plain = decimalToPlain(made(text))
        expect(plain).toMatch(/^(?!-0*\.?0*$)-?(0|[1-9]\d*)(\.\d+)?$/)
        expect(new Big(plain).eq(big(text))).toBe(true)
        expect(decimalToPlain(made(plain))).toBe(plain)
      }),
    )
  })
})

describe('compareDecimals', () => {
  test('agrees with big.js', () => {
    fc.assert(
      fc.property(decimalText(), decimalText(), (a, b) => {
        expect(compareDecimals(made(a), made(b))).toBe(big(a).cmp(big(b)))
      }),
    )
  })

  test('compares the last digit, which a float loses', () => {
    expect(compareDecimals(made('12.500000000000000001'), made('12.5'))).toBe(1)
    expect(compareDecimals(made('0E-10'), made('-0'))).toBe(0)
  })
})

describe('decimalToBigInt and decimalFromBigInt', () => {
  test('are inverse functions', () => {
    expect(decimalToBigInt(made('684.85'), 2)).toBe(68_485n)
    expect(decimalToBigInt(made('-1.5E+3'), 0)).toBe(-1_500n)
    expect(decimalToBigInt(made('1.5000'), 1)).toBe(15n)
    expect(decimalFromBigInt(-5n, 2)).toBe('-0.05')
    expect(decimalFromBigInt(5n, 0)).toBe('5')
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }),
        fc.integer({ min: 0, max: 40 }),
        (value, scale) => {
          expect(decimalToBigInt(decimalFromBigInt(value, scale), scale)).toBe(value)
        },
      ),
    )
  })

  test('never round', () => {
    expect(() => decimalToBigInt(made('0.001'), 2)).toThrow(
      expect.toSatisfy((error) => isPayloadsError(error, 'PAYLOAD_NOT_CONVERTIBLE')),
    )
  })

  test.each([
    ['a negative scale', () => decimalToBigInt(made('1'), -1)],
    ['text that is no decimal', () => decimalToBigInt('abc' as Decimal, 2)],
    ['a result that is too long', () => decimalFromBigInt(10n ** 600n, 0)],
  ])('reject an invalid argument: %s', (_, call) => {
    expect(call).toThrow(expect.toSatisfy((error) => isPayloadsError(error, 'PAYLOAD_OPTION_INVALID')))
  })
})

test('decimalTo converts to big.js, decimal.js and bignumber.js with all digits', () => {
  const value = made('-12345678901234567890.123456789E-5')
  const plain = decimalToPlain(value)
  expect(decimalTo(value, (text) => new Big(text)).toFixed()).toBe(plain)
  expect(decimalTo(value, (text) => new DecimalJs(text)).toFixed()).toBe(plain)
  expect(decimalTo(value, (text) => new BigNumber(text)).toFixed()).toBe(plain)
})

test('the plain forms of the largest and the smallest decimal have limited lengths', () => {
  expect(decimalToPlain(made('1E999'))).toHaveLength(1_000)
  expect(decimalToPlain(made('1E-999'))).toHaveLength(1_001)
  expect(compareDecimals(made('1E999'), made('1E-999'))).toBe(1)
})
