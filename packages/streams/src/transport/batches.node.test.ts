/** `nextBatch`: messages that were received together are read together, with the same result as one after the other. */
import { gzipSync } from 'node:zlib'
import { envelope, textMessage, texts } from '@brokerwire/testing/grpc-envelope'
import type { ServerCall, TestServer } from '@brokerwire/testing/http2-server'
import { create, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import { type StringValue, StringValueSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Echo } from '../test/transport/echo-service.ts'
import { createHarness, type Harness } from '../test/transport/harness.ts'
import { codeName } from '../test/transport/outcome.ts'
import { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'
import { GrpcCall } from './grpc-call.ts'
import type { Decode, MessageBatch } from './message-batch.ts'
import type { StreamTransportOptions } from './options.ts'

let harness: Harness
let server: TestServer
let transport: StreamTransport
beforeEach(async () => {
  harness = createHarness('ours')
  server = await harness.server()
})
afterEach(async () => {
  transport.close()
  await harness.close()
})

/** Opens a call and sends its response headers. */
async function begin(options: Partial<StreamTransportOptions> = {}, head?: Record<string, string>) {
  transport = createStreamTransport({ baseUrl: server.url, ...options })
  const one = async function* () {
    yield create(Echo.method.serverStream.input, {})
  }
  const opening = transport.stream(Echo.method.serverStream, undefined, undefined, undefined, one())
  const call = await server.call()
  call.respond(head ?? {})
  const { message } = await opening
  if (!(message instanceof GrpcCall)) throw new Error('not a GrpcCall')
  return { call, messages: message as GrpcCall<MessageShape<typeof StringValueSchema>> }
}

/** Waits for a PING ACK, after which the client has received everything that the server wrote. */
const delivered = (call: ServerCall) => new Promise((resolve) => call.session.ping(resolve))
const values = ({ messages }: MessageBatch<StringValue>) => messages.map(({ value }) => value)
const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n))
const MANY = 1_000_000
const decode: Decode<StringValue> = (bytes, start, end) =>
  fromBinary(StringValueSchema, bytes.subarray(start, end))
const decoder = { decode, texts: { idStart: 0, idEnd: 0 }, extraBytes: () => 0 }

/** Reads all batches, with the reasons of undecodable messages, and the code of the error that ended the call. */
async function readAll(
  messages: GrpcCall<StringValue>,
  maxMessages = MANY,
  maxBytes = MANY,
): Promise<(string[] | string)[]> {
  const batches: (string[] | string)[] = []
  for (;;) {
    try {
      const batch = await messages.nextBatch(decoder, maxMessages, maxBytes)
      if (batch.isEmpty) return [...batches, 'ok']
      if (batch.messages.length > 0) batches.push(values(batch))
      if (batch.undecodable !== undefined) batches.push(batch.undecodable.reason)
    } catch (error) {
      return [...batches, error instanceof ConnectError ? codeName(error) : String(error)]
    }
  }
}

test('returns a burst as one batch, and an empty batch at the end', async () => {
  const { call, messages } = await begin()
  call.write(texts(...numbers(50)))
  await delivered(call)
  call.end()
  expect(await readAll(messages)).toEqual([numbers(50), 'ok'])
  expect(values(await messages.nextBatch(decoder, MANY, MANY))).toEqual([])
})

test('keeps the bytes of each message, also of compressed ones', async () => {
  const { call, messages } = await begin({}, { 'grpc-encoding': 'gzip' })
  call.write(Buffer.concat([texts(...numbers(20)), envelope(gzipSync(textMessage('x')), 1)]))
  await delivered(call)
  for (const expected of [numbers(20), ['x']]) {
    const batch = await messages.nextBatch(decoder, MANY, MANY)
    const again = batch.messages.map((_, n) =>
      decode(Buffer.from(batch.chunkOf(n).buffer), batch.startOf(n), batch.endOf(n)),
    )
    expect(values(batch)).toEqual(expected)
    expect(again).toEqual(batch.messages)
  }
})

test('returns a single message to a pending read at once', async () => {
  const { call, messages } = await begin()
  const waiting = messages.nextBatch(decoder, MANY, MANY)
  call.send('lone')
  expect(values(await waiting)).toEqual(['lone'])
})

test('returns at most the given number of messages, and of bytes after the first message', async () => {
  const { call, messages } = await begin()
  call.write(texts(...numbers(5), 'x'.repeat(1000), ...numbers(5)))
  await delivered(call)
  call.end()
  expect(values(await messages.nextBatch(decoder, 2, MANY))).toEqual(['0', '1'])
  expect(values(await messages.nextBatch(decoder, MANY, 500))).toEqual(['2', '3', '4'])
  expect(values(await messages.nextBatch(decoder, MANY, 1))).toEqual(['x'.repeat(1000)])
  expect(values(await messages.nextBatch(decoder, 1, MANY))).toEqual(['0'])
  expect(await readAll(messages)).toEqual([['1', '2', '3', '4'], 'ok'])
})

test('counts the bytes that messages hold in addition to their strings', async () => {
  const { call, messages } = await begin()
  call.write(texts(...numbers(6)))
  await delivered(call)
  const heavy = { ...decoder, extraBytes: () => 400 }
  expect(values(await messages.nextBatch(heavy, MANY, 1000))).toEqual(['0', '1', '2'])
  expect(values(await messages.nextBatch(heavy, MANY, 1000))).toEqual(['3', '4', '5'])
})

test('returns a message that exceeds the limit alone', async () => {
  const { call, messages } = await begin()
  call.write(texts(...numbers(3)))
  await delivered(call)
  const heavy = { ...decoder, extraBytes: () => 1000 }
  for (const alone of numbers(3)) expect(values(await messages.nextBatch(heavy, MANY, 1000))).toEqual([alone])
})

const MALFORMED = envelope(Buffer.from([0x0a, 0x05, 0x61]))

test('ends the batch, but not the call, at a message that cannot be decoded', async () => {
  const { call, messages } = await begin()
  call.write(Buffer.concat([texts('a', 'b'), MALFORMED, texts('c'), MALFORMED, MALFORMED]))
  await delivered(call)
  call.end()
  expect(await readAll(messages)).toEqual([['a', 'b'], 'malformed', ['c'], 'malformed', 'malformed', 'ok'])
})

test('copies the bytes of a message that cannot be decoded', async () => {
  const { call, messages } = await begin()
  call.write(MALFORMED)
  const { undecodable } = await messages.nextBatch(decoder, MANY, MANY)
  expect(undecodable).toEqual({
    reason: 'malformed',
    message: expect.stringMatching(/./),
    bytes: Uint8Array.of(0x0a, 0x05, 0x61),
    length: 3,
  })
  expect(undecodable?.bytes?.buffer.byteLength).toBe(3)
})

test('returns to a pending read the messages before an undecodable one together with it', async () => {
  const { call, messages } = await begin()
  const reading = readAll(messages)
  call.write(Buffer.concat([texts('a', 'b'), MALFORMED, texts('c')]))
  call.end()
  expect(await reading).toEqual([['a', 'b'], 'malformed', ['c'], 'ok'])
})

test('skips a message that is too long, in any number of chunks', async () => {
  const { call, messages } = await begin({ readMaxBytes: 100, readAheadBytes: 50 })
  const reading = readAll(messages)
  const body = Buffer.concat([texts('a', 'b'), texts('x'.repeat(2000)), texts('c')])
  for (let at = 0; at < body.length; at += 300) {
    call.write(body.subarray(at, at + 300))
    await delivered(call)
  }
  call.end()
  const batches = await reading
  expect(batches.flat()).toEqual(['a', 'b', 'too-large', 'c', 'ok'])
})

test('reports a body that ends within a skipped message as cut off', async () => {
  const { call, messages } = await begin({ readMaxBytes: 100 })
  call.write(texts('x'.repeat(200)).subarray(0, 100))
  await delivered(call)
  call.end()
  expect(await readAll(messages)).toEqual(['too-large', 'internal'])
})

test('does not end the call at a message that cannot be decompressed or is too long once decompressed', async () => {
  const { call, messages } = await begin({ readMaxBytes: 100 }, { 'grpc-encoding': 'gzip' })
  const garbage = Buffer.from('no gzip')
  const large = gzipSync(textMessage('x'.repeat(1000)))
  const malformed = gzipSync(Buffer.from([0x0a, 0x05, 0x61]))
  call.write(
    Buffer.concat([texts('a'), ...[garbage, large, malformed].map((it) => envelope(it, 1)), texts('b')]),
  )
  await delivered(call)
  const found = []
  for (let n = 0; n < 4; n += 1) found.push((await messages.nextBatch(decoder, MANY, MANY)).undecodable)
  expect(found).toEqual([
    undefined,
    expect.objectContaining({ reason: 'compression', bytes: new Uint8Array(garbage), length: 7 }),
    expect.objectContaining({ reason: 'too-large', bytes: undefined, length: large.length }),
    expect.objectContaining({ reason: 'malformed', bytes: Uint8Array.of(0x0a, 0x05, 0x61), length: 3 }),
  ])
  expect(values(await messages.nextBatch(decoder, MANY, MANY))).toEqual(['b'])
})

test('does not end the call at a compressed message in a response without grpc-encoding', async () => {
  const { call, messages } = await begin()
  call.write(Buffer.concat([envelope(textMessage('a'), 1), texts('b')]))
  await delivered(call)
  call.end()
  expect(await readAll(messages)).toEqual(['compression', ['b'], 'ok'])
})

test('ends the call at a message that cannot be decoded if messages are read one at a time', async () => {
  const { call, messages } = await begin({ readMaxBytes: 100 })
  call.write(Buffer.concat([texts('a'), texts('x'.repeat(200)), texts('c')]))
  expect((await messages.next()).value?.value).toBe('a')
  await expect(messages.next()).rejects.toMatchObject({ code: Code.ResourceExhausted })
  expect(await messages.next()).toEqual({ done: true, value: undefined })
  expect(await call.closed).toBe(8)
})

test('keeps the order of compressed and plain messages', async () => {
  const { call, messages } = await begin({}, { 'grpc-encoding': 'gzip' })
  const compressed = (text: string) => envelope(gzipSync(textMessage(text)), 1)
  call.write(
    Buffer.concat([texts('a', 'b'), compressed('c'), compressed('d'), texts('e', 'f'), compressed('g')]),
  )
  await delivered(call)
  call.end()
  const batches = await readAll(messages)
  expect(batches.flat()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'ok'])
  expect(batches[0]).toEqual(['a', 'b'])
})

test('returns the messages that were received before the connection was lost', async () => {
  const { call, messages } = await begin({ readAheadBytes: 1000 })
  call.write(texts(...numbers(500)))
  await delivered(call)
  call.session.destroy()
  const batches = await readAll(messages, 100)
  expect(batches.flat()).toEqual([...numbers(500), 'unavailable'])
})

test('resumes reading after a batch was taken', async () => {
  const { call, messages } = await begin({ readAheadBytes: 1 })
  const sent = numbers(300)
  const reading = readAll(messages)
  for (const value of sent) {
    call.send(value)
    await new Promise(setImmediate)
  }
  call.end()
  expect((await reading).flat()).toEqual([...sent, 'ok'])
})
