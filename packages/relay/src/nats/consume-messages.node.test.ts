import { startNats } from '@brokerwire/testing/nats'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { MsgHdrsImpl } from '@nats-io/nats-core/internal'
import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SinkEntry } from '../sink/event-sink.ts'
import { ADDRESS, entries, entry } from '../test/entries.ts'
import { emitModules, idOf, note, setUp, skip, takeEvents, useServer } from '../test/relay-readers.ts'
import { oversizedHeaders } from '../wire/headers.ts'
import { eventSubject, streamName, subjectRoot } from '../wire/subjects.ts'
import { consumeRelay } from './consume.ts'
import { createJetStreamSink } from './jetstream-sink.ts'

useServer()

describe.skipIf(skip)(`messages of a consumer${note}`, { timeout: 60_000 }, () => {
  /** A stream with long events, on a server whose `max_payload` was raised. */
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

  const oversizedEntry = (one: SinkEntry): SinkEntry => ({
    ...one,
    headers: oversizedHeaders(one.headers, {
      messageBytes: 2_000_000,
      maxBytes: 1_000_000,
      setting: 'max_payload',
    }),
    body: '',
  })

  test('leaves out oversized events of other accounts', async () => {
    const ofOther = {
      ...entry(1),
      subject: eventSubject(subjectRoot(ADDRESS), 'module', 'ACC2', 'APPLICATION'),
    }
    const { js } = await setUpLong([oversizedEntry(ofOther), oversizedEntry(entry(2))])
    const stream = consumeRelay({
      js,
      address: ADDRESS,
      durableName: 'reader',
      filter: { accounts: ['ACC1'] },
    })
    expect((await stream.next()).value).toMatchObject({ type: 'oversized', id: 'e-2' })
    await stream.return()
  })

  test('buffers at most maxBytes of messages over 1 MiB if max_payload was raised', async () => {
    const bytes = 3 * 1024 * 1024
    const { own, js } = await setUpLong(longEntries(12, bytes))
    const maxBytes = 16 * 1024 * 1024
    const stream = consumeRelay({ js, address: ADDRESS, durableName: 'reader', buffer: { maxBytes } })
    onTestFinished(async () => {
      await stream.return()
    })
    const { consumers } = await jetstreamManager(own)
    const waiting = async (): Promise<number> => {
      const { delivered, ack_floor } = await consumers.info(streamName(ADDRESS), 'reader')
      return (delivered.stream_seq - ack_floor.stream_seq) * bytes
    }
    const [first] = await takeEvents(stream, 1)
    // The requested messages have arrived when the server has responded to this.
    await own.flush()
    expect(await waiting()).toBeGreaterThanOrEqual(bytes)
    expect(await waiting()).toBeLessThanOrEqual(maxBytes)
    const rest = await takeEvents(stream, 11)
    expect([first, ...rest].map((event) => event && idOf(event))).toEqual(
      entries(1, 12).map((_, at) => `e-${at + 1}`),
    )
    expect(rest.every(({ payload }) => payload.length === bytes)).toBe(true)
  })

  test('delivers one message that is longer than maxBytes, alone', async () => {
    const { js } = await setUpLong(longEntries(3, 3 * 1024 * 1024))
    const stream = consumeRelay({
      js,
      address: ADDRESS,
      durableName: 'reader',
      buffer: { maxBytes: 1024 * 1024 },
    })
    onTestFinished(async () => {
      await stream.return()
    })
    expect((await takeEvents(stream, 3)).map(idOf)).toEqual(['e-1', 'e-2', 'e-3'])
  })

  test('keeps a byte order mark at the start of a body', async () => {
    const bodies = ['\uFEFF{}', '{"text":"\u00e9\uFEFF"}', '']
    const { js } = await setUpLong(bodies.map((body, at) => ({ ...entry(at + 1), body })))
    const stream = consumeRelay({ js, address: ADDRESS, durableName: 'reader' })
    expect((await takeEvents(stream, 3)).map(({ payload }) => payload)).toEqual(bodies)
    await stream.return()
  })

  test('acknowledges each item when the next one is requested', async () => {
    const { own, js } = await setUpLong(longEntries(200, 700))
    const acks: string[] = []
    own.subscribe('$JS.ACK.>', {
      callback: (_, { subject }) => void acks.push(subject.split('.').at(-4) ?? ''),
    })
    const stream = consumeRelay({ js, address: ADDRESS, durableName: 'reader' })
    await takeEvents(stream, 200)
    const { consumers } = await jetstreamManager(own)
    const floor = async () => (await consumers.info(streamName(ADDRESS), 'reader')).ack_floor.stream_seq
    // The last one is not handled yet.
    await expect.poll(floor).toBe(199)
    expect(acks).toEqual(Array.from({ length: 199 }, (_, at) => String(at + 1)))
    await stream.return()
  })

  test('acknowledges an item without ack() when the next one is requested, with ack manual', async () => {
    const { own, js } = await setUpLong([oversizedEntry(entry(1)), oversizedEntry(entry(2)), entry(3)])
    const acks: string[] = []
    own.subscribe('$JS.ACK.>', {
      callback: (_, { subject }) => void acks.push(subject.split('.').at(-4) ?? ''),
    })
    const stream = consumeRelay({ js, address: ADDRESS, durableName: 'reader', ack: 'manual' })
    const acksAfterNext: (readonly string[])[] = []
    for (const type of ['oversized', 'oversized', 'event']) {
      expect((await stream.next()).value?.type).toBe(type)
      await own.flush()
      acksAfterNext.push([...acks])
    }
    expect(acksAfterNext).toEqual([[], ['1'], ['1', '2']])
    await stream.return()
  })

  test('reads headers from the received bytes, without the decoder of the client', async () => {
    const { address, simulator, consume } = await setUp()
    const decode = vi.spyOn(MsgHdrsImpl, 'decode')
    onTestFinished(() => decode.mockRestore())
    const sent = emitModules(simulator, 20)
    const stream = consume({ address, filter: { subscription: 'module' } })
    expect((await takeEvents(stream, 20)).map(idOf)).toEqual(sent)
    const decoded = decode.mock.calls.map(([bytes]) => new TextDecoder().decode(bytes))
    expect(decoded.filter((text) => text.includes('Brokerwire-'))).toEqual([])
  })
})
