/** Frames are decoded from the received bytes with the same results as protobuf-es, for any bytes. */
import { payloads } from '@brokerwire/payloads'
import { ModuleSubscribeResponseSchema, TradeSubscribeResponseSchema } from '@brokerwire/protos'
import { create, type DescMessage, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import * as fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { CompletenessTracker } from '../completeness/completeness-tracker.ts'
import { BatchStatistics } from '../delivery/batch-statistics.ts'
import { IdLimit } from '../delivery/id-limit.ts'
import { ItemOutput } from '../delivery/item-output.ts'
import { ItemQueue } from '../delivery/item-queue.ts'
import { TradePipeline } from '../delivery/trade-pipeline.ts'
import { createStreamReporter } from '../observer.ts'
import { wireBytes } from '../test/wire-bytes.ts'
import { type Decode, type Decoder, MessageBatch, notesFor } from '../transport/message-batch.ts'
import { ModuleFrameDecoder } from './module-frames.ts'
import type { StreamNotice } from './notices.ts'
import { TradeFrameDecoder, tradeFrames } from './trade-frames.ts'
import type { TradeStreamEvent } from './trade-items.ts'

const tradeItems = new TradeFrameDecoder()
const moduleItems = new ModuleFrameDecoder()

/** Converts a message of protobuf-es to the names and types of a frame. */
const trade = ({ timestamp, ...rest }: Record<string, unknown>) => ({ ...rest, timestamp: String(timestamp) })
const module = ({ type, ...rest }: Record<string, unknown>) => ({ ...rest, messageType: type })

const services: [string, DescMessage, Decode<object>, (message: Record<string, unknown>) => object][] = [
  ['trade', TradeSubscribeResponseSchema, tradeItems.decode, trade],
  ['module', ModuleSubscribeResponseSchema, moduleItems.decode, module],
]

test.each(services)(
  '%s frames have the fields of the protobuf-es message, and fail if protobuf-es fails',
  (...service) => {
    const [, schema, decode, toFrame] = service
    const counts = { accepted: 0, rejected: 0 }
    const numRuns = inject('isFullRun') ? 1500 : 150
    const around = fc.uint8Array({ maxLength: 9 })
    fc.assert(
      fc.property(wireBytes(schema.fields.length), around, around, (bytes, before, after) => {
        const chunk = Buffer.concat([before, bytes, after])
        const read = () => decode(chunk, before.length, before.length + bytes.length)
        let message: Message
        try {
          message = fromBinary(schema, bytes)
        } catch {
          counts.rejected += 1
          expect(read).toThrow(/^protobuf: /)
          return
        }
        counts.accepted += 1
        const { $typeName: _, $unknown: unknownFields = [], ...fields } = message
        expect(read()).toMatchObject({ ...toFrame(fields), unknownFields })
      }),
      { numRuns },
    )
    expect(Math.min(counts.accepted, counts.rejected)).toBeGreaterThan(numRuns / 20)
  },
)

test.each([
  ['trade', tradeItems],
  ['module', moduleItems],
])('the unknown fields of %s frames count in the extra bytes of a batch', (_, items) => {
  const batch = new MessageBatch<object>(items as Decoder<object>, notesFor(2))
  const chunk = Buffer.alloc(2000, Buffer.of(0x78, 1))
  batch.read(chunk, 0, 0)
  expect(batch.extraBytes).toBe(0)
  batch.read(chunk, 0, 2000)
  // Each of the 1,000 fields counts its byte of data and 256 bytes for its object.
  expect(batch.extraBytes).toBe(257_000)
  expect(batch.extraBytesOf(0)).toBe(0)
  expect(batch.extraBytesOf(1)).toBe(batch.extraBytes)
})

test.each([1024, 4096])(
  'the unknown fields of an item with the code %j count in the bytes of the report',
  (eventType) => {
    const counted: number[] = []
    const observer = { onStreamBatch: ({ bytes }: { readonly bytes: number }) => counted.push(bytes) }
    const report = createStreamReporter(observer, { streamId: 'trade-1', stream: 'trade' })
    const statistics = new BatchStatistics<TradeStreamEvent>(report, () => undefined)
    const queue = new ItemQueue<TradeStreamEvent | StreamNotice>({ maxItems: 10, maxBytes: 1 << 20 })
    const output = new ItemOutput({ queue, statistics, report, service: 'trade', redact: (text) => text })
    const ids = new IdLimit(4096, output.notify)
    const decoder = new TradeFrameDecoder()
    const completeness = new CompletenessTracker({
      isIdle: () => false,
      serverTimeMs: tradeFrames.serverTimeMs,
      onAdvance: () => {},
    })
    const options = { output, ids, decoder, decoders: payloads, completeness, random: () => 0 }
    const pipeline = new TradePipeline({ ...options, onEvent: undefined })
    const message = toBinary(
      TradeSubscribeResponseSchema,
      create(TradeSubscribeResponseSchema, { eventType }),
    )
    for (const fields of [0, 100]) {
      const chunk = Buffer.concat([message, Buffer.alloc(2 * fields, Buffer.of(0x78, 1))])
      const batch = new MessageBatch(decoder, notesFor(1))
      batch.read(chunk, 0, chunk.length)
      pipeline.take(batch, 0, 1, 0)
      pipeline.flush()
      statistics.flush(0, 0)
    }
    const [without = 0, withFields = 0] = counted
    // Each field counts its byte of data and 256 bytes for its object.
    expect(withFields - without).toBe(25_700)
  },
)

test('decodes neighbouring strings of any length, and the range of the id', () => {
  const unit = fc.constantFrom(
    'a',
    'b',
    '0',
    '-',
    '\0',
    '\u007f',
    '\u0080',
    'é',
    '\u20ac',
    '\ufeff',
    '\ufffd',
    '😀',
  )
  const plain = fc.string({ unit: fc.constantFrom('a', 'b', '0', '-'), maxLength: 60 })
  const text = fc.oneof(plain, plain, plain, fc.string({ unit, maxLength: 20 }), fc.constant('x'.repeat(127)))
  const fields = { id: text, eventType: text, position: text, timestamp: text, version: text, payload: text }
  const items = new ModuleFrameDecoder()
  fc.assert(
    fc.property(fc.record(fields), fc.uint8Array({ maxLength: 9 }), (values, around) => {
      // The last value counts if a field occurs twice.
      for (const times of [1, 2]) {
        const once = toBinary(ModuleSubscribeResponseSchema, create(ModuleSubscribeResponseSchema, values))
        const bytes = Buffer.concat(Array.from({ length: times }, () => once))
        const chunk = Buffer.concat([around, bytes, around])
        const item = items.decode(chunk, around.length, around.length + bytes.length)
        const { $typeName: _, type: __, ...expected } = fromBinary(ModuleSubscribeResponseSchema, bytes)
        expect(item).toMatchObject(expected)
        expect(chunk.toString('utf8', items.texts.idStart, items.texts.idEnd)).toBe(expected.id)
      }
    }),
    { numRuns: inject('isFullRun') ? 3000 : 300 },
  )
})

test('distinguishes cached content types from others of the same length', () => {
  const texts = [
    'application/json',
    'bpplication/json',
    'xpplication/jsxn',
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
    expect(tradeItems.decode(wire, 0, wire.length).contentType).toBe(contentType)
  }
  expect(() => tradeItems.decode(Buffer.of(0x1a, 1, 0xe9), 0, 3)).toThrow('not UTF-8')
})

test('a cached string does not depend on the memory from which it was decoded', () => {
  const chunk = Buffer.from([0x1a, 3, ...Buffer.from('abc')])
  expect(tradeItems.decode(chunk, 0, 5).contentType).toBe('abc')
  chunk.write('xyc', 2)
  expect(tradeItems.decode(chunk, 0, 5).contentType).toBe('xyc')
})
