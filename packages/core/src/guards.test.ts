import { expect, describe as group, test } from 'vitest'
import { isRecord, typeName, unreachable } from './guards.ts'

group('isRecord', () => {
  test.each([[{}], [Object.create(null)], [new Map()]])('%o is a record', (value) => {
    expect(isRecord(value)).toBe(true)
  })

  test.each([[null], [undefined], [[]], ['text'], [1], [() => {}]])('%o is not a record', (value) => {
    expect(isRecord(value)).toBe(false)
  })
})

group('typeName', () => {
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
  ])('names the type of %o, never its value', (value, expected) => {
    expect(typeName(value)).toBe(expected)
  })
})

test('the error of unreachable() names the type of the value without showing it', () => {
  expect(() => unreachable('topsecret' as never)).toThrow(new TypeError('unreachable: a string'))
})
