/** Consumers whose server or leader lags behind, and consumers that are deleted while they are read. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, onTestFinished, test } from 'vitest'
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
import { type StreamAddress, streamName, subjectRoot } from '../wire/subjects.ts'

useServer()

/**
 * JetStream's API under another prefix, with a server of the consumer that lags behind the stream without an error, until the
 * consumer is deleted. Fetches go to another consumer, which has no messages.
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
        void connection.request(`$JS.API.${what}`).then((response) => {
          message.respond(JSON.stringify({ ...response.json<object>(), num_pending: 0 }))
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

describe.skipIf(skip)(`a consumer whose server lags behind${note}`, { timeout: 60_000 }, () => {
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
    // Real time: the reader checks its consumer several times.
    await new Promise((resolve) => setTimeout(resolve, 4500))
    sent.push(...emitModules(simulator, 1))
    expect((await next).map(idOf)).toEqual(sent.slice(3))
    expect((await consumers.info(streamName(address), 'reader')).created).toBe(created)
  })
})

describe.skipIf(skip)(`a consumer that was deleted${note}`, { timeout: 60_000 }, () => {
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
    let reads = Number.POSITIVE_INFINITY
    const slow = {
      consumers: js.consumers,
      async jetstreamManager(check?: boolean) {
        const manager = await js.jetstreamManager(check)
        const info = async (name: string) => {
          const whole = await manager.streams.info(name)
          reads += 1
          return reads <= 2 ? { ...whole, state: { ...whole.state, last_seq: 1 } } : whole
        }
        const getMessage = manager.streams.getMessage.bind(manager.streams)
        return { consumers: manager.consumers, streams: { info, getMessage } } as unknown as typeof manager
      },
    }
    const stream = consume({ js: slow, filter: { subscription: 'module' }, stallTimeoutMs: 1000 })
    const first = emitModules(simulator, 3)
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(first)
    reads = 0
    const { consumers } = await js.jetstreamManager()
    await consumers.delete(streamName(address), 'reader')
    const second = emitModules(simulator, 3)
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(second)
    expect(reads).toBeGreaterThan(2)
  })
})
