import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSourceNumbers, type SourceNode, sourceAt } from './source-numbers.ts'

/** Returns every number of a JSON value, with its path. */
function numbersIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): [readonly (string | number)[], number][] {
  if (typeof value === 'number') return [[path, value]]
  if (Array.isArray(value)) return value.flatMap((item, index) => numbersIn(item, [...path, index]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => numbersIn(item, [...path, key]))
}

const at = (text: string, ...path: (string | number)[]): SourceNode =>
  sourceAt(parseSourceNumbers(text), path)

describe('parseSourceNumbers', () => {
  test('finds every number of any JSON with any white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        const source = parseSourceNumbers(text)
        for (const [path, number] of numbersIn(JSON.parse(text))) {
          expect(Number(sourceAt(source, path))).toBe(number)
        }
      }),
    )
  })

  test('keeps the digits that a float loses', () => {
    expect(at('{"a":[1,{"b":12.500000000000000001}]}', 'a', 1, 'b')).toBe('12.500000000000000001')
    expect(at(' -0.10E+0 ')).toBe('-0.10E+0')
    expect(at('9007199254740993')).toBe('9007199254740993')
  })

  test('reads escaped keys, and strings that look like JSON', () => {
    expect(at('{"a\\"b\\u0041":1,"c":"{\\"d\\":2}","e":3}', 'a"bA')).toBe('1')
    expect(at('{"c":"\\\\","e":3}', 'e')).toBe('3')
    expect(at('{"__proto__":4}', '__proto__')).toBe('4')
  })

  test('uses the last value of a duplicate key, as JSON.parse does', () => {
    const text = '{"a":{"b":1,"b":2}}'
    expect(at(text, 'a', 'b')).toBe('2')
    expect(parseSourceNumbers(text).duplicates).toEqual([['a', 'b']])
  })

  test.each(['nothing', 'a', 0])('there is no number at %s', (step) => {
    expect(at('{"a":"1","b":[true,null]}', step)).toBeUndefined()
  })

  test('skips values that are nested too deeply', () => {
    const deep = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`
    expect(at(`{"deep":${deep},"a":1.50}`, 'a')).toBe('1.50')
  })

  test('takes linear time for a megabyte of backslashes and quotes', () => {
    expect(at(`{"s":"${'\\\\'.repeat(250_000)}${'\\"'.repeat(250_000)}","n":7}`, 'n')).toBe('7')
  })
})
