import {
  ModuleSubscribeRequestSchema,
  ModuleSubscribeResponseSchema,
  moduleEventFile,
  TradeSubscribeResponseSchema,
  tradeEventFile,
} from '@brokerwire/protos'
import { clone, type DescMessage, equals, fromBinary, toBinary } from '@bufbuild/protobuf'
import * as fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import data from '../../../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import { assertParity } from '../../test/decoder-parity.ts'
import { wireBytes } from '../../test/wire-bytes.ts'
import type { MessageDecoder } from './generated-decoders.ts'
import { generatedDecoders } from './generated-decoders.ts'

const schemas: readonly DescMessage[] = [...tradeEventFile.messages, ...moduleEventFile.messages]
const cases = schemas.map((schema) => [schema.typeName, schema] as const)

function decoderOf(schema: DescMessage): MessageDecoder {
  const decoder = generatedDecoders.get(schema.typeName)
  if (decoder === undefined) throw new Error(`no decoder for ${schema.typeName}`)
  return decoder
}

/** Parses hex with spaces. */
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

test('each message of both services has a decoder', () => {
  expect([...generatedDecoders.keys()].sort()).toEqual(schemas.map(({ typeName }) => typeName).sort())
})

describe('a decoder has the same result as protobuf-es', () => {
  test.each(cases)('%s, for any bytes', (_, schema) => {
    const surroundings = fc.uint8Array({ maxLength: 9 })
    const counts = { accepted: 0, rejected: 0 }
    const numRuns = inject('isFullRun') ? 3000 : 300
    fc.assert(
      fc.property(wireBytes(schema.fields.length), surroundings, surroundings, (bytes, before, after) => {
        counts[assertParity(schema, decoderOf(schema), bytes, before, after) ? 'accepted' : 'rejected'] += 1
      }),
      { numRuns },
    )
    expect(Math.min(counts.accepted, counts.rejected)).toBeGreaterThan(numRuns / 20)
  })
})

describe('a decoder reads messages of another protobuf runtime', () => {
  test.each(data.messages.map(({ service, name, hex: text }) => [service, name, text] as const))(
    '%s: %s',
    (service, _, text) => {
      const schema = service === 'trade' ? TradeSubscribeResponseSchema : ModuleSubscribeResponseSchema
      expect(assertParity(schema, decoderOf(schema), hex(text))).toBe(true)
    },
  )
})

describe('a decoder treats these bytes as protobuf-es does', () => {
  // The trade response: 1 enum, 2 uint32, 3, 4 and 5 string, 6 int64.
  test.each([
    ['no bytes', '', true],
    ['the last of two values wins', '10 01 10 02', true],
    ['an unknown enum number', '08 8808', true],
    ['a negative enum number', '08 ffffffffffffffffff01', true],
    ['a varint of 10 bytes in 32 bits', '10 ffffffffffffffffff7f', true],
    ['a varint of 11 bytes', '10 8080808080808080808000', false],
    ['an int64 of 10 bytes', '30 ffffffffffffffffff01', true],
    ['an int64 of 11 bytes', '30 8080808080808080808000', false],
    ['an unknown varint of 12 bytes', '78 808080808080808080808000', true],
    ['a varint that is cut off', '10 80', false],
    ['an unknown varint that is cut off', '78 80', false],
    ['a tag that is cut off', '80', false],
    ['a tag in more bytes than it needs', '90 00 01', true],
    ['a tag in five bytes', '90 80 80 80 00 01', true],
    ['a tag of 33 bits', '90 80 80 80 10 01', false],
    ['a tag in six bytes', '90 80 80 80 80 00 01', false],
    ['field number 0', '00 01', false],
    ['the highest field number', 'f8 ff ff ff 0f 01', true],
    ['wire type 6', '16 01', false],
    ['wire type 7 of an unknown field', '7f 01', false],
    ['a string instead of a number, whose length is read as the number', '12 01 10 02', true],
    ['a number instead of a string, read as its length', '18 01 41', true],
    ['a number instead of a string, longer than the message', '18 7f', false],
    ['a fixed number instead of a string', '1d 02 41 42 10 01', true],
    ['a group instead of a number', '13 05', true],
    ['the end of a group instead of a number', '14 05', true],
    ['an unknown group', '7b 10 01 7c', true],
    ['an unknown group with groups in it', '7b 83 01 08 05 84 01 7c', true],
    ['an unknown group with the end of another one', '7b 74', false],
    ['an unknown group without an end', '7b 10 01', false],
    ['the end of a group that did not begin', '7c', false],
    ['unknown fields of every wire type', '78 05 79 0102030405060708 7a 02 4142 7d 01020304', true],
    ['an unknown fixed64 that is cut off', '79 01020304050607', false],
    ['an unknown fixed32 that is cut off', '7d 010203', false],
    ['a string longer than the message', '1a 05 41', false],
    ['a string of 2 GiB', '1a ffffffff07 41', false],
    ['a string of 4 GiB', '1a ffffffff0f 41', false],
    ['an unknown string of 2 GiB', '7a 8080808008 41', false],
    ['a length in more bytes than it needs', '1a 81 80 00 41', true],
    ['a length of ten bytes, of which 32 bits count', '1a 81808080f0ffffffff01 41', true],
    ['a string with several bytes for each character', '1a 06 c3a9 e282ac 41', true],
    ['a string with characters beyond 16 bits', '1a 04 f09f9880', true],
    ['a NUL', '1a 01 00', true],
    ['a byte order mark, which is dropped', '1a 04 efbbbf 41', true],
    ['two byte order marks, of which one is dropped', '1a 07 efbbbf efbbbf 41', true],
    ['a byte order mark inside', '1a 04 41 efbbbf', true],
    ['the replacement character itself', '1a 03 efbfbd', true],
    ['a byte that is not UTF-8', '1a 01 ff', false],
    ['a byte that is not UTF-8 after the replacement character', '1a 04 efbfbd 80', false],
    ['a character that is cut off', '1a 02 e282', false],
    ['an overlong character', '1a 02 c080', false],
    ['a surrogate', '1a 03 eda080', false],
    ['a character beyond the last one', '1a 04 f4908080', false],
  ])('%s', (_, text, taken) => {
    const bytes = hex(text)
    const decoder = decoderOf(TradeSubscribeResponseSchema)
    expect(assertParity(TradeSubscribeResponseSchema, decoder, bytes)).toBe(taken)
    // The neighbouring bytes would complete a cut-off message.
    const neighbours = [Buffer.alloc(3, 0x41), Buffer.alloc(16, 0x01)] as const
    expect(assertParity(TradeSubscribeResponseSchema, decoder, bytes, ...neighbours)).toBe(taken)
  })

  test.each([
    ['an empty message in a list', '0a 00', true],
    [
      'two messages in a list, with another field between them',
      '0a 03 0a 01 41 12 01 42 0a 03 0a 01 43',
      true,
    ],
    ['a message in a list whose string exceeds its end', '0a 02 0a 03 414243', true],
    ['a message in a list that is longer than the remaining bytes', '0a 05 0a 01 41', false],
    ['a message in a list of 2 GiB', '0a ffffffff07', false],
    ['a message in a list with an unknown field', '0a 02 78 05', true],
    ['a number instead of a message in a list, read as its length', '08 03 0a 01 41', true],
  ])('%s', (_, text, taken) => {
    const decoder = decoderOf(ModuleSubscribeRequestSchema)
    expect(assertParity(ModuleSubscribeRequestSchema, decoder, hex(text))).toBe(taken)
  })

  test('10 MB of nested groups are an error', () => {
    const decoder = decoderOf(TradeSubscribeResponseSchema)
    expect(assertParity(TradeSubscribeResponseSchema, decoder, Buffer.alloc(10_000_000, 0x7b))).toBe(false)
  })

  test('strings of each short length, with and without a byte that is not ASCII', () => {
    const decoder = decoderOf(TradeSubscribeResponseSchema)
    for (let length = 0; length <= 40; length += 1) {
      const ascii = 'abcdefghijklmnopqrstuvwxyz0123456789ABCD'.slice(0, length)
      const texts = [
        ascii,
        ...Array.from(ascii, (_, at) => `${ascii.slice(0, at)}\u00e9${ascii.slice(at + 1)}`),
      ]
      for (const text of texts) {
        const bytes = toBinary(TradeSubscribeResponseSchema, {
          ...fromBinary(TradeSubscribeResponseSchema, new Uint8Array()),
          contentType: text,
        })
        expect(decoder(Buffer.from(bytes), 0, bytes.length)).toMatchObject({ contentType: text })
        // One byte is replaced by an invalid one.
        assertParity(TradeSubscribeResponseSchema, decoder, bytes.fill(0xff, -1))
      }
    }
  })
})

test('returns a message of protobuf-es', () => {
  const bytes = hex('10 02 1a 01 41 30 05 78 05')
  const message = decoderOf(TradeSubscribeResponseSchema)(bytes, 0, bytes.length)
  const copy = clone(TradeSubscribeResponseSchema, message as never)
  expect(equals(TradeSubscribeResponseSchema, copy, fromBinary(TradeSubscribeResponseSchema, bytes))).toBe(
    true,
  )
  expect(copy).toMatchObject({ subscribeType: 2, contentType: 'A', timestamp: 5n })
})

test('decodes the messages of one buffer in any order', () => {
  const decoder = decoderOf(TradeSubscribeResponseSchema)
  const [one, two] = [hex('1a 02 4142'), hex('1a 02 4344 78 05')]
  const buffer = Buffer.concat([one, two])
  const second = decoder(buffer, one.length, buffer.length)
  const first = decoder(buffer, 0, one.length)
  buffer.fill(0)
  expect(first).toEqual(fromBinary(TradeSubscribeResponseSchema, Uint8Array.from(one)))
  expect(second).toEqual(fromBinary(TradeSubscribeResponseSchema, Uint8Array.from(two)))
})

test.each([
  [-1, 2],
  [2, 1],
  [0, 5],
  [5, 5],
  [Number.NaN, 2],
])('rejects the range from %d to %d of four bytes', (start, end) => {
  const decoder = decoderOf(TradeSubscribeResponseSchema)
  expect(() => decoder(hex('10 01 10 02'), start, end)).toThrow(RangeError)
})
