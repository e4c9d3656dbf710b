/** Rules of envelopes, their limits, and compression. */
import { gzipSync } from 'node:zlib'
import { envelope, textMessage, texts } from '@brokerwire/testing/grpc-envelope'
import type { Handler, ServerCall } from '@brokerwire/testing/http2-server'
import { brotliCompression } from '../../../transport/compression.ts'
import { codeName, errorOf, outcomeOf } from '../outcome.ts'
import { COMPRESSION, CONNECT, PROTOCOL, type Rule, STATUS_CODES } from './rule.ts'
import { streamed } from './scenarios.ts'

/** A handler that sends a message and these bytes. With `open` it does not end the body, so a client must not wait for its end. */
const body =
  (
    bytes: Uint8Array,
    end: 'open' | 'end' = 'open',
    headers: Parameters<ServerCall['respond']>[0] = {},
  ): Handler =>
  (call) => {
    call.respond(headers)
    call.send('a')
    call.write(bytes)
    if (end === 'end') call.end()
  }

const zipped = (value: string) => envelope(gzipSync(textMessage(value)), 1)
const GZIP = { 'grpc-encoding': 'gzip' }

export const framingRules: readonly Rule[] = [
  {
    id: 'a message longer than readMaxBytes ends the call before its body arrives',
    source: STATUS_CODES,
    run: (harness) => streamed(harness, body(envelope(Buffer.alloc(0), 0, 101)), { readMaxBytes: 100 }),
    expected: ['a', 'resource_exhausted'],
  },
  {
    id: 'a message of exactly readMaxBytes is delivered',
    source: CONNECT,
    run: (harness) => streamed(harness, body(texts('x'.repeat(98)), 'end'), { readMaxBytes: 100 }),
    expected: ['a', 'x'.repeat(98), 'ok'],
  },
  {
    id: 'an announced message of 4 GiB ends the call',
    source: STATUS_CODES,
    run: (harness) => streamed(harness, body(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 0]))),
    expected: ['a', 'resource_exhausted'],
    connectNode: {
      notRun: true,
      because: 'It reads the length as a signed number, accepts the message, and waits for it.',
    },
  },
  {
    id: 'an envelope with undefined flags ends the call',
    source: `${PROTOCOL}, Compressed-Flag`,
    run: (harness) =>
      Promise.all(
        [2, 0x80, 0xff].map((flags) => streamed(harness, body(envelope(Buffer.alloc(0), flags), 'end'))),
      ),
    expected: Array.from({ length: 3 }, () => ['a', 'internal']),
    connectNode: {
      expected: [
        ['a', '', 'ok'],
        ['a', '', 'ok'],
        ['a', 'internal'],
      ],
      because: 'It checks only the lowest bit, and delivers messages of unknown meaning.',
    },
  },
  {
    id: 'a body that ends within a message is an error',
    source: `${PROTOCOL}, Length-Prefixed-Message`,
    run: (harness) => streamed(harness, body(texts('hello').subarray(0, 8), 'end')),
    expected: ['a', 'internal'],
    connectNode: {
      expected: ['a', 'invalid_argument'],
      because: 'The caller made no mistake. INTERNAL is the code for invalid data of the server.',
    },
  },
  {
    id: 'a body that ends within the header of an envelope is an error',
    source: `${PROTOCOL}, Length-Prefixed-Message`,
    run: (harness) => streamed(harness, body(Buffer.alloc(3), 'end')),
    expected: ['a', 'internal'],
    connectNode: {
      expected: ['a', 'invalid_argument'],
      because: 'The caller made no mistake. INTERNAL is the code for invalid data of the server.',
    },
  },
  {
    id: 'the status of the trailers is used if the body ends within a message',
    source: STATUS_CODES,
    run: (harness) =>
      streamed(harness, (call) => {
        call.send('a')
        call.write(texts('hello').subarray(0, 8))
        call.end({ 'grpc-status': '14' })
      }),
    expected: ['a', 'unavailable'],
    connectNode: {
      expected: ['a', 'invalid_argument'],
      because: 'The status states why the body broke off.',
    },
  },
  {
    id: 'messages compressed with gzip and uncompressed ones may alternate',
    source: COMPRESSION,
    run: (harness) =>
      streamed(harness, body(Buffer.concat([zipped('b'), texts('c'), zipped('d')]), 'end', GZIP)),
    expected: ['a', 'b', 'c', 'd', 'ok'],
  },
  {
    id: 'brotli works in both directions',
    source: COMPRESSION,
    async run(harness) {
      const server = await harness.server(async (call) => {
        const sent = await call.body
        call.respond({ 'grpc-encoding': String(call.headers['grpc-encoding']) })
        call.write(sent)
        call.end()
      })
      const options = {
        sendCompression: brotliCompression,
        acceptCompression: [brotliCompression],
        compressMinBytes: 0,
      }
      return outcomeOf(harness.client(server.url, options).serverStream({ value: 'x'.repeat(50) }))
    },
    expected: ['x'.repeat(50), 'ok'],
  },
  {
    id: 'a compressed message of length 0 is an empty message',
    source: COMPRESSION,
    run: (harness) => streamed(harness, body(envelope(Buffer.alloc(0), 1), 'end', GZIP)),
    expected: ['a', '', 'ok'],
  },
  {
    id: 'the name of a content coding may have capitals',
    source: COMPRESSION,
    run: (harness) => streamed(harness, body(zipped('b'), 'end', { 'grpc-encoding': 'GZIP' })),
    expected: ['a', 'b', 'ok'],
    connectNode: {
      expected: ['internal'],
      because: 'Names of codings are case-insensitive in HTTP (RFC 9110, section 8.4.1).',
    },
  },
  {
    id: 'a compressed message without grpc-encoding ends the call',
    source: `${COMPRESSION} (INTERNAL)`,
    run: (harness) => streamed(harness, body(zipped('b'), 'end')),
    expected: ['a', 'internal'],
  },
  {
    id: 'a compressed message with grpc-encoding identity ends the call',
    source: `${COMPRESSION} (INTERNAL)`,
    run: (harness) => streamed(harness, body(zipped('b'), 'end', { 'grpc-encoding': 'identity' })),
    expected: ['a', 'internal'],
  },
  {
    id: 'a content coding that was not offered ends the call',
    source: `${COMPRESSION} (INTERNAL)`,
    run: (harness) => streamed(harness, body(Buffer.alloc(0), 'open', { 'grpc-encoding': 'zstd' })),
    expected: ['internal'],
  },
  {
    id: 'a compressed message that cannot be decompressed ends the call',
    source: STATUS_CODES,
    run: (harness) => streamed(harness, body(envelope(Buffer.from('no gzip'), 1), 'open', GZIP)),
    expected: ['a', 'internal'],
    connectNode: {
      expected: ['a', 'invalid_argument'],
      because: 'The caller made no mistake. INTERNAL is the code for invalid data of the server.',
    },
  },
  {
    id: 'a compressed message that breaks off ends the call',
    source: STATUS_CODES,
    run: (harness) =>
      streamed(harness, body(envelope(gzipSync('x'.repeat(500)).subarray(0, -9), 1), 'open', GZIP)),
    expected: ['a', 'internal'],
  },
  {
    id: 'a message longer than readMaxBytes once decompressed ends the call',
    source: STATUS_CODES,
    run: (harness) => streamed(harness, body(zipped('x'.repeat(5000)), 'open', GZIP), { readMaxBytes: 200 }),
    expected: ['a', 'resource_exhausted'],
  },
  {
    id: 'decompression of 64 MiB of zeroes in 64 KiB stops at readMaxBytes',
    source: STATUS_CODES,
    run: (harness) => streamed(harness, body(envelope(gzipSync(Buffer.alloc(64 << 20)), 1), 'open', GZIP)),
    expected: ['a', 'resource_exhausted'],
    connectNode: {
      expected: ['a', 'internal'],
      because: 'It does not distinguish the limit from other errors of zlib.',
    },
  },
  {
    id: 'compressed messages keep their order',
    source: PROTOCOL,
    async run(harness) {
      const lengths = [50_000, 1, 200_000, 2, 0, 90_000, 3]
      const handler = body(Buffer.concat(lengths.map((length) => zipped('x'.repeat(length)))), 'end', GZIP)
      const outcome = await outcomeOf(harness.client((await harness.server(handler)).url).serverStream({}))
      return outcome.slice(1, -1).map(({ length }) => length)
    },
    expected: [50_000, 1, 200_000, 2, 0, 90_000, 3],
  },
  {
    id: 'an error of the framing has the response headers as metadata',
    source: CONNECT,
    async run(harness) {
      const server = await harness.server(body(envelope(Buffer.alloc(0), 2), 'end', { 'x-request-id': '7' }))
      const error = await errorOf(harness.client(server.url).serverStream({}))
      return { code: codeName(error), requestId: error.metadata.get('x-request-id') }
    },
    expected: { code: 'internal', requestId: '7' },
    connectNode: { notRun: true, because: 'It accepts those flags.' },
  },
]
