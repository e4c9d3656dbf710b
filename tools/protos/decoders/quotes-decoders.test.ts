/** The decoders of market data, which run anywhere, held against protobuf-es: the same outcome for any bytes. */
import { marketDataFile } from '@brokerwire/protos/quotes'
import type { DescMessage } from '@bufbuild/protobuf'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as generated from '../../../packages/quotes/src/decoding/gen/quotes/quotes_decoders.ts'
import { assertParity } from '../../../packages/streams/src/test/decoder-parity.ts'
import { wireBytes } from '../../../packages/streams/src/test/wire-bytes.ts'
import { readerModules } from './reader-modules.ts'
import type { BufferDecoder } from './runtime/range-reader.ts'

const decoders = new Map<string, unknown>(Object.entries(generated))

function decoderOf(schema: DescMessage): BufferDecoder {
  const decoder = decoders.get(`decode${schema.name}`)
  if (typeof decoder !== 'function') throw new Error(`no decoder for ${schema.typeName}`)
  return decoder as BufferDecoder
}

const schemas = marketDataFile.messages.map((schema) => [schema.name, schema] as const)

test('every message has a decoder', () => {
  expect([...decoders.keys()].sort()).toEqual(schemas.map(([name]) => `decode${name}`).sort())
})

describe('the same outcome as protobuf-es', () => {
  test.each(schemas)('%s: for any bytes', (_, schema) => {
    const surroundings = fc.uint8Array({ maxLength: 9 })
    const counts = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(wireBytes(schema.fields.length), surroundings, surroundings, (bytes, before, after) => {
        counts[assertParity(schema, decoderOf(schema), bytes, before, after) ? 'taken' : 'refused'] += 1
      }),
      { numRuns: 800 },
    )
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(80)
  })

  test.each([
    ['no bytes at all', '', true],
    ['two parts of basic, which are merged', '0a 03 0a0141 0a 03 1a0142 22 00', true],
    ['a text of 17 bytes', '1a 11 3131313131313131313131313131313131', true],
    ['a text of 17 bytes that is not UTF-8', '1a 11 31313131313131313131313131313131ff', false],
    ['a byte order mark, which is dropped', '1a 04 efbbbf 41', true],
    ['two byte order marks, of which one is dropped', '1a 07 efbbbf efbbbf 41', true],
    ['the replacement character itself', '1a 03 efbfbd', true],
    ['a surrogate', '1a 03 eda080', false],
    ['a text longer than the message', '1a 05 41', false],
    ['an unknown field', '4a 01 41', true],
  ])('a tick with %s', (_, text, taken) => {
    const schema = schemas.find(([name]) => name === 'Tick')?.[1]
    if (schema === undefined) throw new Error('no Tick')
    const bytes = Buffer.from(text.replaceAll(' ', ''), 'hex')
    const neighbours = [Buffer.alloc(3, 0x41), Buffer.alloc(16, 0x01)] as const
    expect(assertParity(schema, decoderOf(schema), bytes)).toBe(taken)
    expect(assertParity(schema, decoderOf(schema), bytes, ...neighbours)).toBe(taken)
  })
})

test("a method that reads with Node's buffers is not generated for other hosts", () => {
  expect(() => readerModules(['reader.double()'], 'anywhere')).toThrow('a method runs on Node alone')
})
