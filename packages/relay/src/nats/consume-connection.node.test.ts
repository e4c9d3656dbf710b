import { startNats } from '@brokerwire/testing/nats'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { MsgImpl } from '@nats-io/nats-core/internal'
import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ADDRESS, entries } from '../test/entries.ts'
import {
  connection,
  idOf,
  nextApp,
  note,
  server,
  skip,
  takeEvents,
  useServer,
} from '../test/relay-readers.ts'
import { subjectRoot } from '../wire/subjects.ts'
import { type ConsumeRelayOptions, consumeRelay } from './consume.ts'
import { createJetStreamSink } from './jetstream-sink.ts'

useServer()

describe.skipIf(skip)(`a consumer of a server that dies${note}`, { timeout: 60_000 }, () => {
  test('yields each item once and in order while the server is killed and restarted', async () => {
    const mortal = await startNats()
    onTestFinished(() => mortal.close())
    const own = await connect({ port: mortal.port, reconnectTimeWait: 20, maxReconnectAttempts: -1 })
    onTestFinished(() => own.close())
    const sink = createJetStreamSink({ connection: own, address: ADDRESS, createStream: {} })
    onTestFinished(() => sink.close())
    await sink.tail({ maxEntries: 0 })
    await sink.publish(entries(1, 300))
    const options = { js: jetstream(own), address: ADDRESS, durableName: 'reader' }
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
    // The last one was not handled, and is redelivered.
    expect(again).toBe('e-350')
    expect([...seen, ...rest]).toEqual(Array.from({ length: 400 }, (_, at) => `e-${at + 1}`))
  })
})

describe.skipIf(skip)(`a consumer whose connection was closed${note}`, { timeout: 60_000 }, () => {
  /** Collects uncaught errors from here on. */
  function collectUncaught(): unknown[] {
    const uncaught: unknown[] = []
    const onUncaught = (error: unknown): void => void uncaught.push(error)
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, onUncaught)
      onTestFinished(() => void process.off(event, onUncaught))
    }
    return uncaught
  }
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  /** One event is delivered and nine are buffered when the connection is closed. */
  async function setUpClosed(how: 'close' | 'drain', change: Partial<ConsumeRelayOptions>) {
    const address = { ...ADDRESS, app: nextApp('closed') }
    const sink = createJetStreamSink({ connection, address, createStream: {} })
    onTestFinished(() => sink.close())
    await sink.tail({ maxEntries: 0 })
    const published = entries(1, 10).map((one) => ({
      ...one,
      subject: one.subject.replace(subjectRoot(ADDRESS), subjectRoot(address)),
    }))
    await sink.publish(published)
    const own = await connect({ port: server.port })
    onTestFinished(() => own.close())
    const stream = consumeRelay({ js: jetstream(own), address, durableName: 'reader', ...change })
    const [first] = await takeEvents(stream, 1)
    const manager = await jetstreamManager(connection)
    const name = await manager.streams.find(published[0]?.subject ?? '')
    const delivered = async () => (await manager.consumers.info(name, 'reader')).delivered.consumer_seq
    await expect.poll(delivered).toBeGreaterThanOrEqual(10)
    // The messages that the server has sent have arrived when it has responded to this.
    await own.flush()
    await own[how]()
    return { stream, first }
  }

  test.each(['close', 'drain'] as const)(
    'fails the reader after %s() with an unhandled item, without an uncaught error',
    async (how) => {
      const uncaught = collectUncaught()
      const { stream } = await setUpClosed(how, {})
      const failure = await (async () => {
        for (;;) await stream.next()
      })().catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
      await nextTurn()
      expect(uncaught).toEqual([])
    },
  )

  test('throws nothing when its signal aborts after the connection was closed', async () => {
    const uncaught = collectUncaught()
    const controller = new AbortController()
    const { stream } = await setUpClosed('close', { signal: controller.signal })
    const responses = vi.spyOn(MsgImpl.prototype, 'respond')
    onTestFinished(() => responses.mockRestore())
    const next = stream.next().catch(() => {})
    controller.abort()
    await next
    await expect.poll(() => responses.mock.calls.length).toBe(1)
    await nextTurn()
    expect(uncaught).toEqual([])
  })

  test('throws nothing for messages that a shared consumer cannot reject', async () => {
    const uncaught = collectUncaught()
    const controller = new AbortController()
    const { first } = await setUpClosed('close', { ack: 'manual', signal: controller.signal })
    const responses = vi.spyOn(MsgImpl.prototype, 'respond')
    onTestFinished(() => responses.mockRestore())
    expect(() => first?.ack()).not.toThrow()
    controller.abort()
    // The delivered message and the nine buffered ones.
    await expect.poll(() => responses.mock.calls.length).toBe(10)
    await nextTurn()
    expect(uncaught).toEqual([])
  })
})
