/** What a relay wrote, as its consumers get it, on a real server. */
import { systemClock } from '@brokerwire/core'
import { createSigner } from '@brokerwire/signer'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { createStreams, createSubscriptionBudget } from '@brokerwire/streams'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { needs } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { MsgHdrsImpl, MsgImpl } from '@nats-io/nats-core/internal'
import { connect, headers, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { KeyRelay } from '../key/key-relay.ts'
import type { SinkEntry } from '../sink/event-sink.ts'
import { ADDRESS, entries, entry } from '../test/entries.ts'
import type { RelayItem } from '../wire/items.ts'
import { type StreamAddress, streamName, subjectRoot } from '../wire/subjects.ts'
import { type ConsumeRelayOptions, consumeRelay } from './consume.ts'
import { createJetStreamSink } from './jetstream-sink.ts'

const { skip, note } = needs('nats-server')

let server: ChildServer
let connection: NatsConnection
beforeAll(async () => {
  if (skip) return
  server = await startNats()
  connection = await connect({ port: server.port, reconnectTimeWait: 20, maxReconnectAttempts: -1 })
}, 60_000)
afterAll(async () => {
  await connection?.close()
  await server?.close()
})

let count = 0
/** A stream of its own, and a relay that writes the simulator's events into it. */
async function setUp() {
  count += 1
  const address: StreamAddress = {
    prefix: 'test',
    environment: 'sandbox',
    region: 'us',
    key: `desk-${count}`,
  }
  const simulator = await startSimulator({ seed: 5 })
  const sink = createJetStreamSink({ connection, address, createStream: {} })
  const relay = new KeyRelay({
    address,
    selection: {
      accounts: simulator.accounts,
      modules: ['application'],
      eventTypes: [],
      subscriptions: ['module', 'trade', 'position'],
    },
    openStreams: (observer) =>
      createStreams<unknown>({
        signer: createSigner(simulator.credentials),
        eventsUrl: simulator.eventsUrl,
        moduleEventsUrl: simulator.moduleEventsUrl,
        budget: createSubscriptionBudget(),
        observer,
      }),
    sink,
    store: createMemoryStore(),
    writer: { fleet: 'main', relay: 'one', incarnation: 'one-1' },
    bufferBytes: 64 * 1024 * 1024,
    slotLingerMs: 0,
    maxConnections: 5,
    openOrder: ['module', 'trade', 'position'],
    clock: systemClock,
    random: Math.random,
  })
  const ended = relay.run(0)
  onTestFinished(async () => {
    relay.handOver(true)
    await ended
    await sink.close()
    await simulator.close()
  })
  await expect.poll(() => simulator.subscriptions().length).toBe(3)
  const consume = (change: Partial<ConsumeRelayOptions> = {}) => {
    const stream = consumeRelay({ js: jetstream(connection), address, durable: 'reader', ...change })
    onTestFinished(async () => {
      await stream.return()
    })
    return stream
  }
  return { simulator, address, consume }
}

/** Takes so many events; notices beside them are left out. */
async function takeEvents(stream: AsyncIterableIterator<RelayItem<unknown>>, wanted: number) {
  const events: Extract<RelayItem<unknown>, { readonly type: 'event' }>[] = []
  while (events.length < wanted) {
    const { done, value } = await stream.next()
    if (done === true) throw new Error('the stream ended')
    if (value.type === 'event') events.push(value)
  }
  return events
}
/**
 * JetStream's API under another prefix: the real one, except that a consumer's server lags in silence until the consumer is
 * deleted. What is asked of it goes to another consumer, for which there is nothing.
 */
async function startLaggingApi(address: StreamAddress) {
  const stream = streamName(address)
  const { consumers } = await jetstreamManager(connection)
  const filter_subject = `${subjectRoot(address)}.module.event.none.none`
  await consumers.add(stream, { durable_name: 'none', ack_policy: 'all', filter_subject })
  let isLagging = true
  const prefix = `LAGGING.${address.key}`
  const subscription = connection.subscribe(`${prefix}.>`, {
    callback: (_, message) => {
      const what = message.subject.slice(prefix.length + 1)
      if (what.startsWith('CONSUMER.DELETE.')) isLagging = false
      if (isLagging && what.startsWith('CONSUMER.INFO.')) {
        void connection.request(`$JS.API.${what}`).then((answer) => {
          message.respond(JSON.stringify({ ...answer.json<object>(), num_pending: 0 }))
        })
        return
      }
      const isNext = isLagging && what.startsWith('CONSUMER.MSG.NEXT.')
      const real = isNext ? `CONSUMER.MSG.NEXT.${stream}.none` : what
      connection.publish(`$JS.API.${real}`, message.data, { reply: message.reply ?? '' })
    },
  })
  onTestFinished(() => subscription.unsubscribe())
  return jetstream(connection, { apiPrefix: prefix })
}
/** A client whose messages come when they are let through. */
function startHeldClient() {
  const waiting: (() => void)[] = []
  const js = jetstream(connection)
  const hold = (iterator: AsyncIterator<JsMsg>) => ({
    async next() {
      const result = await iterator.next()
      if (result.done !== true) await new Promise<void>((resolve) => waiting.push(resolve))
      return result
    },
  })
  const get: typeof js.consumers.get = async (...names) => {
    const consumer = await js.consumers.get(...names)
    const fetch = consumer.fetch.bind(consumer)
    consumer.fetch = async (options) => {
      const messages = await fetch(options)
      const iterator = messages[Symbol.asyncIterator]()
      return Object.assign(Object.create(messages), {
        close: () => messages.close(),
        [Symbol.asyncIterator]: () => hold(iterator),
      })
    }
    return consumer
  }
  const held: typeof js = Object.assign(Object.create(js), { consumers: { get } })
  return { js: held, waiting }
}
const idOf = (event: { readonly service: string }): string =>
  'id' in event ? String(event.id) : 'requestId' in event ? String(event.requestId) : ''
const emitModules = (simulator: Simulator, number: number): string[] =>
  Array.from({ length: number }, () => simulator.emitModule({ module: 'application' }).id)

test.skipIf(skip)(`a second reader of one stream is refused${note}`, async () => {
  const { simulator, consume } = await setUp()
  const reader = consume()
  simulator.emitModule({ module: 'application' })
  await reader.next()
  for await (const _ of reader) break
  expect(() => reader.batches()).toThrow(expect.objectContaining({ code: 'RELAY_CLOSED' }))
  const other = consume()
  const batches = other.batches()
  expect(() => other[Symbol.asyncIterator]()).toThrow(
    expect.objectContaining({ code: 'RELAY_READER_IN_USE' }),
  )
  await batches.return()
})

describe.skipIf(skip)(`a consumer${note}`, { timeout: 60_000 }, () => {
  test('whose server lags behind the stream in silence: it waited for ever, and is made anew', async () => {
    const { simulator, address, consume } = await setUp()
    const sent = emitModules(simulator, 5)
    const stream = consume({ js: await startLaggingApi(address), stallMs: 1000 })
    expect((await takeEvents(stream, 5)).map(idOf)).toEqual(sent)
    sent.push(...emitModules(simulator, 1))
    expect((await takeEvents(stream, 1)).map(idOf)).toEqual(sent.slice(5))
  })

  test('the same, shared by several: it ends with an error that says what to do', async () => {
    const { simulator, address, consume } = await setUp()
    emitModules(simulator, 1)
    const stream = consume({ js: await startLaggingApi(address), stallMs: 1000, ack: 'manual' })
    await expect(stream.next()).rejects.toMatchObject({
      code: 'RELAY_SINK_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining(`nats consumer cluster step-down ${streamName(address)} reader`),
    })
  })

  test('that has everything is left as it is, however quiet its stream is', async () => {
    const { simulator, address, consume } = await setUp()
    const sent = emitModules(simulator, 3)
    const stream = consume({ stallMs: 1000 })
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(sent)
    const { consumers } = await jetstreamManager(connection)
    const { created } = await consumers.info(streamName(address), 'reader')
    const next = takeEvents(stream, 1)
    // Real time: several looks.
    await new Promise((resolve) => setTimeout(resolve, 4500))
    sent.push(...emitModules(simulator, 1))
    expect((await next).map(idOf)).toEqual(sent.slice(3))
    expect((await consumers.info(streamName(address), 'reader')).created).toBe(created)
  })

  test('gets the items that the streams yield: events that decode, and notices in their places', async () => {
    const { simulator, consume } = await setUp()
    const stream = consume()
    const kinds: string[] = []
    for (let number = 0; number < 6; number += 1) kinds.push((await stream.next()).value?.kind ?? '')
    expect(kinds.sort()).toEqual(['gap', 'gap', 'holder', 'subscribed', 'subscribed', 'subscribed'])
    const order = simulator.emitOrder()
    const [first] = await takeEvents(stream, 1)
    expect(first).toMatchObject({
      type: 'event',
      service: 'trade',
      kind: 'order',
      eventType: 1024,
      requestId: order.requestId,
      payload: order.payload,
      timestamp: String(order.timestampMs),
      contentType: order.contentType,
      unknownFields: [],
    })
    expect(first?.decode()).toMatchObject({ ok: true })
    const emitted = simulator.emitModule({ module: 'application' })
    const [module] = await takeEvents(stream, 1)
    expect(module).toMatchObject({
      service: 'module',
      kind: 'module',
      id: emitted.id,
      eventType: 'APPLICATION',
      timestamp: emitted.timestamp,
      cursor: { eventType: 'APPLICATION', position: emitted.position },
    })
    expect(module?.decode()).toMatchObject({ ok: true })
  })

  test.each(['auto', 'manual'] as const)(
    'with ack: %s gets messages that cannot be decoded, with their bytes',
    async (ack) => {
      const { simulator, consume } = await setUp()
      const stream = consume({ ack })
      simulator.faults.nextFrame('invalid-utf8', { service: 'module' })
      emitModules(simulator, 2)
      const items: RelayItem<unknown>[] = []
      for await (const item of stream) {
        items.push(item)
        if (item.type === 'event') break
      }
      const undecodable = items.find((item) => item.type === 'undecodable')
      expect(undecodable).toMatchObject({
        service: 'module',
        reason: 'malformed',
        length: undecodable?.bytes?.length,
      })
      expect([...(undecodable?.bytes?.slice(-3) ?? [])]).toEqual([0x1a, 1, 0xff])
    },
  )

  test('gets what a program on the streams themselves gets, field by field', async () => {
    const { simulator, consume } = await setUp()
    const streams = createStreams({
      signer: createSigner(simulator.credentials),
      eventsUrl: simulator.eventsUrl,
      moduleEventsUrl: simulator.moduleEventsUrl,
      budget: createSubscriptionBudget(),
    })
    onTestFinished(() => streams.close())
    const direct = {
      module: streams.moduleEvents({ modules: ['application'] }),
      trade: streams.tradeEvents({ accounts: simulator.accounts }),
    }
    for (const name of ['module', 'trade'] as const) {
      const first = direct[name].next()
      await expect.poll(() => simulator.subscriptions().length).toBe(name === 'module' ? 4 : 5)
      expect((await first).value?.kind).toBe('subscribed')
    }
    const relayed = consume()
    for (const name of ['module', 'trade'] as const) {
      if (name === 'module') simulator.emitModule({ module: 'application' })
      else simulator.emitOrder()
      const [ours] = await takeEvents(relayed, 1)
      const { value: theirs } = await direct[name].next()
      const fields = Object.entries(ours ?? {}).filter(([field]) => field !== 'receivedAtMs')
      for (const [field, value] of fields)
        if (typeof value !== 'function')
          expect([field, value]).toEqual([field, theirs?.[field as keyof typeof theirs]])
      expect(fields.length).toBeGreaterThan(8)
      expect(ours?.decode()).toEqual(theirs?.type === 'event' ? theirs.decode() : undefined)
    }
  })

  test('goes on where the last one of its name stopped: what was handled does not come again, what was in hand does', async () => {
    const { simulator, consume } = await setUp()
    const sent = emitModules(simulator, 10)
    const first = consume({ filter: { stream: 'module' } })
    expect((await takeEvents(first, 4)).map(idOf)).toEqual(sent.slice(0, 4))
    await first.return()
    expect(await first.next()).toEqual({ done: true, value: undefined })
    await connection.flush()
    const second = consume({ filter: { stream: 'module' } })
    expect((await takeEvents(second, 7)).map(idOf)).toEqual(sent.slice(3))
  })

  test('batches hold what is there, and ack() with manual is for each by itself', async () => {
    const { simulator, consume } = await setUp()
    const sent = emitModules(simulator, 300)
    const options = { ack: 'manual', filter: { stream: 'module' } } as const
    const batches = consume(options).batches()
    const seen: string[] = []
    let sizes = 0
    while (seen.length < 300) {
      const { done, value } = await batches.next()
      if (done === true) throw new Error('the stream ended')
      sizes += 1
      const events = [...value].filter((item) => item.type === 'event')
      seen.push(...events.map(idOf))
      for (const event of events) if (!sent.slice(100, 102).includes(idOf(event))) event.ack()
    }
    expect(seen).toEqual(sent)
    expect(sizes).toBeLessThan(150)
    await batches.return()
    await connection.flush()
    const { consumers } = await jetstreamManager(connection)
    const info = await consumers.info(
      streamName({ prefix: 'test', environment: 'sandbox', region: 'us', key: `desk-${count}` }),
      'reader',
    )
    expect(info.num_ack_pending).toBe(2)
  })

  test('two of one name with manual share the work: each event comes to one of them', async () => {
    const { simulator, consume } = await setUp()
    const sent = emitModules(simulator, 60)
    const options = { ack: 'manual', filter: { stream: 'module' }, maxMessages: 4 } as const
    const both = [consume(options), consume(options)]
    const seen: string[] = []
    const work = async (stream: (typeof both)[number]): Promise<void> => {
      for await (const item of stream) {
        if (item.type !== 'event') continue
        seen.push(idOf(item))
        item.ack()
        if (seen.length === sent.length) await Promise.all(both.map((one) => one.return()))
      }
    }
    await Promise.all(both.map(work))
    expect(seen.sort()).toEqual(sent.sort())
  })

  test('left while it waits, shared by several: an event that comes in that moment is given back, and another one gets it at once', async () => {
    const { simulator, address, consume } = await setUp()
    const { js, waiting } = startHeldClient()
    const stream = consume({ js, ack: 'manual', filter: { stream: 'trade' } })
    for (const kind of ['gap', 'subscribed']) {
      const first = stream.next()
      await expect.poll(() => waiting.length).toBe(1)
      waiting.pop()?.()
      expect((await first).value?.kind).toBe(kind)
    }
    const next = stream.next()
    const sent = simulator.emitOrder()
    await expect.poll(() => waiting.length).toBe(1)
    const leaving = stream.return()
    waiting.pop()?.()
    const [{ done }] = await Promise.all([next, leaving])
    // It was passed to the reader and given back as well, so both handled it.
    expect(done).toBe(true)
    const startedMs = performance.now()
    const [event] = await takeEvents(consume({ ack: 'manual', filter: { stream: 'trade' } }), 1)
    expect(event && idOf(event)).toBe(sent.requestId)
    // The server would deliver it again by itself after 30 s.
    expect(performance.now() - startedMs).toBeLessThan(15_000)
    event?.ack()
    const { consumers } = await jetstreamManager(connection)
    await expect
      .poll(async () => (await consumers.info(streamName(address), 'reader')).num_ack_pending)
      .toBe(0)
  })

  test('with accounts gets their events and every notice', async () => {
    const { simulator, consume } = await setUp()
    const [one = '', other = ''] = simulator.accounts
    const stream = consume({ filter: { stream: 'trade', accounts: [other] } })
    for (const kind of ['gap', 'subscribed']) expect((await stream.next()).value?.kind).toBe(kind)
    simulator.emitOrder({ accountId: one })
    const wanted = simulator.emitOrder({ accountId: other })
    expect((await takeEvents(stream, 1)).map(idOf)).toEqual([wanted.requestId])
  })

  test('a name that was made for something else is refused, with the command', async () => {
    const { consume } = await setUp()
    await consume({ filter: { stream: 'trade' } }).next()
    await expect(consume({ filter: { stream: 'module' } }).next()).rejects.toMatchObject({
      code: 'RELAY_SINK_UNFIT',
      details: { setting: 'filter_subject', command: expect.stringContaining('nats consumer rm') },
    })
  })

  test('a consumer that somebody deletes while it is read is made anew behind what was handled: each event once, in order', async () => {
    const { simulator, address, consume } = await setUp()
    const stream = consume({ filter: { stream: 'module' } })
    const first = emitModules(simulator, 3)
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(first)
    const { consumers } = await jetstream(connection).jetstreamManager()
    await consumers.delete(streamName(address), 'reader')
    const second = emitModules(simulator, 3)
    // The last one was in hand, and comes once.
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(second)
  })

  test('a leader that has not read its own log yet is waited for: it was taken for restored data', async () => {
    const { simulator, address, consume } = await setUp()
    const js = jetstream(connection)
    let looks = Number.POSITIVE_INFINITY
    const slow = {
      consumers: js.consumers,
      async jetstreamManager(check?: boolean) {
        const manager = await js.jetstreamManager(check)
        const info = async (name: string) => {
          const whole = await manager.streams.info(name)
          looks += 1
          return looks <= 2 ? { ...whole, state: { ...whole.state, last_seq: 1 } } : whole
        }
        const getMessage = manager.streams.getMessage.bind(manager.streams)
        return { consumers: manager.consumers, streams: { info, getMessage } } as unknown as typeof manager
      },
    }
    const stream = consume({ js: slow, filter: { stream: 'module' }, stallMs: 1000 })
    const first = emitModules(simulator, 3)
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(first)
    looks = 0
    const { consumers } = await js.jetstreamManager()
    await consumers.delete(streamName(address), 'reader')
    const second = emitModules(simulator, 3)
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(second)
    expect(looks).toBeGreaterThan(2)
  })

  test('a stream that is missing, a newer schema and a message of others are typed errors, and nothing is lost', async () => {
    const { address, consume } = await setUp()
    await expect(consume({ address: { ...address, key: 'none' } }).next()).rejects.toMatchObject({
      code: 'RELAY_SINK_UNFIT',
      details: { setting: 'stream', command: 'brokerwire relay --config FILE --create-stream' },
    })
    const publish = async (header: Record<string, string>): Promise<void> => {
      const sent = headers()
      for (const [name, value] of Object.entries(header)) sent.set(name, value)
      await connection.request(`${subjectRoot(address)}.module.event._.X`, 'x', {
        headers: sent,
        timeout: 5000,
      })
    }
    await publish({ ...entry(1).headers, 'Brokerwire-Schema': '2' })
    const filter = { stream: 'module' } as const
    const first = consume({ filter })
    expect((await first.next()).value?.kind).toBe('subscribed')
    const failure = { code: 'RELAY_SCHEMA_UNKNOWN', details: { received: '2' } }
    await expect(first.next()).rejects.toMatchObject(failure)
    expect(await first.next()).toEqual({ done: true, value: undefined })
    await connection.flush()
    await expect(consume({ filter }).next()).rejects.toMatchObject(failure)
  })

  test.each(['auto', 'manual'] as const)(
    'with ack %s, a message that cannot be read keeps nobody from the batch of those before it',
    async (ack) => {
      count += 1
      const address = { ...ADDRESS, key: `unreadable-${count}` }
      const sink = createJetStreamSink({ connection, address, createStream: {} })
      onTestFinished(() => sink.close())
      await sink.tail({ maxEntries: 0 })
      const stored = entries(1, 4).map((one) => ({
        ...one,
        subject: one.subject.replace(subjectRoot(ADDRESS), subjectRoot(address)),
      }))
      const unread = stored.pop() as SinkEntry
      await sink.publish([...stored, { ...unread, headers: { ...unread.headers, 'Brokerwire-Schema': '2' } }])
      const batches = () =>
        consumeRelay({ js: jetstream(connection), address, durable: 'reader', ack }).batches()
      const first = batches()
      const found: RelayItem<unknown>[] = []
      const failure = await (async () => {
        for (;;) {
          const { value } = await first.next()
          found.push(...(value ?? []))
          value?.ack()
        }
      })().catch((error: unknown) => error)
      expect(found).toHaveLength(stored.length)
      expect(failure).toMatchObject({ code: 'RELAY_SCHEMA_UNKNOWN' })
      expect(await first.next()).toEqual({ done: true, value: undefined })
      if (ack === 'auto')
        await expect(batches().next()).rejects.toMatchObject({ code: 'RELAY_SCHEMA_UNKNOWN' })
    },
  )
})

describe.skipIf(skip)(`what a consumer reads${note}`, { timeout: 60_000 }, () => {
  /** So many long events in a stream of a server that was set to take them. */
  async function setUpLong(long: readonly SinkEntry[]) {
    const large = await startNats('max_payload: 4194304')
    onTestFinished(() => large.close())
    const own = await connect({ port: large.port })
    onTestFinished(() => own.close())
    const sink = createJetStreamSink({ connection: own, address: ADDRESS, createStream: {} })
    onTestFinished(() => sink.close())
    await sink.tail({ maxEntries: 0 })
    await sink.publish(long)
    return { own, js: jetstream(own) }
  }
  const longEntries = (count: number, bytes: number): SinkEntry[] =>
    entries(1, count).map((one) => ({ ...one, body: 'x'.repeat(bytes) }))

  test('where a raised max_payload lets in messages over 1 MiB, no more than maxBytes of them wait here, also before the first has come', async () => {
    const bytes = 3 * 1024 * 1024
    const { own, js } = await setUpLong(longEntries(12, bytes))
    const maxBytes = 16 * 1024 * 1024
    const stream = consumeRelay({ js, address: ADDRESS, durable: 'reader', maxBytes })
    onTestFinished(async () => {
      await stream.return()
    })
    const { consumers } = await jetstreamManager(own)
    const waiting = async (): Promise<number> => {
      const { delivered, ack_floor } = await consumers.info(streamName(ADDRESS), 'reader')
      return (delivered.stream_seq - ack_floor.stream_seq) * bytes
    }
    const [first] = await takeEvents(stream, 1)
    // What was asked for comes at once: the server has answered when it has answered this.
    await own.flush()
    expect(await waiting()).toBeGreaterThanOrEqual(bytes)
    expect(await waiting()).toBeLessThanOrEqual(maxBytes)
    const rest = await takeEvents(stream, 11)
    expect([first, ...rest].map((event) => event && idOf(event))).toEqual(
      entries(1, 12).map((_, at) => `e-${at + 1}`),
    )
    expect(rest.every(({ payload }) => payload.length === bytes)).toBe(true)
  })

  test('one message that is longer than maxBytes comes all the same, by itself', async () => {
    const { js } = await setUpLong(longEntries(3, 3 * 1024 * 1024))
    const stream = consumeRelay({ js, address: ADDRESS, durable: 'reader', maxBytes: 1024 * 1024 })
    onTestFinished(async () => {
      await stream.return()
    })
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(['e-1', 'e-2', 'e-3'])
  })

  test('a body that begins with a byte order mark came without it: it comes as it was published', async () => {
    const bodies = ['\uFEFF{}', '{"text":"\u00e9\uFEFF"}', '']
    const { js } = await setUpLong(bodies.map((body, at) => ({ ...entry(at + 1), body })))
    const stream = consumeRelay({ js, address: ADDRESS, durable: 'reader' })
    expect((await takeEvents(stream, 3)).map(({ payload }) => payload)).toEqual(bodies)
    await stream.return()
  })

  test('each item that was asked behind is acknowledged, also while nobody leaves', async () => {
    const { own, js } = await setUpLong(longEntries(200, 700))
    const acks: string[] = []
    own.subscribe('$JS.ACK.>', {
      callback: (_, { subject }) => void acks.push(subject.split('.').at(-4) ?? ''),
    })
    const stream = consumeRelay({ js, address: ADDRESS, durable: 'reader' })
    await takeEvents(stream, 200)
    const { consumers } = await jetstreamManager(own)
    const floor = async () => (await consumers.info(streamName(ADDRESS), 'reader')).ack_floor.stream_seq
    // The last one is in hand.
    await expect.poll(floor).toBe(199)
    expect(acks).toEqual(Array.from({ length: 199 }, (_, at) => String(at + 1)))
    await stream.return()
  })

  test('headers are read from the bytes that came: the client decodes none of them', async () => {
    const { address, simulator, consume } = await setUp()
    const decode = vi.spyOn(MsgHdrsImpl, 'decode')
    onTestFinished(() => decode.mockRestore())
    const sent = emitModules(simulator, 20)
    const stream = consume({ address, filter: { stream: 'module' } })
    expect((await takeEvents(stream, 20)).map(idOf)).toEqual(sent)
    const decoded = decode.mock.calls.map(([bytes]) => new TextDecoder().decode(bytes))
    expect(decoded.filter((text) => text.includes('Brokerwire-'))).toEqual([])
  })
})

describe.skipIf(skip)(`a consumer of a server that dies${note}`, { timeout: 60_000 }, () => {
  test('killed and restarted while it reads: each item once and in order, and so after it began again', async () => {
    const mortal = await startNats()
    onTestFinished(() => mortal.close())
    const own = await connect({ port: mortal.port, reconnectTimeWait: 20, maxReconnectAttempts: -1 })
    onTestFinished(() => own.close())
    const sink = createJetStreamSink({ connection: own, address: ADDRESS, createStream: {} })
    onTestFinished(() => sink.close())
    await sink.tail({ maxEntries: 0 })
    await sink.publish(entries(1, 300))
    const options = { js: jetstream(own), address: ADDRESS, durable: 'reader' }
    const seen: string[] = []
    const first = consumeRelay(options)
    seen.push(...(await takeEvents(first, 150)).map(idOf))
    await mortal.kill()
    await mortal.restart()
    await sink.publish(entries(301, 400))
    seen.push(...(await takeEvents(first, 200)).map(idOf))
    await first.return()
    const second = consumeRelay(options)
    const [again, ...rest] = (await takeEvents(second, 51)).map(idOf)
    await second.return()
    // The last one was in hand, and comes again.
    expect(again).toBe('e-350')
    expect([...seen, ...rest]).toEqual(Array.from({ length: 400 }, (_, at) => `e-${at + 1}`))
  })
})

describe.skipIf(skip)(`a consumer whose connection was closed for good${note}`, { timeout: 60_000 }, () => {
  /** What nobody has caught, from here on. */
  function hearUncaught(): unknown[] {
    const uncaught: unknown[] = []
    const hear = (error: unknown): void => void uncaught.push(error)
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, hear)
      onTestFinished(() => void process.off(event, hear))
    }
    return uncaught
  }
  const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  /** One event in hand and nine that wait, and then the connection ends. */
  async function setUpClosed(how: 'close' | 'drain', change: Partial<ConsumeRelayOptions>) {
    count += 1
    const address = { ...ADDRESS, key: `closed-${count}` }
    const sink = createJetStreamSink({ connection, address, createStream: {} })
    onTestFinished(() => sink.close())
    await sink.tail({ maxEntries: 0 })
    await sink.publish(
      entries(1, 10).map((one) => ({
        ...one,
        subject: one.subject.replace(subjectRoot(ADDRESS), subjectRoot(address)),
      })),
    )
    const own = await connect({ port: server.port })
    onTestFinished(() => own.close())
    const stream = consumeRelay({ js: jetstream(own), address, durable: 'reader', ...change })
    const [first] = await takeEvents(stream, 1)
    // What was asked for has come when the server has answered this.
    await own.flush()
    await own[how]()
    return { stream, first }
  }

  test.each(['close', 'drain'] as const)(
    'by %s() with an item in hand: the reader is told, and nothing is thrown that nobody hears',
    async (how) => {
      const uncaught = hearUncaught()
      const { stream } = await setUpClosed(how, {})
      const failure = await (async () => {
        for (;;) await stream.next()
      })().catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
      await aTurn()
      expect(uncaught).toEqual([])
    },
  )

  test('and then left by its signal: the acknowledgement of what was handled throws nothing', async () => {
    const uncaught = hearUncaught()
    const leaving = new AbortController()
    const { stream } = await setUpClosed('close', { signal: leaving.signal })
    const answered = vi.spyOn(MsgImpl.prototype, 'respond')
    onTestFinished(() => answered.mockRestore())
    const next = stream.next().catch(() => {})
    leaving.abort()
    await next
    await expect.poll(() => answered.mock.calls.length).toBe(1)
    await aTurn()
    expect(uncaught).toEqual([])
  })

  test('shared by several, and then left by its signal: what cannot be given back any more throws nothing', async () => {
    const uncaught = hearUncaught()
    const leaving = new AbortController()
    const { first } = await setUpClosed('close', { ack: 'manual', signal: leaving.signal })
    const answered = vi.spyOn(MsgImpl.prototype, 'respond')
    onTestFinished(() => answered.mockRestore())
    expect(() => first?.ack()).not.toThrow()
    leaving.abort()
    // Each that waits, behind that one.
    await expect.poll(() => answered.mock.calls.length).toBe(10)
    await aTurn()
    expect(uncaught).toEqual([])
  })
})

test.each([
  [{}, 'js'],
  [{ js: { jetstreamManager() {} } }, 'address'],
  [{ js: { jetstreamManager() {} }, address: {}, durable: 'a' }, 'address.prefix'],
  [{ js: { jetstreamManager() {} }, address: { ...ADDRESS, key: '*.>' }, durable: 'a' }, 'address.key'],
  [{ js: { jetstreamManager() {} }, address: ADDRESS, durable: 'a.b' }, 'durable'],
  [
    { js: { jetstreamManager() {} }, address: ADDRESS, durable: 'a', filter: { streams: 1 } },
    'filter.streams',
  ],
  [{ js: { jetstreamManager() {} }, address: ADDRESS, durable: 'a', ack: 'none' }, 'ack'],
])('wrong options are named: %j', (options, option) => {
  expect(() => consumeRelay(options as never)).toThrow(
    expect.objectContaining({ code: 'RELAY_OPTION_INVALID', details: expect.objectContaining({ option }) }),
  )
})
