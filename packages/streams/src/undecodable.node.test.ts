/** Messages that cannot be decoded, in supervised streams over real HTTP/2 servers. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { payloads } from '@brokerwire/payloads'
import { ModuleMessageType, ModuleSubscribeRequestSchema, TradeEventType } from '@brokerwire/protos'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import { type GrpcServer, type GrpcServerCall, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { fromBinary } from '@bufbuild/protobuf'
import { createGrpcTransport } from '@connectrpc/connect-node'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import type { SharedContext } from './context.ts'
import { ModuleFrameDecoder } from './items/module-frames.ts'
import { createModuleStream, type ModuleStreamOptions } from './module-stream.ts'
import type { StreamBatchReport } from './observer.ts'
import { grpcConnections } from './subscription/connection.ts'
import { cursorKey, IDENTITY, targetOf, testContext } from './test/context.ts'
import { moduleEvent, moduleFrame, tradeFrame } from './test/frames.ts'
import { arraysOf, take, takeLabels, WAYS, type Way } from './test/take.ts'
import { wireBytes } from './test/wire-bytes.ts'
import { createTradeStream } from './trade-stream.ts'

const SUCCESS = moduleFrame(ModuleMessageType.SubscribeSuccess)
const PING = moduleFrame(ModuleMessageType.Ping)
/** A message whose event type is not UTF-8. */
const INVALID = Buffer.concat([moduleEvent('APPLICATION', 99), Buffer.from([0x1a, 1, 0xff])])
const app = (n: number) => moduleEvent('APPLICATION', n)

let server: GrpcServer
beforeEach(async () => {
  server = await startGrpcServer()
})
afterEach(() => server.close())

async function subscribed(
  options: Partial<ModuleStreamOptions> = {},
  change: Partial<SharedContext> = {},
  target = targetOf(server.url),
  way: Way = 'items',
) {
  const stream = createModuleStream(
    testContext(change),
    target,
    { modules: ['application'], ...options },
    (frame) => payloads.module(frame),
  )
  const first = take(stream, 1, way)
  const call = await server.call()
  call.send(SUCCESS)
  await first
  return { stream, call }
}

/** Returns the position that a subscription requested. */
function asked(call: GrpcServerCall): string | undefined {
  return fromBinary(ModuleSubscribeRequestSchema, call.body.subarray(5)).events[0]?.position
}

describe('a message that cannot be decoded', () => {
  test('is delivered in order, and the next event arrives on the same connection', async () => {
    const { stream, call } = await subscribed()
    call.send(app(1), INVALID, app(2))
    const [, item, next] = await take(stream, 3)
    expect(item).toEqual({
      type: 'undecodable',
      kind: 'undecodable',
      service: 'module',
      reason: 'malformed',
      message: 'protobuf: a string is not UTF-8',
      bytes: new Uint8Array(INVALID),
      length: INVALID.length,
      receivedAtMs: expect.any(Number),
    })
    expect(structuredClone(item)).toEqual(item)
    expect(next).toMatchObject({ id: 'id-2' })
    expect(server.calls).toHaveLength(1)
    await stream.return()
  })

  test.each([
    ['a wrong wire type', Buffer.from([0x0f])],
    ['a field that breaks off', Buffer.from(app(1)).subarray(0, -1)],
  ])('because of %s does not end the stream', async (_, bytes) => {
    const { stream, call } = await subscribed()
    call.send(bytes, app(1))
    expect(await takeLabels(stream, 2)).toEqual(['undecodable', 'id-1'])
    await stream.return()
  })

  test('because it has a compression that was not negotiated does not end the stream', async () => {
    const { stream, call } = await subscribed()
    call.stream.write(Buffer.concat([envelope(app(1), 1), envelope(app(2))]))
    expect(await take(stream, 2)).toMatchObject([
      { reason: 'compression', bytes: new Uint8Array(app(1)) },
      { id: 'id-2' },
    ])
    await stream.return()
  })

  test('before SubscribeSuccess does not end the attempt', async () => {
    const stream = createModuleStream(
      testContext(),
      targetOf(server.url),
      { modules: ['application'] },
      (frame) => payloads.module(frame),
    )
    const items = takeLabels(stream, 3)
    const call = await server.call()
    call.send(INVALID, SUCCESS, app(1))
    expect(await items).toEqual(['undecodable', 'subscribed', 'id-1'])
    await stream.return()
  })

  test('on a trade stream has the service trade', async () => {
    const stream = createTradeStream(
      testContext(),
      targetOf(server.url),
      'trade',
      { accounts: ['A'] },
      payloads,
    )
    const items = take(stream, 3)
    const call = await server.call()
    call.send(tradeFrame(TradeEventType.SubscribeSuccess), Buffer.from([0x1a, 1, 0xff]), tradeFrame(1024))
    expect(await items).toMatchObject([
      { kind: 'subscribed' },
      { type: 'undecodable', service: 'trade', length: 3 },
      { kind: 'order' },
    ])
    await stream.return()
  })

  test('that is too large is skipped while it arrives, and its length is delivered at once', async () => {
    const connections = grpcConnections({ readMaxBytes: 1000 })
    const target = { host: undefined, open: () => connections(server.url) }
    const { stream, call } = await subscribed({}, {}, target)
    const large = envelope(Buffer.alloc(1_000_000))
    call.stream.write(large.subarray(0, 500))
    expect(await take(stream, 1)).toMatchObject([
      { reason: 'too-large', length: 1_000_000, bytes: undefined, message: expect.stringContaining('1000') },
    ])
    call.stream.write(large.subarray(500))
    call.send(app(1))
    expect(await takeLabels(stream, 1)).toEqual(['id-1'])
    await stream.return()
  })

  test('counts as a heartbeat', async () => {
    const clock = createVirtualClock()
    const { stream, call } = await subscribed({}, { clock })
    const items = takeLabels(stream, 12)
    // Without a heartbeat the stream reports that after 75 s, and reconnects after 150 s.
    for (let n = 0; n < 11; n += 1) {
      await clock.advance(50_000)
      const received = server.calls.length
      call.send(INVALID)
      await new Promise((resolve) => call.stream.session?.ping(resolve))
      await new Promise(setImmediate)
      expect(server.calls).toHaveLength(received)
    }
    call.send(app(1))
    expect(await items).toEqual([...Array.from({ length: 11 }, () => 'undecodable'), 'id-1'])
    await stream.return()
  })

  test('is counted in the report of its batch, with its bytes', async () => {
    const reports: StreamBatchReport[] = []
    const observer = { onStreamBatch: (report: StreamBatchReport) => void reports.push(report) }
    const { stream, call } = await subscribed({}, { observer })
    call.send(INVALID)
    await take(stream, 1)
    await new Promise(setImmediate)
    expect(reports).toMatchObject([{ events: 0, undecodable: 1, oldestLagMs: undefined }])
    expect(reports[0]?.bytes).toBeGreaterThan(INVALID.length)
    await stream.return()
  })
})

describe('a transport that decodes messages before the stream has them', () => {
  test.each([
    {
      name: 'a Connect transport of the caller',
      open: () => ({ transport: createGrpcTransport({ baseUrl: server.url }), close: () => {} }),
    },
    {
      name: 'the transport of this package with interceptors',
      open: () => grpcConnections({ interceptors: [(next) => next] })(server.url),
    },
  ])('ends the call at an undecodable message, and the stream reconnects: $name', async ({ open }) => {
    const { stream, call } = await subscribed({}, {}, { host: undefined, open })
    call.send(app(1))
    expect(await takeLabels(stream, 1)).toEqual(['id-1'])
    call.send(INVALID)
    expect(await take(stream, 1)).toMatchObject([{ kind: 'reconnecting', reason: 'status' }])
    const pending = stream.next()
    const again = await server.call()
    expect(asked(again)).toBe('p1')
    await stream.return()
    await pending
  })
})

describe('the cursor', () => {
  const stored = (store: ReturnType<typeof createFailingStore>) => {
    const text = store.entries.get(cursorKey('default', 'APPLICATION'))
    return text === undefined ? undefined : (JSON.parse(text) as { position: string }).position
  }

  test.each(WAYS)('moves with the next handled event, read as %s', async (way) => {
    const store = createFailingStore()
    const change = { store, identity: IDENTITY }
    const { stream, call } = await subscribed({}, change, undefined, way)
    call.send(app(1), INVALID, app(2))
    await take(stream, 2, way)
    await stream.return()
    expect(stored(store)).toBe('p1')
    const again = await subscribed({}, change)
    expect(asked(again.call)).toBe('p1')
    again.call.send(INVALID, app(2), PING, app(3))
    await take(again.stream, 3)
    await again.stream.return()
    expect(stored(store)).toBe('p2')
  })

  test('moves with ack() of an array with manual acknowledgement', async () => {
    const store = createFailingStore()
    const change = { store, identity: IDENTITY }
    const { stream, call } = await subscribed({ ack: 'manual' }, change, undefined, 'batches')
    call.send(app(1), INVALID, app(2), INVALID)
    const batches = arraysOf(stream)
    for (let count = 0; count < 4; ) {
      const { value } = await batches.next()
      count += value?.length ?? 0
      value?.ack()
    }
    await batches.return()
    expect(stored(store)).toBe('p2')
  })
})

test('many messages that cannot be decoded stay within the bounds of the queue', async () => {
  const depths: number[] = []
  const observer = { onStreamBatch: (report: StreamBatchReport) => void depths.push(report.queueDepth) }
  const buffer = { maxItems: 64, maxBytes: 64 * 1024 }
  const { stream, call } = await subscribed({}, { observer, buffer })
  const other = await subscribed()
  const count = inject('isFullRun') ? 200_000 : 10_000
  call.stream.write(
    Buffer.concat([...Array.from({ length: count }, () => envelope(INVALID)), envelope(app(1))]),
  )
  other.call.send(app(7))
  expect(await takeLabels(other.stream, 1)).toEqual(['id-7'])
  await expect.poll(() => depths.length).toBeGreaterThan(0)
  let undecodable = 0
  for await (const { type } of stream) {
    if (type === 'event') break
    if (type === 'undecodable') undecodable += 1
  }
  expect(undecodable).toBe(count)
  expect(Math.max(...depths)).toBeLessThanOrEqual(buffer.maxItems)
  await other.stream.return()
})

test('delivers the events before and after random bytes on one connection', async () => {
  const decoder = new ModuleFrameDecoder()
  const isDecodable = (bytes: Uint8Array): boolean => {
    try {
      decoder.decode(Buffer.from(bytes), 0, bytes.length)
      return true
    } catch {
      return false
    }
  }
  const mutated = fc
    .tuple(
      fc.nat(),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }),
    )
    .map(([number, changes]) => {
      const bytes = Uint8Array.from(app(number))
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte
      return bytes
    })
  const { stream, call } = await subscribed()
  let number = 0
  let undecodable = 0
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(mutated, wireBytes(7)),
      fc.integer({ min: 1, max: 200 }),
      async (bytes, cut) => {
        // Messages that can still be decoded are not used: they may be control frames that end the subscription.
        fc.pre(!isDecodable(bytes))
        const body = Buffer.concat([app(number), bytes, app(number + 1)].map((message) => envelope(message)))
        call.stream.write(body.subarray(0, cut))
        call.stream.write(body.subarray(cut))
        const items = await take(stream, 3)
        expect(items).toMatchObject([
          { id: `id-${number}` },
          { type: 'undecodable', bytes, length: bytes.length },
          { id: `id-${number + 1}` },
        ])
        number += 2
        undecodable += 1
      },
    ),
    { numRuns: inject('isFullRun') ? 2000 : 200 },
  )
  expect(undecodable).toBeGreaterThan(100)
  expect(server.calls).toHaveLength(1)
  await stream.return()
})
