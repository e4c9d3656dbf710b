import { describe, expect, test } from 'vitest'
import { JsonLineError, readJsonWithLines } from './json-with-lines.ts'

describe('JSON with lines', () => {
  test.each(['{"a":[1,-2.5e3,true,null,"\\u00e9\\n"],"b":{}}', '[]', '"x"', ' 7 ', '{"__proto__":1}'])(
    'is what JSON.parse makes of %s',
    (text) => {
      expect(readJsonWithLines(text).value).toEqual(JSON.parse(text))
    },
  )

  test.each(['{', '[1,]', '01', '+1', '"a', '"\n"', 'nul', '1 2', "{'a':1}", '[1}', '"\\x"'])(
    'refuses %s',
    (text) => {
      expect(() => JSON.parse(text)).toThrow()
      expect(() => readJsonWithLines(text)).toThrow('expected')
    },
  )

  test('returns the position of each value, or of the nearest value around a missing one', () => {
    const json = readJsonWithLines('{\n "keys": [\n  {\n   "name": 1\n  }\n ]\n}')
    expect(
      ['', 'keys', 'keys[0]', 'keys[0].name', 'keys[0].none', 'keys[7].name', 'none'].map(
        (path) => json.positionOf(path).line,
      ),
    ).toEqual([1, 2, 3, 4, 3, 2, 1])
    expect(json.positionOf('keys[0].name')).toEqual({ line: 4, column: 12 })
  })

  test('returns the position of the name of a value, also if the name has a dot', () => {
    const json = readJsonWithLines('{\n "a.b": { "c": [ 7 ] },\n "a": 1\n}')
    expect(json.namePositionOf('a.b.c')).toEqual({ line: 2, column: 11 })
    expect(json.positionOf('a.b.c[0]')).toEqual({ line: 2, column: 18 })
    expect(json.namePositionOf('a')).toEqual({ line: 3, column: 2 })
    expect(json.positionOf('ab')).toEqual({ line: 1, column: 1 })
  })

  test('refuses deep nesting, in few steps', () => {
    for (const text of ['['.repeat(100_000), '{"a":'.repeat(100_000)])
      expect(() => readJsonWithLines(text)).toThrow(/^expected at most 100 levels/)
    expect(readJsonWithLines(`${'['.repeat(100)}${']'.repeat(100)}`).value).toBeDefined()
  })

  test('reads long strings, long names and many names', () => {
    const long = '\\n'.repeat(500_000)
    expect(readJsonWithLines(`"${long}"`).value).toHaveLength(long.length / 2)
    expect(() => readJsonWithLines(`"${long}`)).toThrow('expected a closing quote, got the end')
    // If positions were stored by their whole path, they would take a gigabyte here.
    const many = Array.from({ length: 20_000 }, (_, at) => `"n${at}":0`).join()
    const json = readJsonWithLines(`{"${'x'.repeat(50_000)}":{${many}}}`)
    expect(json.positionOf(`${'x'.repeat(50_000)}.n19999`).line).toBe(1)
  })

  test('an error has the line', () => {
    const read = (): unknown => readJsonWithLines('{\n "a": 1,\n "b" 2\n}')
    expect(read).toThrow(JsonLineError)
    expect(read).toThrow(expect.objectContaining({ line: 3, column: 6, message: 'expected \':\', got "2"' }))
  })
})
