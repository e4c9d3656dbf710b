import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import data from '../../../testdata/vectors/stream-signatures.json' with { type: 'json' }
import { ModuleSubscribeRequestSchema, TradeSubscribeRequestSchema } from './index.ts'
import { fromHex, toHex } from './test/hex.ts'

// Stream signatures cover the serialized request, so that the bytes must equal those of other implementations.
describe('requests serialize to the bytes that were signed', () => {
  test.each(data.client.map((vector, index) => [index, vector] as const))('trade request %d', (_, vector) => {
    const { timestamp, ...rest } = vector.request
    const request = create(TradeSubscribeRequestSchema, { ...rest, timestamp: BigInt(timestamp) })
    expect(toHex(toBinary(TradeSubscribeRequestSchema, request))).toBe(vector.requestHex)
    expect(fromBinary(TradeSubscribeRequestSchema, fromHex(vector.requestHex))).toEqual(request)
  })

  test.each(data.module)('$name', (vector) => {
    const request = create(ModuleSubscribeRequestSchema, vector.request)
    expect(toHex(toBinary(ModuleSubscribeRequestSchema, request))).toBe(vector.requestHex)
    expect(fromBinary(ModuleSubscribeRequestSchema, fromHex(vector.requestHex))).toEqual(request)
  })
})
