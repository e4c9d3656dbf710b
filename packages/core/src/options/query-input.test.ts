import { describe, expect, test } from 'vitest'
import { describeQueryInput, type QueryInput, readQueryInput } from './query-input.ts'

describe('readQueryInput', () => {
  const pairs = [
    ['b', '2'],
    ['a', '1'],
    ['b', ''],
  ] as const

  test.each<[string, QueryInput]>([
    ['pairs', pairs],
    ['a URLSearchParams', new URLSearchParams('b=2&a=1&b=')],
    ['a Map of one value each', new Map([['b', '2']])],
  ])('takes %s, in their order', (name, query) => {
    expect(readQueryInput(query)).toEqual(name.startsWith('a Map') ? [['b', '2']] : pairs)
  })

  test('accepts a record, with arrays and with omitted values', () => {
    const record = {
      b: ['2', ''],
      none: [],
      a: '1',
      out: undefined,
      gone: null,
      forEach: 'x',
      ['__proto__']: 'y',
    }
    expect(readQueryInput(record)).toEqual([
      ['b', '2'],
      ['b', ''],
      ['a', '1'],
      ['forEach', 'x'],
      ['__proto__', 'y'],
    ])
  })

  test('takes an empty one', () => {
    expect([readQueryInput([]), readQueryInput({})]).toEqual([[], []])
  })

  test.each<[unknown]>([
    ['a=1'],
    [5],
    [null],
    [undefined],
    [[['a']]],
    [[['a', '1', '2']]],
    [[['a', 5]]],
    [[[5, 'a']]],
    [['ab']],
    [[undefined]],
    [new Array(1)],
    [{ a: 5 }],
    [{ a: ['1', 2] }],
    [{ a: { b: '1' } }],
    [new Map([['a', 5]])],
    [new Date(0)],
    [Promise.resolve({ a: '1' })],
    [new Error('a')],
    [/a/],
  ])('%j is not a query', (query) => {
    expect(readQueryInput(query as QueryInput)).toBeUndefined()
  })
})

describe('describeQueryInput', () => {
  test.each<[unknown, string]>([
    ['a=hunter2', 'a string'],
    [undefined, 'undefined'],
    [new Date(0), 'an object'],
    [[['a']], 'an array'],
    [['ab'], 'a string'],
    [[['a', Number.NaN]], 'NaN as a value'],
    [{ limit: 5 }, 'a number as a value'],
    [[[5, 'a']], 'a number as a name'],
  ])('%j is %s', (query, described) => {
    expect(describeQueryInput(query)).toBe(described)
  })
})
