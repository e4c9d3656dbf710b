/** Oversized events: the app continues with the same subscriptions. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { payloads } from '@brokerwire/payloads'
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { createFileStore } from '@brokerwire/stores/file'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createJetStreamSink } from '../nats/jetstream-sink.ts'
import type { EventSink, StoredEntry } from '../sink/event-sink.ts'
import { createFileSink } from '../sink/file-sink.ts'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { startAppRelay } from '../test/app-relay.ts'
import { ADDRESS, entry } from '../test/entries.ts'
import { EntryFactory } from '../wire/entries.ts'
import { HEADER } from '../wire/headers.ts'
import { parseItem } from '../wire/items.ts'
import { streamName, subjectRoot } from '../wire/subjects.ts'
import { OversizedEvents, type OversizedReport } from './oversized-events.ts'

const { skip, note } = needs('nats-server')
const SLOW = { timeout: 20_000 }
const NAME = streamName(ADDRESS)

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-oversized-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function expectContinues(open: () => EventSink, payload: string, limit: string): Promise<void> {
  const directory = join(await temporaryFolder(), 'oversized')
  const simulator = await startSimulator({ seed: 5, slotLingerMs: 0, maxConnections: 100 })
  onTestFinished(() => simulator.close())
  const store = createMemoryStore()
  const reports: OversizedReport[] = []
  const subscriptions: string[] = []
  const start = () =>
    startAppRelay({
      simulator,
      store,
      sink: open(),
      oversized: { directory, maxBytes: 100_000_000 },
      observer: {
        onRelayOversized: (report) => reports.push(report),
        onRelaySubscription: ({ subscription, state }) => subscriptions.push(`${subscription} ${state}`),
      },
    })
  const first = start()
  await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
  simulator.emitModule({ module: 'application' })
  const long = simulator.emitModuleFrame({ eventType: 'APPLICATION', payload })
  const order = simulator.emitTradeFrame({ kind: 'order', payload })
  const next = simulator.emitModule({ module: 'application' })
  await expect.poll(() => reports.length, SLOW).toBe(2)
  expect(first.end.value).toBeUndefined()
  expect(await first.stop()).toMatchObject({ why: 'released' })
  // Each subscription was opened once.
  expect(subscriptions.filter((one) => one.endsWith('opening'))).toHaveLength(3)
  // The next writer recognizes them: the service sends the event at the cursor again.
  await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(0)
  const second = start()
  await expect.poll(() => simulator.subscriptions().length, SLOW).toBe(3)
  expect(await second.stop()).toMatchObject({ why: 'released' })
  await using sink = open()
  const { entries } = await sink.tail({ maxEntries: 1000 })
  const ofKind = (kind: string) => entries.filter(({ headers }) => headers[HEADER.kind] === kind)
  const read = ({ subject, headers, body }: StoredEntry) =>
    parseItem({ subject, getHeader: (name) => headers[name], body }, payloads, () => {})
  const expected = {
    type: 'oversized',
    messageBytes: expect.any(Number),
    maxBytes: expect.any(Number),
    setting: limit,
  }
  const { id, position, timestamp } = long
  const items = ofKind('oversized').map(read)
  expect(items).toHaveLength(2)
  expect(items).toContainEqual(
    expect.objectContaining({
      ...expected,
      subscription: 'module',
      eventType: 'APPLICATION',
      id,
      position,
      timestamp,
    }),
  )
  expect(items).toContainEqual(
    expect.objectContaining({ ...expected, subscription: 'trade', requestId: order.requestId }),
  )
  expect(structuredClone(items)).toEqual(items)
  expect(ofKind('module').map(({ headers }) => headers[HEADER.id])).toContain(next.id)
  for (const { file = '', error } of reports) {
    expect(error).toBeUndefined()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ body: payload })
  }
  expect((await stat(directory)).mode & 0o777).toBe(0o700)
}

describe.skipIf(skip)(`on JetStream${note}`, REAL_SERVERS, () => {
  test.each([
    ['max_payload', {}],
    ['max_msg_size', { max_msg_size: 100_000 }],
  ])('replaces an event that is larger than %s, and continues', async (limit, change) => {
    const server = await startNats()
    onTestFinished(() => server.close())
    const connection = await connect({ port: server.port, timeout: 5000 })
    onTestFinished(() => connection.close())
    const open = () => createJetStreamSink({ connection, address: ADDRESS, createStream: {} })
    {
      await using sink = open()
      await sink.tail({ maxEntries: 0 })
    }
    const info = await connection.request(`$JS.API.STREAM.INFO.${NAME}`, '')
    const { config } = info.json<{ config: object }>()
    await connection.request(`$JS.API.STREAM.UPDATE.${NAME}`, JSON.stringify({ ...config, ...change }))
    await expectContinues(open, JSON.stringify({ text: 'x'.repeat(1_200_000) }), limit)
  })
})

test('replaces an event that is larger than maxFileBytes of a file sink', async () => {
  const folder = await temporaryFolder()
  const store = createFileStore({ directory: join(folder, 'state') })
  const directory = join(folder, 'events')
  const open = () => createFileSink({ directory, name: NAME, store, maxFileBytes: 64 * 1024 })
  await expectContinues(open, JSON.stringify({ text: '\u0001'.repeat(20_000) }), 'maxFileBytes')
})

describe('the directory of oversized events', () => {
  function setUp(directory: string, maxBytes: number) {
    const reports: OversizedReport[] = []
    const events = new OversizedEvents({
      stream: NAME,
      sink: {
        ...createMemoryStream(NAME).open(),
        checkSize: ({ body }) =>
          body.length > 1000
            ? { messageBytes: body.length, maxBytes: 1000, setting: 'max_payload' }
            : undefined,
      },
      entries: new EntryFactory(subjectRoot(ADDRESS), 'x', 'main'),
      directory: { directory, maxBytes },
      onOversized: (report) => reports.push(report),
    })
    return { events, reports }
  }
  const long = (number: number) => ({ ...entry(number), body: 'x'.repeat(2000) })

  test('writes no event beyond its limit, and reports that', async () => {
    const directory = await temporaryFolder()
    await writeFile(join(directory, 'of-another'), 'x'.repeat(10_000))
    const { events, reports } = setUp(directory, 7000)
    // Two copies of one event have one file.
    const fitted = events.fit([entry(1), long(2), long(2), long(3), long(4)])
    expect(fitted.map(({ headers }) => headers[HEADER.type])).toEqual([
      'event',
      ...Array.from({ length: 4 }, () => 'oversized'),
    ])
    expect(fitted.map(({ key }) => key)).toEqual([1, 2, 2, 3, 4].map((number) => entry(number).key))
    await events.written
    expect(reports.map(({ file }) => file !== undefined)).toEqual([true, true, true, false])
    expect(reports[3]?.error).toMatchObject({ message: expect.stringContaining('must have at most') })
    expect(await readdir(directory)).toHaveLength(3)
  })

  test('does not stop the app if a file cannot be written', async () => {
    const file = join(await temporaryFolder(), 'a-file')
    await writeFile(file, '')
    const { events, reports } = setUp(file, 7000)
    events.fit([long(1)])
    await events.written
    expect(reports).toMatchObject([{ file: undefined, error: { code: 'EEXIST' } }])
  })

  test('returns the same array for a batch without oversized events', () => {
    const { events } = setUp('unused', 7000)
    const batch = [entry(1), entry(2)]
    expect(events.fit(batch)).toBe(batch)
  })
})
