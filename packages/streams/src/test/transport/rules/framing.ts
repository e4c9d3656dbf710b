/** Envelopes, their limit, and compression. */
import { gzipSync } from 'node:zlib'
import { envelope, textMessage, texts } from '@brokerwire/testing/grpc-envelope'
import type { Handler, ServerCall } from '@brokerwire/testing/http2-server'
import { brotliCompression } from '../../../transport/compression.ts'
import { codeName, errorOf, outcomeOf } from '../outcome.ts'
import { COMPRESSION, CONNECT, PROTOCOL, type Rule, STATUS_CODES } from './rule.ts'
import { streamed } from './scenes.ts'

/** A message, then these bytes, then (unless told otherwise) nothing: whoever waits for more waits for ever. */
const body =
  (
    bytes: Uint8Array,
    end: 'open' | 'end' = 'open',
    head: Parameters<ServerCall['respond']>[0] = {},
  ): Handler =>
  (call) => {
    call.respond(head)
    call.send('a')
    call.write(bytes)
    if (end === 'end') call.end()
  }

const zipped = (value: string) => envelope(gzipSync(textMessage(value)), 1)
const GZIP = { 'grpc-encoding': 'gzip' }

export const framingRules: readonly Rule[] = [
  {
    id: 'a message above readMaxBytes, known by its head',
    source: STATUS_CODES,
    run: (bench) => streamed(bench, body(envelope(Buffer.alloc(0), 0, 101)), { readMaxBytes: 100 }),
    expected: ['a', 'resource_exhausted'],
  },
  {
    id: 'a message of readMaxBytes',
    source: CONNECT,
    run: (bench) => streamed(bench, body(texts('x'.repeat(98)), 'end'), { readMaxBytes: 100 }),
    expected: ['a', 'x'.repeat(98), 'ok'],
  },
  {
    id: 'a message of 4 GiB is announced',
    source: STATUS_CODES,
    run: (bench) => streamed(bench, body(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 0]))),
    expected: ['a', 'resource_exhausted'],
    connectNode: {
      notRun: true,
      because: 'It counts the length as a signed number, takes the message for allowed, and waits.',
    },
  },
  {
    id: 'flags that nobody defined',
    source: `${PROTOCOL}, Compressed-Flag`,
    run: (bench) =>
      Promise.all(
        [2, 0x80, 0xff].map((flags) => streamed(bench, body(envelope(Buffer.alloc(0), flags), 'end'))),
      ),
    expected: Array.from({ length: 3 }, () => ['a', 'internal']),
    connectNode: {
      expected: [
        ['a', '', 'ok'],
        ['a', '', 'ok'],
        ['a', 'internal'],
      ],
      because: 'It looks at the lowest bit only, and hands out what may mean anything.',
    },
  },
  {
    id: 'a body that ends within an envelope',
    source: `${PROTOCOL}, Length-Prefixed-Message`,
    run: (bench) => streamed(bench, body(texts('hello').subarray(0, 8), 'end')),
    expected: ['a', 'internal'],
    connectNode: {
      expected: ['a', 'invalid_argument'],
      because: 'The caller did nothing wrong: INTERNAL is for what the server broke.',
    },
  },
  {
    id: 'a body that ends within the head of an envelope',
    source: `${PROTOCOL}, Length-Prefixed-Message`,
    run: (bench) => streamed(bench, body(Buffer.alloc(3), 'end')),
    expected: ['a', 'internal'],
    connectNode: {
      expected: ['a', 'invalid_argument'],
      because: 'The caller did nothing wrong: INTERNAL is for what the server broke.',
    },
  },
  {
    id: 'a body that ends within an envelope, with a status that says why',
    source: STATUS_CODES,
    run: (bench) =>
      streamed(bench, (call) => {
        call.send('a')
        call.write(texts('hello').subarray(0, 8))
        call.end({ 'grpc-status': '14' })
      }),
    expected: ['a', 'unavailable'],
    connectNode: { expected: ['a', 'invalid_argument'], because: 'The status says why the body broke off.' },
  },
  {
    id: 'gzip',
    source: COMPRESSION,
    run: (bench) => streamed(bench, body(Buffer.concat([zipped('b'), texts('c'), zipped('d')]), 'end', GZIP)),
    expected: ['a', 'b', 'c', 'd', 'ok'],
  },
  {
    id: 'brotli both ways',
    source: COMPRESSION,
    async run(bench) {
      const server = await bench.server(async (call) => {
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
      return outcomeOf(bench.client(server.url, options).serverStream({ value: 'x'.repeat(50) }))
    },
    expected: ['x'.repeat(50), 'ok'],
  },
  {
    id: 'a compressed message of length 0',
    source: COMPRESSION,
    run: (bench) => streamed(bench, body(envelope(Buffer.alloc(0), 1), 'end', GZIP)),
    expected: ['a', '', 'ok'],
  },
  {
    id: 'the name of a coding in capitals',
    source: COMPRESSION,
    run: (bench) => streamed(bench, body(zipped('b'), 'end', { 'grpc-encoding': 'GZIP' })),
    expected: ['a', 'b', 'ok'],
    connectNode: {
      expected: ['internal'],
      because: 'Names of codings are case-insensitive in HTTP (RFC 9110, section 8.4.1).',
    },
  },
  {
    id: 'a compressed flag, and no coding named',
    source: `${COMPRESSION} (INTERNAL)`,
    run: (bench) => streamed(bench, body(zipped('b'), 'end')),
    expected: ['a', 'internal'],
  },
  {
    id: 'a compressed flag, and identity named',
    source: `${COMPRESSION} (INTERNAL)`,
    run: (bench) => streamed(bench, body(zipped('b'), 'end', { 'grpc-encoding': 'identity' })),
    expected: ['a', 'internal'],
  },
  {
    id: 'a coding that was not offered',
    source: `${COMPRESSION} (INTERNAL)`,
    run: (bench) => streamed(bench, body(Buffer.alloc(0), 'open', { 'grpc-encoding': 'zstd' })),
    expected: ['internal'],
  },
  {
    id: 'a compressed message that cannot be decompressed',
    source: STATUS_CODES,
    run: (bench) => streamed(bench, body(envelope(Buffer.from('no gzip'), 1), 'open', GZIP)),
    expected: ['a', 'internal'],
    connectNode: {
      expected: ['a', 'invalid_argument'],
      because: 'The caller did nothing wrong: INTERNAL is for what the server broke.',
    },
  },
  {
    id: 'a compressed message that breaks off',
    source: STATUS_CODES,
    run: (bench) =>
      streamed(bench, body(envelope(gzipSync('x'.repeat(500)).subarray(0, -9), 1), 'open', GZIP)),
    expected: ['a', 'internal'],
  },
  {
    id: 'a message that is longer than readMaxBytes once decompressed',
    source: STATUS_CODES,
    run: (bench) => streamed(bench, body(zipped('x'.repeat(5000)), 'open', GZIP), { readMaxBytes: 200 }),
    expected: ['a', 'resource_exhausted'],
  },
  {
    id: '64 MiB of zeroes in 64 KiB stop at the limit',
    source: STATUS_CODES,
    run: (bench) => streamed(bench, body(envelope(gzipSync(Buffer.alloc(64 << 20)), 1), 'open', GZIP)),
    expected: ['a', 'resource_exhausted'],
    connectNode: { expected: ['a', 'internal'], because: 'It takes the limit for another failure of zlib.' },
  },
  {
    id: 'compressed messages keep their order',
    source: PROTOCOL,
    async run(bench) {
      const lengths = [50_000, 1, 200_000, 2, 0, 90_000, 3]
      const handler = body(Buffer.concat(lengths.map((length) => zipped('x'.repeat(length)))), 'end', GZIP)
      const outcome = await outcomeOf(bench.client((await bench.server(handler)).url).serverStream({}))
      return outcome.slice(1, -1).map(({ length }) => length)
    },
    expected: [50_000, 1, 200_000, 2, 0, 90_000, 3],
  },
  {
    id: 'an error of the framing tells what was received as the head of the response',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server(body(envelope(Buffer.alloc(0), 2), 'end', { 'x-request-id': '7' }))
      const error = await errorOf(bench.client(server.url).serverStream({}))
      return [codeName(error), error.metadata.get('x-request-id')]
    },
    expected: ['internal', '7'],
    connectNode: { notRun: true, because: 'It sees no error in those flags.' },
  },
]
