import { createSigner } from '@brokerwire/signer'
import { createStreams, createSubscriptionBudget } from '@brokerwire/streams'
import { type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SinkEntry } from '../sink/event-sink.ts'
import { ADDRESS, entries, entry } from '../test/entries.ts'
import {
  connection,
  emitModules,
  idOf,
  nextApp,
  note,
  setUp,
  skip,
  takeEvents,
  useServer,
} from '../test/relay-readers.ts'
import type { RelayItem } from '../wire/items.ts'
import { type StreamAddress, streamName, subjectRoot } from '../wire/subjects.ts'
import { consumeRelay } from './consume.ts'
import { createJetStreamSink } from './jetstream-sink.ts'

useServer()

/**
 * JetStream's API under another prefix: the real one, except that a consumer's server lags, without an error, until the consumer is
 * deleted. Requests for it go to another consumer without messages.
 */
async function startLaggingApi(address: StreamAddress) {
  const stream = streamName(address)
  const { consumers } = await jetstreamManager(connection)
  const filter_subject = `${subjectRoot(address)}.module.event.none.none`
  await consumers.add(stream, { durable_name: 'none', ack_policy: 'all', filter_subject })
  let isLagging = true
  const prefix = `LAGGING.${address.app}`
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
test.skipIf(skip)(`a second loop over one reader is rejected${note}`, async () => {
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
  test('is created again if its server lags behind the stream', async () => {
    const { simulator, address, consume } = await setUp()
    const sent = emitModules(simulator, 5)
    const stream = consume({ js: await startLaggingApi(address), stallTimeoutMs: 1000 })
    expect((await takeEvents(stream, 5)).map(idOf)).toEqual(sent)
    sent.push(...emitModules(simulator, 1))
    expect((await takeEvents(stream, 1)).map(idOf)).toEqual(sent.slice(5))
  })

  test('ends with the command to run if it is shared and its server lags behind', async () => {
    const { simulator, address, consume } = await setUp()
    emitModules(simulator, 1)
    const stream = consume({ js: await startLaggingApi(address), stallTimeoutMs: 1000, ack: 'manual' })
    await expect(stream.next()).rejects.toMatchObject({
      code: 'RELAY_SINK_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining(`nats consumer cluster step-down ${streamName(address)} reader`),
    })
  })

  test('is not created again while its stream has no new messages', async () => {
    const { simulator, address, consume } = await setUp()
    const sent = emitModules(simulator, 3)
    const stream = consume({ stallTimeoutMs: 1000 })
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

  test('yields the items of the streams: events that decode, and notices in order', async () => {
    const { simulator, consume } = await setUp()
    const stream = consume()
    const kinds: string[] = []
    for (let number = 0; number < 7; number += 1) kinds.push((await stream.next()).value?.kind ?? '')
    expect(kinds.sort()).toEqual([
      'gap',
      'gap',
      'gap',
      'subscribed',
      'subscribed',
      'subscribed',
      'writer-changed',
    ])
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
    'yields undecodable messages with their bytes with ack %s',
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

  test('yields the same fields as the streams of the service', async () => {
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
      expect([(await first).value?.kind, (await direct[name].next()).value?.kind].sort()).toEqual([
        'gap',
        'subscribed',
      ])
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

  test('continues after the handled items of the last reader of its name, and yields unhandled ones again', async () => {
    const { simulator, consume } = await setUp()
    const sent = emitModules(simulator, 10)
    const first = consume({ filter: { subscription: 'module' } })
    expect((await takeEvents(first, 4)).map(idOf)).toEqual(sent.slice(0, 4))
    await first.return()
    expect(await first.next()).toEqual({ done: true, value: undefined })
    await connection.flush()
    const second = consume({ filter: { subscription: 'module' } })
    expect((await takeEvents(second, 7)).map(idOf)).toEqual(sent.slice(3))
  })

  test('yields the available messages as a batch, and acknowledges each by itself with ack manual', async () => {
    const { simulator, address, consume } = await setUp()
    const sent = emitModules(simulator, 300)
    const options = { ack: 'manual', filter: { subscription: 'module' } } as const
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
    const info = await consumers.info(streamName(address), 'reader')
    expect(info.num_ack_pending).toBe(2)
  })

  test('delivers each event to one of two readers with ack manual', async () => {
    const { simulator, consume } = await setUp()
    const sent = emitModules(simulator, 60)
    const options = { ack: 'manual', filter: { subscription: 'module' }, buffer: { maxItems: 4 } } as const
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

  test('rejects an event that arrives while it is closed, and another reader receives it at once', async () => {
    const { simulator, address, consume } = await setUp()
    const { js, waiting } = startHeldClient()
    const stream = consume({ js, ack: 'manual', filter: { subscription: 'trade' } })
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
    const [event] = await takeEvents(consume({ ack: 'manual', filter: { subscription: 'trade' } }), 1)
    expect(event && idOf(event)).toBe(sent.requestId)
    // The server would deliver it again by itself after 30 s.
    expect(performance.now() - startedMs).toBeLessThan(15_000)
    event?.ack()
    const { consumers } = await jetstreamManager(connection)
    await expect
      .poll(async () => (await consumers.info(streamName(address), 'reader')).num_ack_pending)
      .toBe(0)
  })

  test('yields the events of the selected accounts and all notices', async () => {
    const { simulator, consume } = await setUp()
    const [one = '', other = ''] = simulator.accounts
    const stream = consume({ filter: { subscription: 'trade', accounts: [other] } })
    for (const kind of ['gap', 'subscribed']) expect((await stream.next()).value?.kind).toBe(kind)
    simulator.emitOrder({ accountId: one })
    const wanted = simulator.emitOrder({ accountId: other })
    expect((await takeEvents(stream, 1)).map(idOf)).toEqual([wanted.requestId])
  })

  test('rejects a durable name with other settings, with the command to delete it', async () => {
    const { consume } = await setUp()
    await consume({ filter: { subscription: 'trade' } }).next()
    await expect(consume({ filter: { subscription: 'module' } }).next()).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'filter_subject', command: expect.stringContaining('nats consumer rm') },
    })
  })

  test('is created again after the last handled message if it is deleted while it is read', async () => {
    const { simulator, address, consume } = await setUp()
    const stream = consume({ filter: { subscription: 'module' } })
    const first = emitModules(simulator, 3)
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(first)
    const { consumers } = await jetstream(connection).jetstreamManager()
    await consumers.delete(streamName(address), 'reader')
    const second = emitModules(simulator, 3)
    // The last one was being handled, and is delivered once.
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(second)
  })

  test('waits for a leader that is still reading its log', async () => {
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
    const stream = consume({ js: slow, filter: { subscription: 'module' }, stallTimeoutMs: 1000 })
    const first = emitModules(simulator, 3)
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(first)
    looks = 0
    const { consumers } = await js.jetstreamManager()
    await consumers.delete(streamName(address), 'reader')
    const second = emitModules(simulator, 3)
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(second)
    expect(looks).toBeGreaterThan(2)
  })

  test('ends with a coded error for a missing stream, another schema and a foreign message, and loses nothing', async () => {
    const { address, consume } = await setUp()
    await expect(consume({ address: { ...address, app: 'none' } }).next()).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
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
    await publish({ ...entry(1).headers, 'Brokerwire-Schema': '3' })
    const filter = { subscription: 'module' } as const
    const first = consume({ filter })
    expect([(await first.next()).value?.kind, (await first.next()).value?.kind].sort()).toEqual([
      'gap',
      'subscribed',
    ])
    const failure = { code: 'RELAY_SCHEMA_UNSUPPORTED', details: { received: 3 } }
    await expect(first.next()).rejects.toMatchObject(failure)
    expect(await first.next()).toEqual({ done: true, value: undefined })
    await connection.flush()
    await expect(consume({ filter }).next()).rejects.toMatchObject(failure)
  })

  test.each(['auto', 'manual'] as const)(
    'yields the batch before an invalid message with ack %s',
    async (ack) => {
      const address = { ...ADDRESS, app: nextApp('unreadable') }
      const sink = createJetStreamSink({ connection, address, createStream: {} })
      onTestFinished(() => sink.close())
      await sink.tail({ maxEntries: 0 })
      const stored = entries(1, 4).map((one) => ({
        ...one,
        subject: one.subject.replace(subjectRoot(ADDRESS), subjectRoot(address)),
      }))
      const unread = stored.pop() as SinkEntry
      await sink.publish([...stored, { ...unread, headers: { ...unread.headers, 'Brokerwire-Schema': '3' } }])
      const batches = () =>
        consumeRelay({ js: jetstream(connection), address, durableName: 'reader', ack }).batches()
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
      expect(failure).toMatchObject({ code: 'RELAY_SCHEMA_UNSUPPORTED' })
      expect(await first.next()).toEqual({ done: true, value: undefined })
      if (ack === 'auto')
        await expect(batches().next()).rejects.toMatchObject({ code: 'RELAY_SCHEMA_UNSUPPORTED' })
    },
  )
})

test.each([
  [{}, 'js'],
  [{ js: { jetstreamManager() {} } }, 'address'],
  [{ js: { jetstreamManager() {} }, address: {}, durableName: 'a' }, 'address.prefix'],
  [{ js: { jetstreamManager() {} }, address: { ...ADDRESS, app: '*.>' }, durableName: 'a' }, 'address.app'],
  [{ js: { jetstreamManager() {} }, address: ADDRESS, durableName: 'a.b' }, 'durableName'],
  [
    { js: { jetstreamManager() {} }, address: ADDRESS, durableName: 'a', filter: { subscriptions: 1 } },
    'filter.subscriptions',
  ],
  [{ js: { jetstreamManager() {} }, address: ADDRESS, durableName: 'a', ack: 'none' }, 'ack'],
])('names a wrong option: %j', (options, option) => {
  expect(() => consumeRelay(options as never)).toThrow(
    expect.objectContaining({ code: 'RELAY_OPTION_INVALID', details: expect.objectContaining({ option }) }),
  )
})
