/** Rules of requests: headers, metadata, envelopes, the end of the request. */
import type { IncomingHttpHeaders } from 'node:http2'
import { texts } from '@brokerwire/testing/grpc-envelope'
import type { CallOptions } from '@connectrpc/connect'
import { Code, ConnectError, encodeBinaryHeader } from '@connectrpc/connect'
import { gzipCompression } from '../../../transport/compression.ts'
import type { CommonOptions, Harness } from '../harness.ts'
import { codeName, unaryOutcome } from '../outcome.ts'
import { underPath } from '../under-path.ts'
import { CONNECT, PROTOCOL, RFC_9113, type Rule } from './rule.ts'

/** Makes a unary call. @returns The headers that the server received. */
async function sentHeaders(
  harness: Harness,
  call: CallOptions = {},
  options: CommonOptions = {},
): Promise<IncomingHttpHeaders> {
  const server = await harness.server()
  const ended = harness
    .client(server.url, options)
    .unary({ value: 'a' }, call)
    .catch(() => {})
  const { headers, send, end } = await server.call()
  send('b')
  end()
  await ended
  return headers
}

async function timeoutSent(harness: Harness, timeoutMs: number, options?: CommonOptions): Promise<unknown> {
  return (await sentHeaders(harness, { timeoutMs }, options))['grpc-timeout']
}

async function* list(...values: readonly string[]): AsyncGenerator<{ value: string }> {
  for (const value of values) yield { value }
}

export const requestRules: readonly Rule[] = [
  {
    id: 'a request has the headers of gRPC',
    source: `${PROTOCOL}, Requests`,
    async run(harness) {
      const sent = await sentHeaders(harness)
      const names = [':method', ':scheme', ':path', 'te', 'content-type', 'grpc-timeout']
      return Object.fromEntries(names.map((name) => [name, sent[name]]))
    },
    expected: {
      ':method': 'POST',
      ':scheme': 'http',
      ':path': '/test.Echo/Unary',
      te: 'trailers',
      'content-type': 'application/grpc+proto',
      'grpc-timeout': undefined,
    },
  },
  {
    id: 'a request has only headers of the caller and of the protocol',
    source: `${PROTOCOL}, Requests`,
    run: async (harness) => Object.keys(await sentHeaders(harness, { headers: { 'x-mine': '1' } })).sort(),
    expected: [
      ':authority',
      ':method',
      ':path',
      ':scheme',
      'content-type',
      'grpc-accept-encoding',
      'te',
      'user-agent',
      'x-mine',
    ],
  },
  {
    id: 'an interceptor may put a path before the method',
    source: CONNECT,
    run: async (harness) => (await sentHeaders(harness, {}, { interceptors: [underPath('/base')] }))[':path'],
    expected: '/base/test.Echo/Unary',
  },
  {
    id: 'user-agent names the library',
    source: `${PROTOCOL}, User Agents`,
    run: async (harness) => (await sentHeaders(harness))['user-agent'],
    expected: 'grpc-node-brokerwire',
    connectNode: {
      expected: 'connect-es/2.1.2',
      because: 'The document requires a value that begins with grpc-.',
    },
  },
  {
    id: 'a user-agent of the caller is sent',
    source: CONNECT,
    run: async (harness) => (await sentHeaders(harness, { headers: { 'user-agent': 'mine' } }))['user-agent'],
    expected: 'mine',
  },
  {
    id: 'headers of the protocol cannot be set by the caller',
    source: `${PROTOCOL}, Requests`,
    async run(harness) {
      const headers = { te: 'gzip', 'content-type': 'text/plain', 'grpc-accept-encoding': 'zstd' }
      const sent = await sentHeaders(harness, { headers })
      return Object.fromEntries(Object.keys(headers).map((name) => [name, sent[name]]))
    },
    expected: { te: 'trailers', 'content-type': 'application/grpc+proto', 'grpc-accept-encoding': 'gzip,br' },
  },
  {
    id: 'repeated metadata keeps its order',
    source: `${PROTOCOL}, Custom-Metadata`,
    async run(harness) {
      const headers = new Headers([
        ['x-list', 'a'],
        ['x-list', 'b'],
      ])
      return (await sentHeaders(harness, { headers }))['x-list']
    },
    expected: 'a, b',
  },
  {
    id: 'binary metadata is sent as base64',
    source: `${PROTOCOL}, Binary-Header`,
    async run(harness) {
      const headers = { 'x-raw-bin': encodeBinaryHeader(Uint8Array.of(0, 255, 128)) }
      return Buffer.from(String((await sentHeaders(harness, { headers }))['x-raw-bin']), 'base64').toString(
        'hex',
      )
    },
    expected: '00ff80',
  },
  {
    id: 'a call with a connection-specific header fails',
    source: `${RFC_9113}, section 8.2.2`,
    async run(harness) {
      const server = await harness.server()
      return unaryOutcome(
        harness.client(server.url).unary({}, { headers: { 'transfer-encoding': 'chunked' } }),
      )
    },
    expected: ['unknown'],
    connectNode: {
      expected: ['internal'],
      because: "No document names a code. Ours has Connect's code for any error that is not a ConnectError.",
    },
  },
  {
    id: 'grpc-timeout is in milliseconds',
    source: `${PROTOCOL}, Timeout`,
    run: (harness) => timeoutSent(harness, 1500),
    expected: '1500m',
  },
  {
    id: 'grpc-timeout has at most eight digits',
    source: `${PROTOCOL}, TimeoutValue`,
    run: (harness) => timeoutSent(harness, 100_000_000),
    expected: '100000S',
    connectNode: {
      expected: '100000000m',
      because: 'Nine digits are not allowed. Ours uses the next unit.',
    },
  },
  {
    id: 'grpc-timeout is an integer',
    source: `${PROTOCOL}, TimeoutValue`,
    run: (harness) => timeoutSent(harness, 5000.5),
    expected: '5001m',
    connectNode: { expected: '5000.5m', because: 'A fraction is not allowed. Ours rounds up.' },
  },
  {
    id: 'the default deadline is sent',
    source: CONNECT,
    run: async (harness) => (await sentHeaders(harness, {}, { defaultTimeoutMs: 7000 }))['grpc-timeout'],
    expected: '7000m',
  },
  {
    id: 'a deadline of 0 switches the default deadline off',
    source: CONNECT,
    run: (harness) => timeoutSent(harness, 0, { defaultTimeoutMs: 7000 }),
    expected: undefined,
  },
  {
    id: 'a request with one message ends after its envelope',
    source: `${PROTOCOL}, Length-Prefixed-Message`,
    async run(harness) {
      const server = await harness.server()
      const ended = harness.client(server.url).unary({ value: 'hello' })
      const call = await server.call()
      const body = await call.body
      call.send('b')
      call.end()
      await ended
      return body.toString('hex')
    },
    expected: texts('hello').toString('hex'),
  },
  {
    id: 'an empty message is an envelope of length 0',
    source: `${PROTOCOL}, Length-Prefixed-Message`,
    async run(harness) {
      const server = await harness.server()
      const ended = harness.client(server.url).unary({})
      const call = await server.call()
      const body = await call.body
      call.send('')
      call.end()
      return { body: body.toString('hex'), response: (await ended).value }
    },
    expected: { body: '0000000000', response: '' },
  },
  {
    id: 'a stream of requests ends after its last message',
    source: `${PROTOCOL}, Requests`,
    async run(harness) {
      const server = await harness.server()
      const ended = unaryOutcome(harness.client(server.url).clientStream(list('a', 'b', 'c')))
      const call = await server.call()
      const body = await call.body
      call.send('x')
      call.end()
      return { body: body.toString('hex'), outcome: await ended }
    },
    expected: { body: texts('a', 'b', 'c').toString('hex'), outcome: ['x', 'ok'] },
  },
  {
    id: 'a stream of requests may be empty',
    source: `${PROTOCOL}, Requests`,
    async run(harness) {
      const server = await harness.server()
      const ended = unaryOutcome(harness.client(server.url).clientStream(list()))
      const call = await server.call()
      const body = await call.body
      call.send('x')
      call.end()
      return { bodyBytes: body.length, outcome: await ended }
    },
    expected: { bodyBytes: 0, outcome: ['x', 'ok'] },
  },
  {
    id: 'a compressed request has grpc-encoding, and its long messages have the compressed flag',
    source: 'compression.md',
    async run(harness) {
      const server = await harness.server()
      const options = { sendCompression: gzipCompression, compressMinBytes: 10 }
      const client = harness.client(server.url, options)
      const ended = client.clientStream(list('short', 'x'.repeat(100)))
      const call = await server.call()
      const body = await call.body
      call.send('x')
      call.end()
      await ended
      const second = texts('short').length
      const length = body.readUInt32BE(second + 1)
      return {
        encoding: call.headers['grpc-encoding'],
        flags: [body[0], body[second]],
        isComplete: body.length === second + 5 + length,
      }
    },
    expected: { encoding: 'gzip', flags: [0, 1], isComplete: true },
  },
  {
    id: 'grpc-accept-encoding has the accepted content codings, the preferred one first',
    source: 'compression.md',
    async run(harness) {
      const none = await sentHeaders(harness, {}, { acceptCompression: [] })
      const one = await sentHeaders(harness, {}, { acceptCompression: [gzipCompression] })
      return { none: none['grpc-accept-encoding'], one: one['grpc-accept-encoding'] }
    },
    expected: { none: undefined, one: 'gzip' },
  },
  {
    id: 'a request longer than writeMaxBytes is not sent',
    source: `${CONNECT}; statuscodes.md`,
    async run(harness) {
      const server = await harness.server()
      const ended = unaryOutcome(
        harness.client(server.url, { writeMaxBytes: 10 }).unary({ value: 'x'.repeat(20) }),
      )
      const { closed } = await server.call()
      return { outcome: await ended, isReset: (await closed) !== 0 }
    },
    expected: { outcome: ['resource_exhausted'], isReset: true },
  },
  {
    id: 'an error of the input ends the call',
    source: CONNECT,
    async run(harness) {
      const server = await harness.server()
      const input = (async function* () {
        yield { value: 'a' }
        throw new ConnectError('no more', Code.DataLoss)
      })()
      const ended = harness
        .client(server.url)
        .bidi(input)
        .next()
        .catch((error: unknown) => codeName(error))
      const { closed } = await server.call()
      return { code: await ended, isReset: (await closed) !== 0 }
    },
    expected: { code: 'data_loss', isReset: true },
  },
]
