/** Readers with `ack: 'manual'`, which may share a consumer. */
import { type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, test } from 'vitest'
import {
  connection,
  emitModules,
  idOf,
  note,
  setUp,
  skip,
  takeEvents,
  useServer,
} from '../test/relay-readers.ts'
import { streamName } from '../wire/subjects.ts'

useServer()

/** A client whose messages wait until the test releases them. */
function startPausedClient() {
  const waiting: (() => void)[] = []
  const js = jetstream(connection)
  const pause = (iterator: AsyncIterator<JsMsg>) => ({
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
        [Symbol.asyncIterator]: () => pause(iterator),
      })
    }
    return consumer
  }
  const paused: typeof js = Object.assign(Object.create(js), { consumers: { get } })
  return { js: paused, waiting }
}

describe.skipIf(skip)(`a reader with ack manual${note}`, { timeout: 60_000 }, () => {
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
    const { js, waiting } = startPausedClient()
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
    const returned = stream.return()
    waiting.pop()?.()
    const [{ done }] = await Promise.all([next, returned])
    // Otherwise the event would be delivered to this reader and to the next one.
    expect(done).toBe(true)
    const startedMs = performance.now()
    const [event] = await takeEvents(consume({ ack: 'manual', filter: { subscription: 'trade' } }), 1)
    expect(event && idOf(event)).toBe(sent.requestId)
    // Without the rejection (NAK), the server delivers it again after 30 s.
    expect(performance.now() - startedMs).toBeLessThan(15_000)
    event?.ack()
    const { consumers } = await jetstreamManager(connection)
    await expect
      .poll(async () => (await consumers.info(streamName(address), 'reader')).num_ack_pending)
      .toBe(0)
  })
})
