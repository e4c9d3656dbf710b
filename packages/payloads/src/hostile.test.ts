/**
 * Hostile payloads: each results in an error or a value in limited time. In the full run they have a
 * megabyte, so that any work that is not linear exceeds the time limit of a test. In the short run they have
 * a twentieth of that.
 */
import { afterEach, describe, expect, inject, test } from 'vitest'
import { createPayloads, type Payloads, payloads } from './payloads.ts'
import { moduleFrame, tradeFrame } from './test/fixtures.ts'

const modes: [string, Payloads][] = [
  ['lenient', payloads],
  ['strict', createPayloads({ mode: 'strict' })],
]
const order = tradeFrame('order FILLED').payload
/** Returns a length for the current run: a twentieth in the short run. */
const sized = (full: number): number => (inject('isFullRun') ? full : full / 20)
const repeat = (times: number, unit: string): string => unit.repeat(sized(times))
const withField = (member: string): string => order.replace('{', `{${member},`)

const HOSTILE: readonly [string, string][] = [
  ['very many opening brackets', repeat(1_000_000, '[')],
  ['very many levels', `${repeat(500_000, '[')}${repeat(500_000, ']')}`],
  ['deep objects', `${repeat(100_000, '{"a":')}1${repeat(100_000, '}')}`],
  ['deep nesting in an unknown field', withField(`"x":${repeat(100_000, '[')}${repeat(100_000, ']')}`)],
  ['very many digits', withField(`"x":${repeat(1_000_000, '9')}`)],
  ['very many digits for a decimal', order.replace('"411.0000000000"', repeat(1_000_000, '9'))],
  ['very many digits as text', order.replace('"411.0000000000"', `"${repeat(1_000_000, '9')}"`)],
  [
    'very many digits for a fill time',
    order.replace(/"2026[^"]*"/, `"2026-01-01T00:00:00.${repeat(1_000_000, '9')}"`),
  ],
  ['a huge exponent', order.replace('"411.0000000000"', '1e999999999')],
  ['a huge exponent as text', order.replace('"411.0000000000"', '"1E+999999999"')],
  [
    'very many keys',
    withField(Array.from({ length: sized(60_000) }, (_, index) => `"k${index}":1`).join(',')),
  ],
  [
    'very many keys with spaces',
    withField(Array.from({ length: sized(60_000) }, (_, index) => `"k${index} ":1`).join(',')),
  ],
  ['the same key very many times', withField(Array.from({ length: sized(50_000) }, () => '"x":1').join(','))],
  ['very many numbers for fees', order.replace(/"fees":\[.*\]/, `"fees":[${repeat(100_000, '1,')}1]`)],
  [
    'very many fees with numbers',
    order.replace(
      /"fees":\[.*\]/,
      `"fees":[${repeat(10_000, '{"type":"a","actual_value":1.50,"receivable_value":2},')}{"type":"a","actual_value":1,"receivable_value":2}]`,
    ),
  ],
  ['a prototype in place of the object', withField('"__proto__":{"toString":1,"polluted":1}')],
  ['a constructor', withField('"constructor":{"prototype":{"polluted":1}}')],
  ['lone surrogates', withField('"\\udc00":"\\ud800"').replace('"BUY"', '"\\udfff"')],
  ['control characters', withField('"\\u0000\\u001b[2J":"\\u0007"')],
  ['numbers beyond 2^53', withField('"x":9007199254740993,"y":-1e-400,"z":1e400')],
  [
    'very many numbers out of range, each in an object',
    withField(
      Array.from({ length: sized(30_000) }, (_, index) => `"k${index}":{"n":1e999,"m":[1.5]}`).join(','),
    ),
  ],
  [
    'very many fees with an unknown number',
    order.replace(
      /"fees":\[.*\]/,
      `"fees":[${repeat(10_000, '{"type":"a","actual_value":"1","receivable_value":"2","later":1},')}{"type":"a","actual_value":"1","receivable_value":"2","later":9007199254740993}]`,
    ),
  ],
  ['zeros around a one', withField(`"x":0.${repeat(400_000, '0')}1${repeat(400_000, '0')}`)],
  ['a scene that is an object', order.replace('"FILLED"', '{"toString":null,"valueOf":null}')],
  ['very many backslashes', withField(`"x":"${repeat(250_000, '\\\\')}"`)],
  ['nothing', ''],
  ['a byte order mark', `\ufeff${order}`],
]

describe.each(modes)('%s', (_, decoders) => {
  test.each(HOSTILE)('%s', (_name, payload) => {
    const frame = { ...tradeFrame('order FILLED'), payload }
    const module = { ...moduleFrame('SOD '), payload }
    const envelope = { ...module, eventType: 'TRADE', payload: `{"payload":${payload}}` }
    for (const result of [
      decoders.order(frame),
      decoders.position(frame),
      decoders.unknown(frame),
      decoders.module(module),
      decoders.module(envelope),
    ]) {
      if (!result.ok) expect(JSON.stringify(result.error).length).toBeLessThan(50_000)
      else expect(result.value).toBeTypeOf('object')
    }
  })
})

describe('hostile payloads', () => {
  const before = Object.getOwnPropertyNames(Object.prototype).sort()
  afterEach(() => {
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before)
  })

  test('do not change any prototype', () => {
    for (const [, payload] of HOSTILE) payloads.order({ ...tradeFrame('order FILLED'), payload })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

test('the source of numbers in a long array is found in linear time', () => {
  const fees = Array.from(
    { length: sized(15_000) },
    () => '{"type":"a","actual_value":0.1,"receivable_value":2.50}',
  )
  const payload = order.replace(/"fees":\[.*\]/, `"fees":[${fees.join(',')}]`)
  const result = payloads.order({ ...tradeFrame('order FILLED'), payload })
  expect(result.ok && result.value.fees?.at(-1)).toMatchObject({
    actualValue: '0.1',
    receivableValue: '2.50',
  })
})
