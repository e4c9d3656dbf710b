import { expect, describe as group, test } from 'vitest'
import { describe, isRecord, ownProperties, unreachable } from './guards.ts'

group('isRecord', () => {
  test.each([[{}], [Object.create(null)], [new Map()]])('%o is one', (value) => {
    expect(isRecord(value)).toBe(true)
  })

  test.each([[null], [undefined], [[]], ['text'], [1], [() => {}]])('%o is none', (value) => {
    expect(isRecord(value)).toBe(false)
  })
})

group('ownProperties', () => {
  test('reads what an object itself holds, and nothing that got into every object', () => {
    const everyObject = Object.prototype as { polluted?: string }
    everyObject.polluted = 'yes'
    try {
      const given: { own: number; polluted?: string } = { own: 1 }
      expect(given.polluted).toBe('yes')
      expect(ownProperties(given).polluted).toBeUndefined()
      expect(ownProperties(given).own).toBe(1)
    } finally {
      delete everyObject.polluted
    }
  })

  test.each([[undefined], [null], [5]])('finds none in %o', (value) => {
    expect(Object.keys(ownProperties(value) as unknown as object)).toEqual([])
  })
})

group('describe', () => {
  test.each([
    [null, 'null'],
    [undefined, 'undefined'],
    ['', 'an empty string'],
    ['topsecret', 'a string'],
    [[], 'an empty array'],
    [['topsecret'], 'an array'],
    [12, 'a number'],
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
    [10n, 'a bigint'],
    [true, 'a boolean'],
    [Symbol('topsecret'), 'a symbol'],
    [{ toString: () => 'topsecret' }, 'an object'],
    [() => 'topsecret', 'a function'],
  ])('says what it is, never the value: %o', (value, expected) => {
    expect(describe(value)).toBe(expected)
  })
})

test('unreachable tells what came, without showing it', () => {
  expect(() => unreachable('topsecret' as never)).toThrow(new TypeError('unreachable: a string'))
})
