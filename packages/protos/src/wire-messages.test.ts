import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import data from '../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import { ModuleSubscribeResponseSchema, TradeSubscribeResponseSchema } from './index.ts'
import { fromHex, toHex } from './test/hex.ts'

/** The fields of a decoded message in the format of the test data: 64-bit numbers as strings, no unknown fields. */
function fields(message: object): object {
  return Object.fromEntries(
    Object.entries(message)
      .filter(([name]) => !name.startsWith('$'))
      .map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  )
}

describe('messages of another protobuf runtime', () => {
  const cases = data.messages.map(({ service, name, hex, message }) => [service, name, hex, message] as const)

  test('are all there', () => {
    expect(cases.length).toBeGreaterThanOrEqual(49)
  })

  test.each(cases)('%s: %s', (service, _name, hex, message) => {
    const schema = service === 'trade' ? TradeSubscribeResponseSchema : ModuleSubscribeResponseSchema
    const decoded = fromBinary(schema, fromHex(hex))
    expect(fields(decoded)).toEqual(message)
    expect(toHex(toBinary(schema, decoded))).toBe(hex)
  })
})

describe('decoding', () => {
  test('keeps an unknown field in a round trip', () => {
    const hex = data.messages.find(({ name }) => name === 'unknown proto field')?.hex ?? ''
    const decoded = fromBinary(ModuleSubscribeResponseSchema, fromHex(hex))
    expect(decoded.$unknown?.length).toBeGreaterThan(0)
    expect(toHex(toBinary(ModuleSubscribeResponseSchema, decoded))).toBe(hex)
  })

  test.each([1024, 1028, 1032, 65_535, 2_147_483_647])('event code %d is kept as its number', (code) => {
    const bytes = toBinary(TradeSubscribeResponseSchema, {
      ...fromBinary(TradeSubscribeResponseSchema, new Uint8Array()),
      eventType: code,
    })
    expect(fromBinary(TradeSubscribeResponseSchema, bytes).eventType).toBe(code)
  })

  test('keeps an unknown message type of the module service as a number', () => {
    // Field 1, varint 77: a kind that is in no published enum.
    const bytes = Uint8Array.of(0x08, 77)
    const decoded = fromBinary(ModuleSubscribeResponseSchema, bytes)
    expect(decoded.type).toBe(77)
    expect(toBinary(ModuleSubscribeResponseSchema, decoded)).toEqual(bytes)
  })
})

describe('invalid messages', () => {
  test.each([
    ['a cut length', '3a'],
    ['a length beyond the end', '3a05'],
    ['an endless varint', 'ffffffffffffffffffffff'],
    ['field number 0', '0000'],
  ])('%s is an error', (_, hex) => {
    expect(() => fromBinary(ModuleSubscribeResponseSchema, fromHex(hex))).toThrow()
  })
})
