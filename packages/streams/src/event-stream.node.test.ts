/** Reading streams by items and by arrays: concurrent calls, the end of a stream, and copies of items. */
import { createHook } from 'node:async_hooks'
import { inspect } from 'node:util'
import { MessageChannel } from 'node:worker_threads'
import { isPayloadsError, payloads } from '@brokerwire/payloads'
import { ModuleMessageType, TradeEventType } from '@brokerwire/protos'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SharedContext } from './context.ts'
import { decodeItem } from './items/decode-item.ts'
import type { TradeStreamEvent } from './items/trade-items.ts'
import { createUndecodableItem, type UndecodableItem } from './items/undecodable-item.ts'
import { createModuleStream } from './module-stream.ts'
import type { StreamsObserver } from './observer.ts'
import { IDENTITY, targetOf, testContext } from './test/context.ts'
import { moduleEvent, moduleFrame, tradeFrame } from './test/frames.ts'
import { arraysOf, label, take, takeBeginning } from './test/take.ts'
import { createTradeStream } from './trade-stream.ts'

let server: GrpcServer
beforeEach(async () => {
  server = await startGrpcServer()
})
afterEach(() => server.close())

const order = (id: number) => tradeFrame(1024, { requestId: `r${id}`, payload: '{"order_id":"1"}' })
const orders = (count: number) => Array.from({ length: count }, (_, n) => order(n))
const names = (count: number) => Array.from({ length: count }, (_, n) => `r${n}`)

/** Creates a live trade stream. @param maxItems - Reads it in arrays of this length; by default it is read by items. */
async function live(change: Partial<SharedContext> = {}, signal?: AbortSignal, maxItems?: number) {
  const options = { accounts: ['A1'], signal }
  const stream = createTradeStream(testContext(change), targetOf(server.url), 'trade', options, payloads)
  if (maxItems !== undefined) arraysOf(stream, maxItems)
  const first = takeBeginning(stream, maxItems === undefined ? 'items' : 'batches')
  const call = await server.call()
  call.send(tradeFrame(TradeEventType.SubscribeSuccess))
  await first
  return { stream, call }
}

test('resolves concurrent calls of next() in order, without losing an event', async () => {
  const { stream, call } = await live({}, undefined, 4)
  const batches = arraysOf(stream)
  const waiting = Array.from({ length: 5 }, () => batches.next())
  call.send(...orders(40))
  const first = (await Promise.all(waiting)).flatMap(({ value }) => value ?? [])
  const rest = await take(stream, 40 - first.length, 'batches')
  expect([...first, ...rest].map(label)).toEqual(names(40))
  await stream.return()
})

test('a second loop over one stream fails, instead of sharing its events', async () => {
  const { stream, call } = await live()
  call.send(...orders(4))
  const labels: string[] = []
  for await (const item of stream) {
    labels.push(label(item))
    expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'STREAM_IN_USE' }))
    expect(() => stream.batches()).toThrow(expect.objectContaining({ code: 'STREAM_IN_USE' }))
    if (labels.length === 4) break
  }
  expect(labels).toEqual(names(4))
  expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'STREAM_CLOSED' }))
  expect(() => stream.batches()).toThrow(expect.objectContaining({ code: 'STREAM_CLOSED' }))
})

test('next() fails after batches()', async () => {
  const { stream } = await live({}, undefined, 4)
  await expect(stream.next()).rejects.toMatchObject({ code: 'STREAM_IN_USE' })
  await stream.return()
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})

test('resolves a pending next() before the bookkeeping, and still finds duplicates', async () => {
  const log: string[] = []
  const observer: StreamsObserver = {
    onStreamBatch: ({ events, duplicates }) => void log.push(`${events} new, ${duplicates} duplicates`),
    onStreamState: ({ phase }) => log.push(phase),
  }
  const { stream, call } = await live({ observer })
  log.length = 0
  const next = () => stream.next().then(({ value }) => log.push(label(value as TradeStreamEvent)))
  const first = next()
  call.send(order(1))
  await first
  const second = next()
  call.send(order(1), order(2))
  await second
  const last = next().then(() => stream.return())
  call.send(order(3))
  await last
  expect(log.filter((entry) => entry.startsWith('r') || entry === 'ended')).toEqual([
    'r1',
    'r2',
    'r3',
    'ended',
  ])
  expect(log.slice(0, 2)).toEqual(['r1', '1 new, 0 duplicates'])
  expect(log.slice(-3)).toEqual(['r3', '1 new, 0 duplicates', 'ended'])
  const counts = log.flatMap(
    (entry) => /^(\d+) new, (\d+) duplicates$/.exec(entry)?.slice(1).map(Number) ?? [],
  )
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4)
})

test('an array has the available items up to maxItems, with notices in order', async () => {
  const { stream, call } = await live({}, undefined, 5)
  call.send(order(1), tradeFrame(1024, { requestId: 'r1', payload: 'other' }), order(2))
  const kinds = (await take(stream, 4, 'batches')).map(({ kind }) => kind)
  expect(kinds).toEqual(['order', 'duplicate-conflict', 'order', 'order'])
  call.send(...orders(50))
  for (let remaining = 48; remaining > 0; ) {
    const { value } = await arraysOf(stream).next()
    expect(value?.length).toBeLessThanOrEqual(5)
    remaining -= value?.length ?? remaining
  }
  await stream.return()
})

/** Counts the promises that a function creates. */
function countPromises(run: () => void): number {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') count += 1
    },
  }).enable()
  try {
    run()
  } finally {
    hook.disable()
  }
  return count
}

/** Creates a trade stream, or a module stream that commits with each `next()`, with queued events. */
async function createFilled(kind: 'trade' | 'module', count: number) {
  let queued = 0
  const observer = {
    onStreamBatch: ({ queueDepth }: { readonly queueDepth: number }) => {
      queued = queueDepth
    },
  }
  const { stream, call } = kind === 'trade' ? await live({ observer }) : await liveModule({ observer })
  call.send(
    ...Array.from({ length: count }, (_, n) => (kind === 'trade' ? order(n) : moduleEvent('APPLICATION', n))),
  )
  while (queued < count) await new Promise(setImmediate)
  return stream
}

async function liveModule(change: Partial<SharedContext>) {
  const stream = createModuleStream(
    testContext({ store: createFailingStore(), identity: IDENTITY, ...change }),
    targetOf(server.url),
    { modules: ['application'] },
    (frame) => payloads.module(frame),
  )
  const first = take(stream, 1)
  const call = await server.call()
  call.send(moduleFrame(ModuleMessageType.SubscribeSuccess))
  await first
  return { stream, call }
}

test.each(['trade', 'module'] as const)(
  'next() of a %s stream with queued items creates one promise, which is already resolved',
  async (kind) => {
    const stream = await createFilled(kind, 60)
    // The first commit of an event type is written at once, which creates more promises.
    for (let n = 0; n < 5; n += 1) await stream.next()
    await new Promise(setImmediate)
    const results: Promise<unknown>[] = []
    const created = countPromises(() => {
      for (let n = 0; n < 50; n += 1) results.push(stream.next())
    })
    expect(created).toBe(50)
    expect(results.filter((result) => inspect(result).includes('<pending>'))).toEqual([])
    await stream.return()
  },
)

test('returns an array as soon as it has an item', async () => {
  const { stream, call } = await live({}, undefined, 1024)
  const waiting = arraysOf(stream).next()
  call.send(order(0))
  expect((await waiting).value?.map(label)).toEqual(['r0'])
  await stream.return()
})

test('a batch is an array without enumerable methods', async () => {
  const { stream, call } = await live({}, undefined, 1024)
  const waiting = arraysOf(stream).next()
  call.send(order(0))
  const batch = (await waiting).value
  expect(Array.isArray(batch)).toBe(true)
  expect(Object.keys(batch ?? {})).toEqual(['0'])
  expect(() => batch?.ack()).not.toThrow()
  await stream.return()
})

test('return() resolves pending calls and cancels the subscription', async () => {
  const { stream, call } = await live({}, undefined, 1024)
  const batches = arraysOf(stream)
  const waiting = [batches.next(), batches.next()]
  expect(await batches.return()).toEqual({ done: true, value: undefined })
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ done: true, value: undefined })))
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(await call.closed).toBe(8)
})

test('an aborted signal rejects a pending array with its reason', async () => {
  const controller = new AbortController()
  const { stream } = await live({}, controller.signal, 1024)
  const waiting = arraysOf(stream).next()
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

/** Returns a copy that was posted through a message port. */
async function postMessageCopy<T>(value: T): Promise<T> {
  const { port1, port2 } = new MessageChannel()
  const received = new Promise<T>((resolve) => port2.once('message', resolve))
  port1.postMessage(value)
  const copy = await received
  port1.close()
  return copy
}

test('an item is plain data that can be sent to a worker, and its copies can be decoded', async () => {
  const trades = await live()
  const unknownField = Buffer.of(0x78, 1)
  trades.call.send(Buffer.concat([order(0), unknownField]))
  const modules = await liveModule({})
  modules.call.send(moduleEvent('APPLICATION', 1))
  const items = [...(await take(trades.stream, 1)), ...(await take(modules.stream, 1))]
  const batch = { items: [] as unknown[] }
  for (const item of items) {
    if (item.type !== 'event') throw new Error('expected an event')
    const decoded = item.decode()
    expect(item.decode()).toBe(decoded)
    expect(Object.values(item).filter((value) => typeof value === 'function')).toEqual([])
    const copies = [
      { ...item },
      structuredClone(item),
      await postMessageCopy(item),
      JSON.parse(JSON.stringify(item)),
    ]
    for (const copy of copies) expect(decodeItem(copy)).toEqual(decoded)
    expect(copies[1]).toEqual({ ...item })
    expect(copies[2]).toEqual({ ...item })
    batch.items.push(structuredClone(item))
  }
  expect(batch.items).toMatchObject([{ unknownFields: [{ no: 15 }] }, { id: 'id-1' }])
  await trades.stream.return()
  await modules.stream.return()
})

test('arrays of items and notices are plain data', async () => {
  const { stream, call } = await live({}, undefined, 1024)
  call.send(order(1), tradeFrame(1024, { requestId: 'r1', payload: 'other' }))
  const items = await take(stream, 3, 'batches')
  expect(items.map(({ type }) => type)).toEqual(['event', 'notice', 'event'])
  expect(structuredClone(items)).toEqual(items.map((item) => ({ ...item })))
  await stream.return()
})

test.each([
  ['order', 'order'],
  ['position', 'position'],
  ['option', 'unknown'],
  ['unknown', 'unknown'],
  ['module', 'module'],
] as const)('decodes a copy of kind %s with the decoder %s of the caller', (kind, decoder) => {
  const calls: string[] = []
  const spy = (name: string) => () => {
    calls.push(name)
    return { ok: false, raw: '', error: new Error(name) } as never
  }
  const decoders = {
    order: spy('order'),
    position: spy('position'),
    unknown: spy('unknown'),
    module: spy('module'),
  }
  const copy = { service: kind === 'module' ? 'module' : 'trade', kind } as never
  decodeItem(copy, decoders)
  expect(calls).toEqual([decoder])
})

test('decodeItem() of an undecodable item or its copy returns an error with the reason', () => {
  const bytes = Uint8Array.of(0x1a, 1, 0xff)
  const message = { reason: 'malformed', message: 'a string is not UTF-8', bytes, length: 3 } as const
  const item = createUndecodableItem(message, 'module', 1)
  for (const copy of [item, structuredClone(item), JSON.parse(JSON.stringify(item))]) {
    const decoded = decodeItem(copy as UndecodableItem)
    expect(decoded).toMatchObject({ ok: false, raw: '', error: { details: { reason: 'malformed' } } })
    expect(!decoded.ok && isPayloadsError(decoded.error, 'PAYLOAD_UNDECODABLE')).toBe(true)
  }
})

test('the timestamp of an item is an exact decimal string', async () => {
  const { stream, call } = await live()
  const timestamps = [
    0n,
    7n,
    999n,
    1000n,
    1001n,
    1_764_157_239_726n,
    1_764_157_240_005n,
    2n ** 53n,
    2n ** 63n - 1n,
    -5n,
  ]
  call.send(...timestamps.map((timestamp, n) => tradeFrame(1024, { requestId: `t${n}`, timestamp })))
  const items = await take(stream, timestamps.length)
  expect(items.map((item) => (item.type === 'event' ? item.timestamp : ''))).toEqual(timestamps.map(String))
  await stream.return()
})

test('the notice of a refused connection has the host and the system code', async () => {
  await server.close()
  const stream = createTradeStream(
    testContext(),
    targetOf(server.url),
    'trade',
    { accounts: ['A1'] },
    payloads,
  )
  const [notice] = await take(stream, 1)
  expect(notice).toMatchObject({
    kind: 'reconnecting',
    host: new URL(server.url).host,
    systemCode: 'ECONNREFUSED',
  })
  await stream.return()
  server = await startGrpcServer()
})
