/** JSON bodies: a value is serialized exactly, or rejected with its path. */
import { Secret } from '@brokerwire/core'
import { utf8Encode } from '@brokerwire/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isHttpError } from './index.ts'
import { serializeJson } from './json.ts'
import { rejection } from './test/fixtures.ts'
import { setUp } from './test/set-up.ts'

class Order {
  readonly #key = 'hidden'
  readonly side = 'BUY'
  get key(): string {
    return this.#key
  }
}

const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((value) => ({ a: value }), 1)

describe('JSON that is sent', () => {
  test('it is the result of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
        // Integers beyond 2^53 are rejected.
        fc.pre(!/(?<![.\d])\d{16,}(?![.\d])|e\+/.test(JSON.stringify(value)))
        expect(serializeJson(value, [])).toBe(JSON.stringify(value))
      }),
    )
  })

  const shared = { a: 1 }
  test.each<[string, unknown, string]>([
    ['the largest integers', [2 ** 53 - 1, 1 - 2 ** 53], '[9007199254740991,-9007199254740991]'],
    ['fractions', [0.1, -1.5e-7], '[0.1,-1.5e-7]'],
    ['undefined properties are left out', { a: undefined, b: 1 }, '{"b":1}'],
    ['a date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a URL', { url: new URL('https://h.example/') }, '{"url":"https://h.example/"}'],
    ['toJSON with its key', [{ toJSON: (key: string) => `at ${key}` }], '["at 0"]'],
    ['toJSON that leaves a property out', { a: { toJSON: () => undefined } }, '{}'],
    ['a bigint with a toJSON', Object.assign(Object(5n), { toJSON: () => '5' }), '"5"'],
    ['an instance of a class', new Order(), '{"side":"BUY"}'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['a property __proto__', JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ['an object twice', [shared, shared], '[{"a":1},{"a":1}]'],
    ['100 levels', nested(100), `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`],
    ['null', null, 'null'],
  ])('%s', (_, value, text) => {
    expect(serializeJson(value, [])).toBe(text)
  })

  test.runIf('rawJSON' in JSON)('a raw number keeps all its digits', () => {
    const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }
    expect(serializeJson({ id: rawJSON('8389765929445198309') }, [])).toBe('{"id":8389765929445198309}')
  })

  test('each property is read once, so the checked value is sent', () => {
    let reads = 0
    const changing = {
      get price() {
        reads += 1
        return reads === 1 ? 5 : Number.NaN
      },
    }
    expect(serializeJson(changing, [])).toBe('{"price":5}')
  })

  test('secrets are reported, including those of toJSON', () => {
    const secrets: string[] = []
    const json = { a: new Secret('one'), b: [{ toJSON: () => new Secret('two') }] }
    expect(serializeJson(json, secrets)).toBe('{"a":"one","b":["two"]}')
    expect(secrets).toEqual(['one', 'two'])
  })
})

const VALUE = 'must be a value that JSON can hold; received'
const INTEGER = 'must be an integer from -(2^53 - 1) to 2^53 - 1; received'
const orders: { parent: unknown }[] = [{ parent: undefined }]
orders[0] = { parent: { orders } }

async function refusal(json: unknown): Promise<string> {
  const { service, client } = await setUp()
  const error = await rejection(client.request({ method: 'POST', path: '/x', json }))
  if (!isHttpError(error, 'HTTP_OPTION_INVALID')) throw error
  expect(JSON.stringify(error)).not.toContain('hunter2')
  expect(await service.received()).toEqual([])
  return error.message
}

describe('JSON that is rejected', () => {
  const table: readonly (readonly [json: unknown, message: string])[] = [
    [{ limit_price: Number.NaN }, 'json.limit_price must be a finite number; received NaN'],
    [{ a: { b: [0, 1 / 0] } }, 'json.a.b[1] must be a finite number; received Infinity'],
    [Number.NEGATIVE_INFINITY, 'json must be a finite number; received -Infinity'],
    [
      { order_id: Number('8389765929445198309') },
      `json.order_id ${INTEGER} 8389765929445198000. Larger integers have lost digits: send a string, or JSON text in "body"`,
    ],
    [
      [-(2 ** 53)],
      `json[0] ${INTEGER} -9007199254740992. Larger integers have lost digits: send a string, or JSON text in "body"`,
    ],
    [{ until: new Date(Number.NaN) }, 'json.until must be a valid date; received an invalid Date'],
    [{ run: () => 1 }, `json.run ${VALUE} a function`],
    [{ id: Symbol('s') }, `json.id ${VALUE} a symbol`],
    [{ id: 5n }, `json.id ${VALUE} a bigint`],
    [{ legs: new Map([['a', 1]]) }, `json.legs ${VALUE} an object of class Map`],
    [{ legs: new Set([1]) }, `json.legs ${VALUE} an object of class Set`],
    [{ legs: [1, undefined] }, `json.legs[1] ${VALUE} undefined`],
    [new Array(1), `json[0] ${VALUE} undefined`],
    [{ toJSON: () => undefined }, `json ${VALUE} undefined`],
    [{ price: { toJSON: () => Number.NaN } }, 'json.price must be a finite number; received NaN'],
    [{ bytes: utf8Encode('x') }, `json.bytes ${VALUE} bytes`],
    [{ bytes: new ArrayBuffer(1) }, `json.bytes ${VALUE} an object of class ArrayBuffer`],
    [{ late: Promise.resolve(1) }, `json.late ${VALUE} an object of class Promise`],
    [{ pattern: /x/ }, `json.pattern ${VALUE} an object of class RegExp`],
    [{ error: new Error('hunter2') }, `json.error ${VALUE} an object of class Error`],
    [{ price: Object(Number.NaN) }, `json.price ${VALUE} an object of class Number`],
    [{ list: { [Symbol.iterator]: () => [].values() } }, `json.list ${VALUE} an object of class Object`],
    [{ orders }, `json.orders[0].parent.orders ${VALUE} an object that contains itself`],
    [nested(101), 'json must be at most 100 levels deep; received more levels'],
    [{ 'a hunter2': Number.NaN }, 'json.? must be a finite number; received NaN'],
  ]
  test.each(table.map(([json, message]) => ({ message, json })))('$message', async ({ json, message }) => {
    expect(await refusal(json)).toBe(message)
  })

  test.each([
    ['a getter', { a: Object.defineProperty({}, 'b', { enumerable: true, get: fail }) }],
    ['toJSON', { a: { toJSON: fail } }],
  ])('the error of a %s that throws is not quoted', async (_, json) => {
    expect(await refusal(json)).toBe(`json ${VALUE} a value that cannot be read`)
  })
})

function fail(): never {
  throw new Error('hunter2')
}
