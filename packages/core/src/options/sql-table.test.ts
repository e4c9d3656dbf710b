import { describe, expect, test } from 'vitest'
import { coreOptionFailure } from '../core-error.ts'
import { quoteTable, sqlTable } from './sql-table.ts'

const read = (value: unknown, maxLength?: number) =>
  sqlTable({ default: 'store', ...(maxLength === undefined ? {} : { maxLength }) })(
    value,
    'table',
    coreOptionFailure('OPTION_INVALID'),
  )

describe("a table's name", () => {
  test.each(['user', 'app.store', '_a1', 'a'.repeat(63), `${'s'.repeat(63)}.${'t'.repeat(63)}`])(
    'accepts %s',
    (name) => {
      expect(read(name)).toBe(name)
    },
  )

  test.each(['', 'User', '1a', 'a-b', 'a"b', 'a.b.c', '.a', 'a.', 'a'.repeat(64), 'a;b', 'a b'])(
    'rejects %j',
    (name) => {
      expect(() => read(name)).toThrow(/table/)
    },
  )

  test('has a default, and a maximum length without its schema', () => {
    expect(read(undefined)).toBe('store')
    expect(read('abc', 3)).toBe('abc')
    expect(read('schema.abc', 3)).toBe('schema.abc')
    expect(() => read('abcd', 3)).toThrow(/table/)
  })

  test('is quoted in its parts', () => {
    expect(quoteTable('user')).toBe('"user"')
    expect(quoteTable('app.store')).toBe('"app"."store"')
  })
})
