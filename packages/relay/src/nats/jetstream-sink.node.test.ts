/** Streams of a real NATS server: what every sink keeps, servers that die, and what an operator can do wrong. */

import { startTcpProxy } from '@brokerwire/simulator'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { createInbox, headers } from '@nats-io/nats-core'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRelayError } from '../relay-error.ts'
import { ADDRESS, entries, entry, keys } from '../test/entries.ts'
import { fenceSuite, sinkSuite } from '../test/sink-suite.ts'
import { type StreamAddress, streamName, streamSubjects } from '../wire/subjects.ts'
import { createJetStreamApi, type StreamConfig } from './api/jetstream-api.ts'
import { createJetStreamSink } from './jetstream-sink.ts'
import type { JetStreamSinkOptions, JetStreamSinkState } from './jetstream-sink-options.ts'

const { skip, note } = needs('nats-server')
const ALL = { maxEntries: 10_000 }

const open = (port: number): Promise<NatsConnection> =>
  connect({ port, reconnectTimeWait: 20, maxReconnectAttempts: -1, timeout: 5000 })

let server: ChildServer
let connection: NatsConnection
beforeAll(async () => {
  if (skip) return
  server = await startNats()
  connection = await open(server.port)
}, 60_000)
afterAll(async () => {
  await connection?.close()
  await server?.close()
})

const sinkOf = (options: Partial<JetStreamSinkOptions> = {}) =>
  createJetStreamSink({ connection, address: ADDRESS, createStream: {}, ...options })
/** The connection of the tests, but for how a message leaves it. */
const publishingBy = (publish: NatsConnection['publish']) => ({
  ...(connection.info && { info: connection.info }),
  request: connection.request.bind(connection),
  subscribe: connection.subscribe.bind(connection),
  publish,
})
const apiOf = (address: StreamAddress = ADDRESS) =>
  createJetStreamApi(connection, streamName(address), { timeoutMs: 5000, domain: undefined })
const request = async (what: string, body?: object): Promise<void> => {
  const payload = body === undefined ? '' : JSON.stringify(body)
  const answer = await connection.request(`$JS.API.${what}`, payload, { timeout: 5000 })
  const { error } = answer.json<{ error?: { description: string } }>()
  if (error !== undefined) throw new Error(error.description)
}
const edit = async (change: StreamConfig): Promise<void> =>
  request(`STREAM.UPDATE.${streamName(ADDRESS)}`, { ...(await apiOf().info()).config, ...change })
const drop = async (address: StreamAddress = ADDRESS): Promise<void> => {
  await connection.request(`$JS.API.STREAM.DELETE.${streamName(address)}`, '', { timeout: 5000 })
}

/** Sends the requests that the `nats` command line sends for the command of an error. Debian has no package of it. */
async function carryOut(command: string): Promise<void> {
  const [nats, subject, verb, stream = '', ...flags] = command.split(' ')
  expect([nats, subject]).toEqual(['nats', 'stream'])
  if (verb === 'rm') return request(`STREAM.DELETE.${stream}`)
  expect([verb, stream, flags.at(-1)]).toEqual(['edit', streamName(ADDRESS), '--force'])
  const change: Record<string, unknown> = {}
  for (const flag of flags.slice(0, -1)) {
    const [, name = '', value = ''] = /^--([a-z-]+)(?:=(.+))?$/.exec(flag) ?? []
    if (name === 'ack') change.no_ack = false
    else if (name === 'subjects') change.subjects = [value.replaceAll("'", '')]
    else {
      expect(name).toMatch(/^max-(?:msgs|bytes|msgs-per-subject|msg-size)$/)
      change[name.replaceAll('-', '_')] = Number(value)
    }
  }
  await edit(change)
}

describe.skipIf(skip)(`a stream of JetStream${note}`, REAL_SERVERS, () => {
  const setUp = async () => ({ open: async () => sinkOf(), close: () => drop() })
  sinkSuite(setUp)
  fenceSuite(setUp)

  test('stores no message of a pipeline that arrives after another writer took over, in ten rounds', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    await using proxy = await startTcpProxy({ target: `http://127.0.0.1:${server.port}` })
    const slow = await open(Number(new URL(proxy.url).port))
    onTestFinished(() => slow.close())
    for (let round = 0; round < 10; round += 1) {
      const from = round * 1000
      await using earlier = sinkOf({ connection: slow })
      await using later = sinkOf()
      await earlier.tail({ maxEntries: 0 })
      await earlier.publish(entries(from + 1, from + 20))
      proxy.stall('to-server')
      const late = Promise.allSettled([
        earlier.publish(entries(from + 21, from + 200)),
        earlier.publish(entries(from + 201, from + 400)),
      ])
      const { sequence } = await later.tail({ maxEntries: 0 })
      await later.publish([{ ...entry(0), key: `holder-${round}` }])
      proxy.resume()
      for (const result of await late)
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'RELAY_FENCED' } })
      await later.publish(entries(from + 501, from + 510))
      const { entries: stored } = await later.tail({ maxEntries: 500 })
      expect(keys(stored.filter((one) => one.sequence > sequence))).toEqual([
        `holder-${round}`,
        ...keys(entries(from + 501, from + 510)),
      ])
    }
  })

  test('publishes ids of event, digest and writer, and adds no other header of NATS', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf()
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    const stored = await apiOf().message({ seq: 1 })
    expect(stored?.headers['Nats-Msg-Id']).toMatch(/^APPLICATION:e-1:digest@[\w-]{12}-1$/)
    expect(Object.keys(stored?.headers ?? {}).filter((name) => name.startsWith('Nats-'))).toEqual([
      'Nats-Msg-Id',
      'Nats-Expected-Last-Sequence',
    ])
    expect(stored?.body).toBe(entry(1).body)
  })

  test('has 256 messages in flight, and sends the next one after an acknowledgement', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    let sent = 0
    const counted = publishingBy((...args) => {
      sent += 1
      connection.publish(...args)
    })
    await using sink = sinkOf({ connection: counted })
    await sink.tail(ALL)
    const published = sink.publish(entries(1, 400))
    expect(sent).toBe(256)
    expect(await published).toEqual({ sequence: 400 })
    expect(sent).toBe(400)
  })

  test('resolves each call with the sequence of its own last message after one acknowledgement for both', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    let sent = 0
    const losing = publishingBy((subject, body, options) => {
      sent += 1
      connection.publish(subject, body, sent < 5 ? { ...options, reply: '' } : options)
    })
    await using sink = sinkOf({ connection: losing })
    await sink.tail(ALL)
    const calls = [entries(1, 2), [], [entry(3)], entries(4, 5), []].map((batch) => sink.publish(batch))
    expect((await Promise.all(calls)).map(({ sequence }) => sequence)).toEqual([2, 2, 3, 5, 5])
    expect(sent).toBe(5)
  })

  test('detects a message of another writer at the end', async ({ onTestFinished }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf()
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    await connection.request(`${streamSubjects(ADDRESS).slice(0, -1)}by.hand`, 'x', { timeout: 5000 })
    await expect(sink.publish(entries(2, 5))).rejects.toMatchObject({
      code: 'RELAY_FENCED',
      details: { sequence: 2, writer: undefined },
    })
  })
})

describe.skipIf(skip)(`a misconfigured stream${note}`, REAL_SERVERS, () => {
  const make = (change: StreamConfig) =>
    apiOf().create({
      name: streamName(ADDRESS),
      subjects: [streamSubjects(ADDRESS)],
      storage: 'file',
      ...change,
    })

  test('is created with the given limits by the command in the error of a missing stream', async ({
    onTestFinished,
  }) => {
    await using without = sinkOf({ createStream: undefined })
    await expect(without.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'stream', command: 'brokerwire relay --config FILE --create-stream' },
    })
    onTestFinished(() => drop())
    await using sink = sinkOf({ createStream: { maxAgeMs: 60_000, maxBytes: 100_000 } })
    await sink.tail(ALL)
    expect((await apiOf().info()).config).toMatchObject({
      max_age: 60e9,
      max_bytes: 100_000,
      num_replicas: 1,
      duplicate_window: 60e9,
      storage: 'file',
    })
    await without.tail(ALL)
  })

  const NAME = streamName(ADDRESS)

  test('is created with one replica, seven days and 1 GiB by default', async ({ onTestFinished }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf({ createStream: {} })
    await sink.tail(ALL)
    expect((await apiOf().info()).config).toMatchObject({
      num_replicas: 1,
      max_age: 7 * 86_400e9,
      max_bytes: 1024 ** 3,
    })
  })

  test('is rejected if the server created it with other settings than requested', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    // A server takes 0 for no limit.
    await using sink = sinkOf({ createStream: { maxBytes: 0 } })
    await expect(sink.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'max_bytes', expected: '0', received: '-1', command: undefined },
    })
  })

  test.each<[string, StreamConfig, string]>([
    ['storage', { storage: 'memory' }, `nats stream rm ${NAME}`],
    ['retention', { retention: 'workqueue' }, `nats stream rm ${NAME}`],
    ['sealed', { sealed: true }, `nats stream rm ${NAME}`],
    ['no_ack', { no_ack: true }, `nats stream edit ${NAME} --ack --force`],
    [
      'subjects',
      { subjects: [streamSubjects(ADDRESS), 'others.>'] },
      `nats stream edit ${NAME} --subjects='${streamSubjects(ADDRESS)}' --force`,
    ],
  ])('is corrected by the command in the error: %s', async (setting, change, command) => {
    try {
      const { sealed, ...made } = change
      await make(made)
      if (sealed !== undefined) await edit({ sealed })
      await using sink = sinkOf()
      await expect(sink.tail(ALL)).rejects.toMatchObject({
        code: 'RELAY_SINK_MISCONFIGURED',
        details: { setting, command, stream: NAME },
        message: expect.stringContaining(command),
      })
      await carryOut(command)
      await sink.tail(ALL)
      expect(await sink.publish([entry(1)])).toEqual({ sequence: 1 })
    } finally {
      await drop()
    }
  })

  test.each<[string, StreamConfig, object, string]>([
    [
      'max_msgs',
      { max_msgs: 5, discard: 'new' },
      { expected: 'more than 5', received: '5' },
      '--max-msgs=10',
    ],
    [
      'max_bytes',
      { max_bytes: 4000, discard: 'new' },
      { expected: 'more than 4000', received: '4000' },
      '--max-bytes=8000',
    ],
    [
      'max_msgs_per_subject',
      { max_msgs_per_subject: 5, discard: 'new', discard_new_per_subject: true },
      { expected: 'more than 5', received: '5' },
      '--max-msgs-per-subject=10',
    ],
    ['max_msg_size', { max_msg_size: 2000 }, { expected: '-1', received: '2000' }, '--max-msg-size=-1'],
  ])(
    'accepts messages again after the command in the error of a stream that is full by %s',
    async (setting, change, details, flag) => {
      try {
        await make(change)
        await using sink = sinkOf()
        await sink.tail(ALL)
        let stored = 0
        const publish = async (): Promise<void> => {
          const next =
            setting === 'max_msg_size' && stored === 3
              ? { ...entry(4), body: 'x'.repeat(3000) }
              : entry(stored + 1)
          stored = (await sink.publish([next])).sequence
        }
        const command = `nats stream edit ${NAME} ${flag} --force`
        const untilFull = async (): Promise<void> => {
          while (stored < 100) await publish()
        }
        await expect(untilFull()).rejects.toMatchObject({
          code: 'RELAY_SINK_MISCONFIGURED',
          retryable: false,
          details: { ...details, setting, command, stream: NAME },
          message: expect.stringContaining(command),
        })
        expect(stored).toBeGreaterThan(2)
        expect((await sink.tail(ALL)).sequence).toBe(stored)
        await carryOut(command)
        await publish()
      } finally {
        await drop()
      }
    },
  )

  test("has the line of the server's configuration in the error if its limit exceeds the storage", async ({
    onTestFinished,
  }) => {
    const small = await startNats('jetstream { max_file_store: 100000 }')
    onTestFinished(() => small.close())
    const own = await open(small.port)
    onTestFinished(() => own.close())
    await using asking = sinkOf({ connection: own, createStream: { maxBytes: 200_000 } })
    await expect(asking.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'max_file_store', command: 'jetstream { max_file_store: 400000 }' },
    })
    await using sink = sinkOf({ connection: own, createStream: { maxBytes: -1 } })
    await sink.tail(ALL)
    let stored = 0
    const untilFull = async (): Promise<void> => {
      while (stored < 1000)
        stored = (await sink.publish([{ ...entry(stored + 1), body: 'x'.repeat(10_000) }])).sequence
    }
    await expect(untilFull()).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: {
        setting: 'max_file_store',
        command: expect.stringMatching(/^jetstream \{ max_file_store: [1-9]\d{5} \}$/),
      },
    })
    expect(stored).toBeGreaterThan(5)
  })

  test('accepts a long message after the line of configuration in the error', async ({ onTestFinished }) => {
    onTestFinished(() => drop())
    const long = { ...entry(1), body: 'x'.repeat(1_500_000) }
    await using sink = sinkOf()
    await sink.tail(ALL)
    const error = await sink.publish([long]).catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: 'RELAY_EVENT_TOO_LARGE',
      details: { maxBytes: 1024 * 1024, configuration: 'max_payload: 2097152' },
      message: expect.stringContaining('max_payload: 2097152'),
    })
    if (!isRelayError(error, 'RELAY_EVENT_TOO_LARGE')) return
    const larger = await startNats(error.details.configuration)
    onTestFinished(() => larger.close())
    const own = await open(larger.port)
    onTestFinished(() => own.close())
    await using other = sinkOf({ connection: own })
    await other.tail(ALL)
    expect(await other.publish([long])).toEqual({ sequence: 1 })
  })

  test('rejects an event that is longer than the server accepts, and all after it', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf()
    await sink.tail(ALL)
    const long = { ...entry(3), body: 'x'.repeat(1024 * 1024) }
    const before = sink.publish(entries(1, 2))
    const stopped = sink.publish([entry(3), long, entry(4)])
    const after = sink.publish([entry(5)])
    const [first, ...others] = await Promise.allSettled([before, stopped, after])
    expect(first).toEqual({ status: 'fulfilled', value: { sequence: 2 } })
    for (const { reason } of others as PromiseRejectedResult[])
      expect(reason).toMatchObject({
        code: 'RELAY_EVENT_TOO_LARGE',
        details: { maxBytes: 1024 * 1024 },
      })
    expect(keys((await sink.tail(ALL)).entries)).toEqual(keys(entries(1, 3)))
  })

  test('reports a deleted stream as truncated, then as missing with the command that creates it', async () => {
    await using sink = sinkOf({ createStream: undefined })
    await make({})
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    await drop()
    await expect(sink.publish([entry(2)])).rejects.toMatchObject({ code: 'RELAY_STREAM_TRUNCATED' })
    await expect(sink.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'stream', command: 'brokerwire relay --config FILE --create-stream' },
    })
  })

  test('is reported as truncated if it is created again while it is written', async ({ onTestFinished }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf()
    await sink.tail(ALL)
    await sink.publish(entries(1, 3))
    await drop()
    await make({})
    await expect(sink.publish([entry(4)])).rejects.toMatchObject({
      code: 'RELAY_STREAM_TRUNCATED',
      details: { acknowledged: 3, sequence: 0 },
    })
  })

  test('reports a stream that was deleted while it was written as truncated, and creates it again', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf()
    await sink.tail(ALL)
    await sink.publish(entries(1, 3))
    await drop()
    await expect(sink.publish([entry(4)])).rejects.toMatchObject({
      code: 'RELAY_STREAM_TRUNCATED',
      retryable: true,
      details: { acknowledged: 3, sequence: 0 },
    })
    expect((await sink.tail(ALL)).sequence).toBe(0)
    await sink.publish([entry(4)])
  })

  test('is reported as truncated by a probe if it was deleted or created again', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf()
    await sink.tail(ALL)
    await sink.publish(entries(1, 3))
    expect(await sink.probe?.()).toEqual({ maxAgeMs: 7 * 86_400_000, maxBytes: 1024 ** 3 })
    await drop()
    await expect(sink.probe?.()).rejects.toMatchObject({ code: 'RELAY_STREAM_TRUNCATED' })
    await make({})
    await expect(sink.probe?.()).rejects.toMatchObject({ code: 'RELAY_STREAM_TRUNCATED' })
    await expect(sink.publish([entry(4)])).rejects.toMatchObject({ code: 'RELAY_STREAM_TRUNCATED' })
    expect((await apiOf().info()).messages).toBe(0)
  })

  test('reads changed limits by a probe, which stores nothing', async ({ onTestFinished }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf()
    expect((await sink.tail(ALL)).retention).toEqual({ maxAgeMs: 7 * 86_400_000, maxBytes: 1024 ** 3 })
    await edit({ max_age: 60e9, max_bytes: -1, max_msgs: 9, duplicate_window: 60e9 })
    expect(await sink.probe?.()).toEqual({ maxAgeMs: 60_000, maxMessages: 9 })
    expect((await apiOf().info()).lastSequence).toBe(0)
  })
})

describe.skipIf(skip)(`a server that is killed${note}`, REAL_SERVERS, () => {
  test('fails a probe while it is stopped or killed, and not afterwards', async ({ onTestFinished }) => {
    const mortal = await startNats()
    onTestFinished(() => mortal.close())
    const own = await open(mortal.port)
    onTestFinished(() => own.close())
    await using sink = sinkOf({ connection: own, requestTimeoutMs: 300 })
    await sink.tail(ALL)
    await sink.publish(entries(1, 3))
    const away = { code: 'RELAY_SINK_UNAVAILABLE' }
    await mortal.pause()
    await expect(sink.probe?.()).rejects.toMatchObject(away)
    mortal.resume()
    const isThere = () =>
      sink.probe?.().then(
        () => 'there',
        () => 'away',
      )
    await expect.poll(isThere, { timeout: 10_000 }).toBe('there')
    await mortal.kill()
    await expect(sink.probe?.()).rejects.toMatchObject(away)
    await mortal.restart()
    await expect.poll(isThere, { timeout: 10_000 }).toBe('there')
    expect(await sink.publish([entry(4)])).toEqual({ sequence: 4 })
  })

  test('stores each message once and in order while it is killed and stopped again and again', async ({
    onTestFinished,
  }) => {
    const mortal = await startNats()
    onTestFinished(() => mortal.close())
    const own = await open(mortal.port)
    onTestFinished(() => own.close())
    const states: JetStreamSinkState['state'][] = []
    await using sink = sinkOf({
      connection: own,
      publishTimeoutMs: 200,
      requestTimeoutMs: 1000,
      onState: ({ state }) => states.push(state),
    })
    await sink.tail(ALL)
    const calls: Promise<unknown>[] = []
    let next = 1
    const publishSome = (): void => {
      for (let batch = 0; batch < 40; batch += 1, next += 20)
        calls.push(sink.publish(entries(next, next + 19)))
    }
    for (let round = 0; round < 4; round += 1) {
      publishSome()
      await calls[calls.length - 39 + round * 7]
      await mortal.kill()
      publishSome()
      await mortal.restart()
    }
    publishSome()
    await mortal.pause()
    publishSome()
    await expect.poll(() => states).toContain('waiting')
    mortal.resume()
    await Promise.all(calls)
    await using reader = sinkOf({ connection: own })
    const tail = await reader.tail(ALL)
    expect(tail.sequence).toBe(next - 1)
    expect(keys(tail.entries)).toEqual(keys(entries(1, next - 1)))
  })
})

describe.skipIf(skip)(`headers of the client${note}`, REAL_SERVERS, () => {
  test('contain no line end, which the client would reject', () => {
    expect(() => headers().set('a', `b\r\n${createInbox()}`)).toThrow('\\r')
  })
})
