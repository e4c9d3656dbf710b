import { describe, expect, test } from 'vitest'
import { decodeJson } from '../decode.ts'
import type { Decoder } from '../decoder.ts'
import { isPayloadsError } from '../payloads-error.ts'
import { array } from './array.ts'
import { booleanLike } from './boolean-like.ts'
import { decimal } from './decimal.ts'
import { instant } from './instant.ts'
import { integerLike } from './integer-like.ts'
import { json } from './json.ts'
import { literal } from './literal.ts'
import { absent, object, optional, required } from './object.ts'
import { openEnum } from './open-enum.ts'
import { string } from './string.ts'
import { variant } from './variant.ts'

function decoded<T>(decoder: Decoder<T>, source: string): unknown {
  const result = decodeJson(decoder, source)
  return result.ok ? result.value : undefined
}

/** Returns code and path of each problem. */
function problems(decoder: Decoder<unknown>, source: string): string[] {
  const result = decodeJson(decoder, source)
  if (result.ok || !isPayloadsError(result.error, 'PAYLOAD_INVALID')) return []
  return result.error.details.problems.map(({ code, path }) => [code, ...path].join(' '))
}

/** Returns code and path of each issue in strict mode. */
function drifts(decoder: Decoder<unknown>, source: string): string[] {
  const result = decodeJson(decoder, source, { mode: 'strict' })
  return result.ok ? result.issues.map(({ code, path }) => [code, ...path].join(' ')) : ['no value']
}

describe('string', () => {
  test.each([
    ['"a"', 'a'],
    ['""', ''],
    ['12', '12'],
    ['9007199254740993', '9007199254740993'],
    ['1.0', '1.0'],
    ['"\\ud800"', '\ud800'],
  ])('%s is %j', (source, value) => {
    expect(decoded(string, source)).toBe(value)
  })

  test.each(['true', 'null', '{}', '[]'])('rejects %s', (source) => {
    expect(problems(string, source)).toEqual(['wrong-type'])
  })

  test('reports a number as drift', () => {
    expect(drifts(string, '12')).toEqual(['unexpected-type'])
  })
})

describe('decimal', () => {
  test.each([
    ['"0E-10"', '0E-10'],
    ['12.500000000000000001', '12.500000000000000001'],
    ['-0.10', '-0.10'],
    ['1e3', '1e3'],
  ])('%s is %s', (source, value) => {
    expect(decoded(decimal, source)).toBe(value)
  })

  test.each([
    ['""', 'wrong-format'],
    ['"1,5"', 'wrong-format'],
    ['"1E+999999999"', 'wrong-format'],
    ['1e400000', 'wrong-format'],
    ['"NaN"', 'wrong-format'],
    ['null', 'wrong-type'],
  ])('rejects %s with %s', (source, code) => {
    expect(problems(decimal, source)).toEqual([code])
  })

  test('accepts a whole number and rejects a float if there is no source text', () => {
    expect(decimal['~standard'].validate(12)).toEqual({ value: '12' })
    expect(decimal['~standard'].validate(0.1).issues).toHaveLength(1)
    expect(decimal['~standard'].validate(2 ** 53).issues).toHaveLength(1)
  })
})

test('instant accepts ISO 8601 with an offset, and rejects impossible dates', () => {
  expect(decoded(instant, '"2026-05-01T13:53:58.569-0500"')).toBe('2026-05-01T13:53:58.569-0500')
  expect(problems(instant, '"2026-02-30T00:00:00Z"')).toEqual(['wrong-format'])
  expect(problems(instant, '1764157239726')).toEqual(['wrong-format'])
})

describe('integerLike', () => {
  test.each([
    ['2026', 2026],
    ['"2026"', 2026],
    ['-1', -1],
    ['"7"', 7],
  ])('%s is %d', (source, value) => {
    expect(decoded(integerLike, source)).toBe(value)
  })

  test.each(['1.5', '"1.5"', '"007"', '9007199254740993', '"9007199254740993"', '""', '"x"', 'true', 'null'])(
    'rejects %s',
    (source) => {
      expect(decoded(integerLike, source)).toBeUndefined()
    },
  )
})

describe('booleanLike', () => {
  test.each([
    ['true', true],
    ['"false"', false],
    ['"TRUE"', true],
  ])('%s is %s', (source, value) => {
    expect(decoded(booleanLike, source)).toBe(value)
  })

  test.each(['1', '"yes"', '""', 'null', '"true "'])('rejects %s', (source) => {
    expect(decoded(booleanLike, source)).toBeUndefined()
  })
})

test('openEnum keeps unknown values, and reports them in strict mode', () => {
  const side = openEnum('BUY')
  expect(decoded(side, '"SELL"')).toBe('SELL')
  expect(drifts(side, '"SELL"')).toEqual(['unknown-value'])
  expect(drifts(side, '"BUY"')).toEqual([])
  expect(problems(side, '{}')).toEqual(['wrong-type'])
})

test('literal rejects any other value', () => {
  expect(decoded(literal('A', 'B'), '"B"')).toBe('B')
  expect(problems(literal('A', 'B'), '"C"')).toEqual(['wrong-format'])
})

test('array reports every invalid item', () => {
  expect(decoded(array(decimal), '["1",2.50]')).toEqual(['1', '2.50'])
  expect(problems(array(decimal), '["1","x",{}]')).toEqual(['wrong-format 1', 'wrong-type 2'])
  expect(problems(array(decimal), '{}')).toEqual(['wrong-type'])
})

describe('json', () => {
  test('accepts up to 256 levels of nesting', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
    expect(decoded(json, nested(257))).toBeDefined()
    expect(problems(json, nested(258))).toEqual(['too-deep'])
    expect(problems(json, nested(200_000))).toEqual(['too-deep'])
  })
})

describe('object', () => {
  const order = object({
    accountId: string,
    qty: decimal,
    note: optional(string),
    filledAt: optional(instant, 'filled_time', 'filledTime'),
    kind: required(string, 'type'),
    gone: absent,
  })

  test('renames fields, and keeps unknown fields in extra under their wire names', () => {
    const source = '{"account_id":"A","qty":"1","type":"T","accountId":"other","n":[1]}'
    expect(decoded(order, source)).toEqual({
      accountId: 'A',
      qty: '1',
      kind: 'T',
      extra: { accountId: 'other', n: [1] },
    })
    expect(drifts(order, source)).toEqual(['unknown-field accountId', 'unknown-field n'])
  })

  test('reports several problems at once, with their paths', () => {
    expect(problems(order, '{"qty":"x","type":5,"note":{}}')).toEqual([
      'missing account_id',
      'wrong-format qty',
    ])
    expect(problems(order, '[]')).toEqual(['wrong-type'])
  })

  test('omits an absent or null optional field, and reports null as drift', () => {
    const source = '{"account_id":"A","qty":"1","type":"T","note":null}'
    expect(decoded(order, source)).toEqual({ accountId: 'A', qty: '1', kind: 'T', extra: {} })
    expect(drifts(order, source)).toEqual(['null-for-absent note'])
  })

  test('rejects null as the value of a required field', () => {
    expect(problems(order, '{"account_id":null,"qty":"1","type":"T"}')).toEqual(['wrong-type account_id'])
  })

  test('keeps an invalid optional field in extra with an issue, and in strict mode reports a problem', () => {
    const source = '{"account_id":"A","qty":"1","type":"T","filled_time":"soon"}'
    const result = decodeJson(order, source)
    expect(result).toMatchObject({ ok: true, value: { extra: { filled_time: 'soon' } } })
    expect(result.ok && result.issues).toMatchObject([{ code: 'wrong-format', path: ['filled_time'] }])
    expect(decodeJson(order, source, { mode: 'strict' }).ok).toBe(false)
  })

  test('accepts a key with spaces around it and a second spelling, and reports them as drift', () => {
    const source = '{"account_id ":"A"," qty":"1","type":"T","filledTime":"2026-01-01T00:00:00Z"}'
    expect(decoded(order, source)).toMatchObject({ accountId: 'A', qty: '1', extra: {} })
    expect(drifts(order, source)).toEqual([
      'unexpected-key account_id ',
      'unexpected-key  qty',
      'unexpected-key filledTime',
    ])
  })

  test('prefers the exact key to one with spaces, which stays in extra', () => {
    const source = '{"account_id ":"B","account_id":"A","qty":"1","type":"T"}'
    expect(decoded(order, source)).toMatchObject({ accountId: 'A', extra: { 'account_id ': 'B' } })
  })

  test('reads a key that two fields share for both, and keeps the other keys in extra', () => {
    const shared = object({ one: required(string, 'first', 'second'), other: required(string, 'second') })
    const result = decodeJson(shared, '{"second":"a","third":"b"}')
    expect(result).toMatchObject({ ok: true, value: { one: 'a', other: 'a', extra: { third: 'b' } } })
    const alone = decodeJson(shared, '{"second":"a"}')
    expect(alone).toMatchObject({ ok: true, value: { one: 'a', other: 'a' } })
  })

  test('finds the source of a number under a key with spaces', () => {
    expect(decoded(order, '{"account_id":"A","qty ":0.30000000000000000001,"type":"T"}')).toMatchObject({
      qty: '0.30000000000000000001',
    })
  })

  test('keeps the value of an absent field in extra', () => {
    expect(decoded(order, '{"account_id":"A","qty":"1","type":"T","gone":"x"}')).toMatchObject({
      extra: { gone: 'x' },
    })
  })

  test('treats __proto__ as a usual key', () => {
    const value = decoded(order, '{"account_id":"A","qty":"1","type":"T","__proto__":{"polluted":true}}') as {
      extra: Record<string, unknown>
    }
    expect(Object.keys(value.extra)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value.extra)).toBeNull()
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('ignores inherited properties', () => {
    expect(problems(object({ toString: string }), '{}')).toEqual(['missing to_string'])
    expect(problems(object({ own: required(string, 'constructor') }), '{}')).toEqual(['missing constructor'])
  })
})

describe('variant', () => {
  const circle = object({ kind: literal('CIRCLE'), radius: decimal })
  const square = object({ kind: literal('SQUARE'), side: decimal })
  const other = object({ kind: string })

  test('chooses by one field', () => {
    const shape = variant('kind', { CIRCLE: circle, SQUARE: square })
    expect(decoded(shape, '{"kind":"SQUARE","side":2}')).toMatchObject({ side: '2' })
    expect(problems(shape, '{"kind":"CIRCLE","side":2}')).toEqual(['missing radius'])
    expect(problems(shape, '{"kind":"STAR"}')).toEqual(['wrong-format'])
    expect(problems(shape, '5')).toEqual(['wrong-type'])
  })

  test('chooses by several fields', () => {
    const shape = variant(['area', 'kind'], { 'PLANE/CIRCLE': circle }, other)
    expect(decoded(shape, '{"area":"PLANE","kind":"CIRCLE","radius":"1"}')).toMatchObject({ radius: '1' })
    expect(decoded(shape, '{"area":"SPACE","kind":"CIRCLE"}')).toMatchObject({ kind: 'CIRCLE' })
  })

  test('finds the field under a key with spaces', () => {
    expect(
      decoded(variant('kind', { CIRCLE: circle }, other), '{"kind ":"CIRCLE","radius":"1"}'),
    ).toMatchObject({
      radius: '1',
    })
  })

  test.each(['__proto__', 'constructor', 'toString'])('%s names no case', (kind) => {
    expect(problems(variant('kind', { CIRCLE: circle }), JSON.stringify({ kind }))).toEqual(['wrong-format'])
  })

  test('rejects a tag that is an object', () => {
    expect(problems(variant('kind', { CIRCLE: circle }), '{"kind":{"toString":1}}')).toEqual(['wrong-format'])
  })
})
