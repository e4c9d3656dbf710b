/** Streams of a NATS server that are missing, misconfigured, full or deleted. */
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { describe, expect, test } from 'vitest'
import { isRelayError } from '../relay-error.ts'
import { ADDRESS, entries, entry, keys } from '../test/entries.ts'
import {
  ALL,
  apiOf,
  carryOut,
  drop,
  edit,
  note,
  open,
  sinkOf,
  skip,
  useJetStream,
} from '../test/jetstream.ts'
import { streamName, streamSubjects } from '../wire/subjects.ts'
import type { StreamConfig } from './api/jetstream-api.ts'

useJetStream()

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
    // A server treats 0 as no limit.
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
      code: 'RELAY_EVENT_OVERSIZED',
      details: { maxBytes: 1024 * 1024, configuration: 'max_payload: 2097152' },
      message: expect.stringContaining('max_payload: 2097152'),
    })
    if (!isRelayError(error, 'RELAY_EVENT_OVERSIZED')) return
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
        code: 'RELAY_EVENT_OVERSIZED',
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
