import { moduleEventFile, tradeEventFile } from '@brokerwire/protos'
import type { DescMessage } from '@bufbuild/protobuf'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assertParity } from '../../test/decoder-parity.ts'
import { wireBytes } from '../../test/wire-bytes.ts'
import type { MessageDecoder } from './decoder.ts'
import { generatedDecoders } from './generated-decoders.ts'

const schemas: readonly DescMessage[] = [...tradeEventFile.messages, ...moduleEventFile.messages]
const cases = schemas.map((schema) => [schema.typeName, schema] as const)

function decoderOf(schema: DescMessage): MessageDecoder {
  const decoder = generatedDecoders.get(schema.typeName)
  if (decoder === undefined) throw new Error(`no decoder for ${schema.typeName}`)
  return decoder
}

test('every message of both services has a decoder', () => {
  expect([...generatedDecoders.keys()].sort()).toEqual(schemas.map(({ typeName }) => typeName).sort())
})

describe('the same outcome as protobuf-es', () => {
  test.each(cases)('%s: for any bytes', (_, schema) => {
    const surroundings = fc.uint8Array({ maxLength: 9 })
    const counts = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(wireBytes(schema.fields.length), surroundings, surroundings, (bytes, before, after) => {
        counts[assertParity(schema, decoderOf(schema), bytes, before, after) ? 'taken' : 'refused'] += 1
      }),
      { numRuns: 3000 },
    )
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(300)
  })
})
