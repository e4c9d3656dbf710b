/** Gaps that a trade stream with a store reports after a restart, by the service's clock and by this host's. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { payloads } from '@brokerwire/payloads'
import { TradeEventType } from '@brokerwire/protos'
import { createFailingStore, type FailingStore } from '@brokerwire/testing/failing-store'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SharedContext } from './context.ts'
import type { StreamNotice } from './items/notices.ts'
import { isStreamsError } from './streams-error.ts'
import { IDENTITY, targetOf, testContext } from './test/context.ts'
import { tradeFrame } from './test/frames.ts'
import { label, take } from './test/take.ts'
import { createTradeStream, type TradeStreamOptions } from './trade-stream.ts'

type Gap = Extract<StreamNotice, { readonly kind: 'gap' }>

const MINUTE_MS = 60_000
/** Time of the service's clock at the start of each test. */
const START_MS = 1_000_000_000

let server: GrpcServer
let store: FailingStore
/** The service's clock. */
let serviceMs: number
beforeEach(async () => {
  server = await startGrpcServer()
  store = createFailingStore()
  serviceMs = START_MS
})
afterEach(() => server.close())

const success = () => tradeFrame(TradeEventType.SubscribeSuccess, { timestamp: BigInt(serviceMs) })
const ping = () => tradeFrame(TradeEventType.Ping, { timestamp: BigInt(serviceMs) })
const order = (requestId: string, payload = '{}') =>
  tradeFrame(1024, { requestId, payload, timestamp: BigInt(serviceMs) })

function open(
  hostOffsetMs = 0,
  options: Partial<TradeStreamOptions> = {},
  change: Partial<SharedContext> = {},
) {
  const clock = createVirtualClock(serviceMs + hostOffsetMs)
  const identity = { ...IDENTITY, eventsUrl: 'https://events.test' }
  const context = testContext({ store, identity, clock, ...change })
  const stream = createTradeStream(
    context,
    targetOf(server.url),
    'trade',
    { accounts: ['A1'], ...options },
    payloads,
  )
  const wait = async (ms: number): Promise<void> => {
    serviceMs += ms
    await clock.advance(ms)
  }
  return { stream, clock, wait }
}

/** Creates a subscribed stream, and returns it with the notice of its first gap. */
async function live(...args: Parameters<typeof open>) {
  const { stream, clock, wait } = open(...args)
  const first = stream.next()
  const call = await server.call()
  await wait(500)
  call.send(success())
  await first
  const { value } = await stream.next()
  return { stream, clock, wait, call, gap: value as Gap }
}

/** Handles events, and waits until that is stored. */
async function handle(
  { stream, clock }: Awaited<ReturnType<typeof live>>,
  count: number,
): Promise<() => Promise<void>> {
  await take(stream, count)
  const pending = stream.next()
  await clock.advance(1000)
  return async () => {
    await stream.return()
    await pending
  }
}

describe('a restart with the same store', () => {
  test.each([0, -2 * MINUTE_MS, 2 * MINUTE_MS])(
    'reports one gap with all orders sent meanwhile, with a host clock that is off by %i ms',
    async (offsetMs) => {
      const first = await live(offsetMs)
      expect(first.gap).toMatchObject({ cause: 'before-subscription', clockOffsetMs: 0 - offsetMs })
      await first.wait(5000)
      first.call.send(order('r1'))
      const leave = await handle(first, 1)
      const handledMs = serviceMs
      await leave()
      serviceMs += 10_000
      const lost = [serviceMs, serviceMs + 10_000]
      serviceMs += 20_000
      const second = await live(offsetMs)
      const { gap } = second
      expect(gap).toMatchObject({ kind: 'gap', cause: 'restart', fromMs: handledMs, toMs: serviceMs })
      expect(gap).toMatchObject({ hostFromMs: handledMs + offsetMs, hostToMs: serviceMs + offsetMs })
      expect(lost.every((ms) => gap.fromMs <= ms && ms <= gap.toMs)).toBe(true)
      await second.stream.return()
    },
  )

  test('a frame with a timestamp in nanoseconds leaves a record that the next start can read', async () => {
    const first = await live()
    const nanoseconds = 1_764_157_239_726_000_000n
    first.call.send(tradeFrame(1024, { requestId: 'r1', payload: '{}', timestamp: nanoseconds }))
    const leave = await handle(first, 1)
    const handledMs = serviceMs
    await leave()
    serviceMs += 10_000
    const second = await live()
    expect(second.gap).toMatchObject({ cause: 'restart', toMs: serviceMs })
    expect(second.gap.fromMs).toBeLessThanOrEqual(handledMs)
    await second.stream.return()
  })

  test('reports a gap that covers the loss if the host clock is set back an hour', async () => {
    const first = await live()
    first.call.send(order('r1'))
    const leave = await handle(first, 1)
    const handledMs = serviceMs
    await leave()
    serviceMs += 10_000
    const second = await live(-60 * MINUTE_MS)
    expect(second.gap).toMatchObject({ cause: 'restart', fromMs: handledMs, toMs: serviceMs })
    expect(second.gap.hostFromMs).toBeLessThanOrEqual(second.gap.hostToMs)
    await second.stream.return()
  })

  test('reports a gap since the last stored event after the process was killed', async () => {
    const killed = await live()
    killed.call.send(order('r1'), order('r2'))
    await take(killed.stream, 1)
    const handledMs = serviceMs
    await killed.wait(1000)
    // The last item is not handled, even if more events were received.
    await killed.wait(30_000)
    killed.call.send(order('r3'))
    const next = await live()
    expect(next.gap.cause).toBe('restart')
    expect(next.gap.fromMs).toBeLessThanOrEqual(handledMs)
    await next.stream.return()
    await killed.stream.return().catch(() => {})
  })

  test('a stream without events is complete up to its last ping', async () => {
    const first = await live()
    const pending = first.stream.next()
    await first.wait(60_000)
    first.call.send(ping())
    const pingMs = serviceMs
    while (!store.entries.values().next().value?.includes(String(pingMs))) await first.clock.advance(1000)
    await first.stream.return()
    await pending
    serviceMs += 5000
    const second = await live()
    expect(second.gap.fromMs).toBe(pingMs)
    await second.stream.return()
  })

  test('keeps the gap of the stored record until the first subscription', async () => {
    const startMs = serviceMs
    const { stream } = open()
    const pending = stream.next()
    await server.call()
    await stream.return()
    await pending
    serviceMs += 60_000
    const second = await live()
    expect(second.gap).toMatchObject({ cause: 'restart', fromMs: startMs, toMs: serviceMs })
    // The gap notice of this stream is not handled either.
    await second.stream.return()
    serviceMs += 60_000
    const third = await live()
    expect(third.gap).toMatchObject({ cause: 'restart', fromMs: startMs })
    await third.stream.return()
  })

  test('discards events that were handled before, but not the same request id with another payload', async () => {
    const first = await live()
    first.call.send(order('r1'), order('r2'))
    await (await handle(first, 2))()
    const second = await live()
    second.call.send(order('r1'), order('r2', '{"other":1}'), order('r3'))
    expect((await take(second.stream, 2)).map(label)).toEqual(['r2', 'r3'])
    await second.stream.return()
  })

  test('consumers, subscribe types and sets of accounts have separate records, whose keys do not show an account', async () => {
    const accounts = ['A1', 'A2']
    const changes: Partial<TradeStreamOptions>[] = [
      {},
      { consumer: 'other' },
      { subscribeType: 2 },
      { accounts },
      { accounts: [...accounts].reverse() },
    ]
    for (const change of changes) await (await live(0, change)).stream.return()
    expect(store.entries.size).toBe(4)
    expect([...store.entries.keys()].join()).not.toContain('A1')
  })

  test('stores nothing with persist: false', async () => {
    const { stream, gap } = await live(0, { persist: false })
    expect(gap.cause).toBe('before-subscription')
    await stream.return()
    expect(store.entries.size).toBe(0)
  })

  test('one of two streams with the same record ends with an error', async () => {
    const one = await live()
    const other = await live()
    one.call.send(order('r1'))
    await (await handle(one, 1))()
    const handled = other.stream.next()
    other.call.send(order('r2'))
    await handled
    const ended = expect(other.stream.next()).rejects.toSatisfy((error) =>
      isStreamsError(error, 'STREAM_CURSOR_CONFLICT'),
    )
    await other.clock.advance(1000)
    await ended
  })
})

describe('without a store', () => {
  test('the first gap begins at the first next() and ends at the first subscription', async () => {
    const { stream, clock, wait } = open(0, {}, { store: undefined, identity: undefined })
    const lost = take(stream, 1)
    ;(await server.call()).end(14)
    expect(await lost).toMatchObject([{ kind: 'reconnecting' }])
    const first = stream.next()
    await clock.advance(0)
    const call = await server.call()
    await wait(20_000)
    call.send(success())
    expect((await first).value).toMatchObject({ kind: 'subscribed' })
    const { value } = await stream.next()
    expect(value).toMatchObject({ cause: 'before-subscription', fromMs: START_MS, toMs: START_MS + 20_000 })
    await stream.return()
  })

  test.each([0, -2 * MINUTE_MS, 2 * MINUTE_MS])(
    "the bounds of a gap are by the service's clock, with a host clock that is off by %i ms",
    async (offsetMs) => {
      const startMs = serviceMs
      const { stream, gap } = await live(offsetMs, {}, { store: undefined, identity: undefined })
      expect(gap).toMatchObject({
        cause: 'before-subscription',
        fromMs: startMs,
        toMs: serviceMs,
        hostFromMs: startMs + offsetMs,
        hostToMs: serviceMs + offsetMs,
        clockOffsetMs: 0 - offsetMs,
      })
      await stream.return()
    },
  )

  test('the bounds of a gap are right if the host clock is set back while the stream is open', async () => {
    const { stream, call, clock, wait } = await live(0, {}, { store: undefined, identity: undefined })
    await wait(5000)
    call.send(order('r1'))
    await take(stream, 1)
    const handledMs = serviceMs
    clock.jumpTo(clock.now() - 60 * MINUTE_MS)
    const more = take(stream, 3)
    call.end(14)
    await wait(10_000)
    ;(await server.call()).send(success())
    const gap = (await more)[2] as Gap
    expect(gap).toMatchObject({
      kind: 'gap',
      fromMs: handledMs,
      toMs: serviceMs,
      clockOffsetMs: 60 * MINUTE_MS,
    })
    expect(gap.hostFromMs).toBeLessThanOrEqual(gap.hostToMs)
    await stream.return()
  })
})

test('return() rejects after five seconds if the store does not respond', async () => {
  const { stream, call, clock } = await live()
  store.compareAndSet = () => new Promise(() => {})
  call.send(order('r1'))
  await take(stream, 1)
  const pending = stream.next()
  await clock.advance(1000)
  const ends = Promise.allSettled([stream.return(), pending])
  await clock.advance(5000)
  for (const end of await ends)
    if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'STREAM_STORE_FAILED' })
  expect((await ends)[0]?.status).toBe('rejected')
})
