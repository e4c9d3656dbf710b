/** Streams that have deleted what their writer wrote, or are no longer the same: each is taken over, with a gap. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmittedTradeEvent, startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createJetStreamApi, type StreamConfig } from '../nats/api/jetstream-api.ts'
import { createJetStreamSink } from '../nats/jetstream-sink.ts'
import type { EventSink, StoredEntry } from '../sink/event-sink.ts'
import { createFileSink } from '../sink/file-sink.ts'
import { isEvent, isInGap, startAppRelay, storedNotices } from '../test/app-relay.ts'
import { ADDRESS } from '../test/entries.ts'
import { streamName, streamSubjects } from '../wire/subjects.ts'
import { streamRecordKey } from './stream-record.ts'

const ALL = { maxEntries: 10_000 }
const NAME = streamName(ADDRESS)
const SLOW = { timeout: 20_000 }

async function setUp(open: () => EventSink, store = createMemoryStore()) {
  const simulator = await startSimulator({ seed: 5, slotLingerMs: 0, maxConnections: 100 })
  onTestFinished(() => simulator.close())
  const entries = async (): Promise<readonly StoredEntry[]> => {
    await using sink = open()
    return (await sink.tail(ALL)).entries
  }
  /** Bodies that were stored, by any of the relays. */
  const stored = new Set<string>()
  const watched = (sink: EventSink): EventSink => ({
    tail: (request) => sink.tail(request),
    close: () => sink.close(),
    [Symbol.asyncDispose]: () => sink.close(),
    async publish(batch) {
      const acknowledged = await sink.publish(batch)
      for (const { body } of batch) stored.add(body)
      return acknowledged
    },
  })
  const start = () => startAppRelay({ simulator, store, sink: watched(open()) })
  const isStored = ({ payload }: { readonly payload: string }) =>
    expect.poll(() => stored.has(payload), SLOW).toBe(true)
  const allOpen = () => expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
  const record = async (): Promise<string> => (await store.get(streamRecordKey('main', ADDRESS.app))) ?? ''
  /** Waits until the next writer is subscribed and has stored an event. @returns The messages in the stream. */
  const takesOver = async (): Promise<readonly StoredEntry[]> => {
    // The subscriptions of the previous relay are closed.
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(0)
    const { stop } = start()
    await allOpen()
    const next = simulator.emitOrder()
    await isStored(next)
    expect(await stop()).toMatchObject({ why: 'released' })
    const all = await entries()
    expect(all.filter(isEvent).at(-1)?.body).toBe(next.payload)
    return all
  }
  return { simulator, start, allOpen, isStored, entries, record, takesOver }
}
const expectInGap = (entries: readonly StoredEntry[], lost: readonly EmittedTradeEvent[]): void => {
  for (const { timestampMs } of lost) expect(isInGap(entries, 'trade', timestampMs)).toBe(true)
}

/** The number of messages that exceeds the limits of the stream. */
async function fill(
  { simulator, isStored }: Awaited<ReturnType<typeof setUp>>,
  kilobytes: number,
): Promise<void> {
  const payload = JSON.stringify({ text: 'x'.repeat(16 * 1024) })
  for (let sent = 0; sent < kilobytes; sent += 16)
    simulator.emitModuleFrame({ eventType: 'APPLICATION', payload })
  await isStored(simulator.emitModule({ module: 'application' }))
}

const { skip, note } = needs('nats-server')
let server: ChildServer
let connection: NatsConnection
beforeAll(async () => {
  if (skip) return
  server = await startNats()
  connection = await connect({ port: server.port, timeout: 5000 })
}, 60_000)
afterAll(async () => {
  await connection?.close()
  await server?.close()
})

describe.skipIf(skip)(`a stream of JetStream${note}`, REAL_SERVERS, () => {
  const api = () => createJetStreamApi(connection, NAME, { timeoutMs: 5000, domain: undefined })
  const ask = async (what: string): Promise<void> => {
    await connection.request(`$JS.API.STREAM.${what}.${NAME}`, '', { timeout: 5000 })
  }
  const make = async (limits: StreamConfig = {}): Promise<void> => {
    await api().create({ name: NAME, subjects: [streamSubjects(ADDRESS)], storage: 'file', ...limits })
    onTestFinished(() => ask('DELETE'))
  }
  const open = () => createJetStreamSink({ connection, address: ADDRESS, createStream: {} })

  test.each<[string, StreamConfig, (written: Awaited<ReturnType<typeof setUp>>) => Promise<unknown>]>([
    ['was purged', {}, () => ask('PURGE')],
    ['had more than its limit of 1 MiB', { max_bytes: 1024 * 1024 }, (written) => fill(written, 1500)],
    [
      'has only messages that are too old',
      { max_age: 1e9 },
      () => expect.poll(async () => (await api().info()).messages, SLOW).toBe(0),
    ],
    ['was deleted', {}, () => ask('DELETE')],
    [
      'was deleted and created again',
      {},
      async () => {
        await ask('DELETE')
        await api().create({ name: NAME, subjects: [streamSubjects(ADDRESS)], storage: 'file' })
      },
    ],
  ])('continues with a gap if the stream %s', async (_, limits, lose) => {
    await make(limits)
    const written = await setUp(open)
    const { simulator, start, allOpen, takesOver } = written
    const first = start()
    await allOpen()
    const stored = simulator.emitOrder()
    await written.isStored(stored)
    const isLostWhileOpen = limits.max_bytes !== undefined
    if (isLostWhileOpen) await lose(written)
    expect(await first.stop()).toMatchObject({ why: 'released' })
    if (!isLostWhileOpen) await lose(written)
    const lost = [simulator.emitOrder(), simulator.emitOrder()]
    const entries = await takesOver()
    expectInGap(entries, lost)
    // The stored messages were deleted with the stream.
    if (_.includes('deleted')) expectInGap(entries, [stored])
    expect(storedNotices(entries, 'relay', 'writer-changed').at(-1)).toMatchObject({ state: 'released' })
  })

  test('always has a notice of its writer with a limit of 1 MiB', async () => {
    await make({ max_bytes: 1024 * 1024 })
    const written = await setUp(open)
    written.start()
    await written.allOpen()
    for (let round = 0; round < 4; round += 1) {
      await fill(written, 800)
      expect(storedNotices(await written.entries(), 'relay', 'writer-changed').at(-1)).toMatchObject({
        state: 'renewed',
        completeUntil: { trade: { untilMs: expect.any(Number) } },
      })
    }
  })

  test('reports a gap if it is deleted and created again while it is written', async () => {
    await make()
    const written = await setUp(open)
    const { simulator, start, allOpen, isStored, takesOver } = written
    const first = start()
    await allOpen()
    const lost = [simulator.emitOrder()]
    await isStored(lost[0] as EmittedTradeEvent)
    await ask('DELETE')
    lost.push(simulator.emitOrder())
    await api().create({ name: NAME, subjects: [streamSubjects(ADDRESS)], storage: 'file' })
    lost.push(simulator.emitOrder())
    expect(await first.ended).toMatchObject({ why: 'failed' })
    lost.push(simulator.emitOrder())
    const after = await takesOver()
    expectInGap(after, lost)
    const [gap] = storedNotices(after, 'trade', 'gap')
    expect(gap).toMatchObject({ cause: 'stream-truncated', fromMs: expect.any(Number) })
    // The service does not send a module event again that was only in the lost stream.
    expect(storedNotices(after, 'module', 'gap')[0]).toMatchObject({
      cause: 'stream-truncated',
      eventTypes: ['APPLICATION'],
    })
  })
})

describe('a stream of files', () => {
  const open = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'brokerwire-retention-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const directory = join(folder, 'events')
    const store = createFileStore({ directory: join(folder, 'locks') })
    const sink = () => createFileSink({ directory, name: NAME, store, maxFileBytes: 64 * 1024, maxFiles: 2 })
    return { directory, sink }
  }

  test('continues after its oldest file was deleted', async () => {
    const { directory, sink } = await open()
    const simulator = await startSimulator({ seed: 5, slotLingerMs: 0, maxConnections: 100 })
    onTestFinished(() => simulator.close())
    const store = createMemoryStore()
    const first = startAppRelay({ simulator, store, sink: sink() })
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
    const payload = JSON.stringify({ text: 'x'.repeat(1000) })
    for (let sent = 0; sent < 300; sent += 1) simulator.emitModuleFrame({ eventType: 'APPLICATION', payload })
    await expect.poll(async () => (await readdir(directory)).length, SLOW).toBe(2)
    expect(await first.stop()).toMatchObject({ why: 'released' })
    const second = startAppRelay({ simulator, store, sink: sink() })
    await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
    expect(second.end.value).toBeUndefined()
    expect(await second.stop()).toMatchObject({ why: 'released' })
  })

  test('starts again with a gap after its files were deleted', async () => {
    const { directory, sink } = await open()
    const { simulator, start, allOpen, isStored, takesOver } = await setUp(sink)
    const first = start()
    await allOpen()
    const lost = [simulator.emitOrder()]
    await isStored(lost[0] as EmittedTradeEvent)
    expect(await first.stop()).toMatchObject({ why: 'released' })
    lost.push(simulator.emitOrder())
    for (const file of await readdir(directory)) await rm(join(directory, file))
    expectInGap(await takesOver(), lost)
  })

  test('reports a gap if its files are deleted while they are written', async () => {
    const { directory, sink } = await open()
    const { simulator, start, allOpen, isStored, takesOver } = await setUp(sink)
    const first = start()
    await allOpen()
    const lost = [simulator.emitOrder()]
    await isStored(lost[0] as EmittedTradeEvent)
    for (const file of await readdir(directory)) await rm(join(directory, file))
    lost.push(simulator.emitOrder())
    expect(await first.ended).toMatchObject({ why: 'failed' })
    lost.push(simulator.emitOrder())
    const entries = await takesOver()
    expectInGap(entries, lost)
    expect(storedNotices(entries, 'trade', 'gap')[0]).toMatchObject({ cause: 'stream-truncated' })
  })
})
