/** Items are read straight from the wire: the same outcome as protobuf-es, for any bytes. */
import { payloads } from '@brokerwire/payloads'
import { type TradeSubscribeResponse, TradeSubscribeResponseSchema } from '@brokerwire/protos'
import { fromBinary } from '@bufbuild/protobuf'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { wireBytes } from '../test/wire-bytes.ts'
import { TradeItems } from './trade-items.ts'

const items = new TradeItems(payloads)
const schema = TradeSubscribeResponseSchema

test('items say what the messages say, and are refused where those are', () => {
  const counts = { taken: 0, refused: 0 }
  const around = fc.uint8Array({ maxLength: 9 })
  fc.assert(
    fc.property(wireBytes(schema.fields.length), around, around, (bytes, before, after) => {
      const chunk = Buffer.concat([before, bytes, after])
      const read = () => items.decode(chunk, before.length, before.length + bytes.length)
      let message: TradeSubscribeResponse
      try {
        message = fromBinary(schema, bytes)
      } catch {
        counts.refused += 1
        expect(read).toThrow(/^protobuf: /)
        return
      }
      counts.taken += 1
      const { eventType, subscribeType, contentType, payload, requestId, timestamp, $unknown = [] } = message
      expect(read()).toMatchObject({
        eventType,
        subscribeType,
        contentType,
        payload,
        requestId,
        timestamp: String(timestamp),
        unknownFields: $unknown,
      })
    }),
    { numRuns: 1500 },
  )
  expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(150)
})

test('content types that came before are told from others of their length', () => {
  const texts = [
    'application/json',
    'application/jsoN',
    '',
    'x',
    'é',
    'y',
    'Ã',
    'x'.repeat(64),
    'é'.repeat(32),
  ]
  for (const contentType of [...texts, ...[...texts].reverse(), ...texts]) {
    const bytes = Buffer.from(contentType)
    const wire = Buffer.concat([Buffer.of(0x1a, bytes.length), bytes])
    expect(items.decode(wire, 0, wire.length).contentType).toBe(contentType)
  }
  expect(() => items.decode(Buffer.of(0x1a, 1, 0xe9), 0, 3)).toThrow('not UTF-8')
})
