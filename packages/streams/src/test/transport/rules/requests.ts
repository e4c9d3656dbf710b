/** What goes out: headers, metadata, envelopes, the end of the request. */

import type { IncomingHttpHeaders } from 'node:http2'
import { texts } from '@brokerwire/testing/grpc-envelope'
import type { CallOptions } from '@connectrpc/connect'
import { Code, ConnectError, encodeBinaryHeader } from '@connectrpc/connect'
import { gzipCompression } from '../../../transport/compression.ts'
import type { Bench, CommonOptions } from '../bench.ts'
import { codeName, unaryOutcome } from '../outcome.ts'
import { underPath } from '../under-path.ts'
import { CONNECT, PROTOCOL, RFC_9113, type Rule } from './rule.ts'

/** The headers of a call with one message. */
async function sentHeaders(
  bench: Bench,
  call: CallOptions = {},
  options: CommonOptions = {},
): Promise<IncomingHttpHeaders> {
  const server = await bench.server()
  const ended = bench
    .client(server.url, options)
    .unary({ value: 'a' }, call)
    .catch(() => {})
  const { headers, send, end } = await server.call()
  send('b')
  end()
  await ended
  return headers
}

async function timeoutSent(bench: Bench, timeoutMs: number, options?: CommonOptions): Promise<unknown> {
  return (await sentHeaders(bench, { timeoutMs }, options))['grpc-timeout']
}

async function* list(...values: readonly string[]): AsyncGenerator<{ value: string }> {
  for (const value of values) yield { value }
}

export const requestRules: readonly Rule[] = [
  {
    id: 'request headers',
    source: `${PROTOCOL}, Requests`,
    async run(bench) {
      const sent = await sentHeaders(bench)
      return [':method', ':scheme', ':path', 'te', 'content-type', 'grpc-timeout'].map((name) => sent[name])
    },
    expected: ['POST', 'http', '/test.Echo/Unary', 'trailers', 'application/grpc+proto', undefined],
  },
  {
    id: 'no header that nobody set or the protocol does not need',
    source: `${PROTOCOL}, Requests`,
    run: async (bench) => Object.keys(await sentHeaders(bench, { headers: { 'x-mine': '1' } })).sort(),
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
    id: 'a path that an interceptor puts before the method',
    source: CONNECT,
    run: async (bench) => (await sentHeaders(bench, {}, { interceptors: [underPath('/base')] }))[':path'],
    expected: '/base/test.Echo/Unary',
  },
  {
    id: 'user-agent names the library',
    source: `${PROTOCOL}, User Agents`,
    run: async (bench) => (await sentHeaders(bench))['user-agent'],
    expected: 'grpc-node-brokerwire',
    connectNode: {
      expected: 'connect-es/2.1.2',
      because: 'The document asks for a text that begins with grpc-.',
    },
  },
  {
    id: "the caller's user-agent stays",
    source: CONNECT,
    run: async (bench) => (await sentHeaders(bench, { headers: { 'user-agent': 'mine' } }))['user-agent'],
    expected: 'mine',
  },
  {
    id: 'what the protocol fixes is not for the caller to set',
    source: `${PROTOCOL}, Requests`,
    async run(bench) {
      const headers = { te: 'gzip', 'content-type': 'text/plain', 'grpc-accept-encoding': 'zstd' }
      const sent = await sentHeaders(bench, { headers })
      return [sent.te, sent['content-type'], sent['grpc-accept-encoding']]
    },
    expected: ['trailers', 'application/grpc+proto', 'gzip,br'],
  },
  {
    id: 'repeated metadata keeps its order',
    source: `${PROTOCOL}, Custom-Metadata`,
    async run(bench) {
      const headers = new Headers([
        ['x-list', 'a'],
        ['x-list', 'b'],
      ])
      return (await sentHeaders(bench, { headers }))['x-list']
    },
    expected: 'a, b',
  },
  {
    id: 'binary metadata is base64',
    source: `${PROTOCOL}, Binary-Header`,
    async run(bench) {
      const headers = { 'x-raw-bin': encodeBinaryHeader(Uint8Array.of(0, 255, 128)) }
      return Buffer.from(String((await sentHeaders(bench, { headers }))['x-raw-bin']), 'base64').toString(
        'hex',
      )
    },
    expected: '00ff80',
  },
  {
    id: 'connection-specific fields are not for HTTP/2',
    source: `${RFC_9113}, section 8.2.2`,
    async run(bench) {
      const server = await bench.server()
      return unaryOutcome(bench.client(server.url).unary({}, { headers: { 'transfer-encoding': 'chunked' } }))
    },
    expected: ['unknown'],
    connectNode: {
      expected: ['internal'],
      because: "Neither document names a code; ours keeps Connect's for what is no ConnectError.",
    },
  },
  {
    id: 'grpc-timeout in milliseconds',
    source: `${PROTOCOL}, Timeout`,
    run: (bench) => timeoutSent(bench, 1500),
    expected: '1500m',
  },
  {
    id: 'grpc-timeout has at most eight digits',
    source: `${PROTOCOL}, TimeoutValue`,
    run: (bench) => timeoutSent(bench, 100_000_000),
    expected: '100000S',
    connectNode: {
      expected: '100000000m',
      because: 'Nine digits are not allowed; ours takes the next unit.',
    },
  },
  {
    id: 'grpc-timeout is a whole number',
    source: `${PROTOCOL}, TimeoutValue`,
    run: (bench) => timeoutSent(bench, 5000.5),
    expected: '5001m',
    connectNode: { expected: '5000.5m', because: 'A fraction is not allowed; ours rounds up.' },
  },
  {
    id: 'the default deadline',
    source: CONNECT,
    run: async (bench) => (await sentHeaders(bench, {}, { defaultTimeoutMs: 7000 }))['grpc-timeout'],
    expected: '7000m',
  },
  {
    id: 'a deadline of 0 switches the default off',
    source: CONNECT,
    run: (bench) => timeoutSent(bench, 0, { defaultTimeoutMs: 7000 }),
    expected: undefined,
  },
  {
    id: 'a request with one message: its envelope, then the end',
    source: `${PROTOCOL}, Length-Prefixed-Message`,
    async run(bench) {
      const server = await bench.server()
      const ended = bench.client(server.url).unary({ value: 'hello' })
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
    async run(bench) {
      const server = await bench.server()
      const ended = bench.client(server.url).unary({})
      const call = await server.call()
      const body = await call.body
      call.send('')
      call.end()
      return [body.toString('hex'), (await ended).value]
    },
    expected: ['0000000000', ''],
  },
  {
    id: 'a stream of requests ends after its last message',
    source: `${PROTOCOL}, Requests`,
    async run(bench) {
      const server = await bench.server()
      const ended = unaryOutcome(bench.client(server.url).clientStream(list('a', 'b', 'c')))
      const call = await server.call()
      const body = await call.body
      call.send('x')
      call.end()
      return [body.toString('hex'), await ended]
    },
    expected: [texts('a', 'b', 'c').toString('hex'), ['x', 'ok']],
  },
  {
    id: 'a stream of requests may be empty',
    source: `${PROTOCOL}, Requests`,
    async run(bench) {
      const server = await bench.server()
      const ended = unaryOutcome(bench.client(server.url).clientStream(list()))
      const call = await server.call()
      const body = await call.body
      call.send('x')
      call.end()
      return [body.length, await ended]
    },
    expected: [0, ['x', 'ok']],
  },
  {
    id: 'compression of requests: the coding is named, the flag set',
    source: 'compression.md',
    async run(bench) {
      const server = await bench.server()
      const options = { sendCompression: gzipCompression, compressMinBytes: 10 }
      const client = bench.client(server.url, options)
      const ended = client.clientStream(list('short', 'x'.repeat(100)))
      const call = await server.call()
      const body = await call.body
      call.send('x')
      call.end()
      await ended
      const second = texts('short').length
      const length = body.readUInt32BE(second + 1)
      return [call.headers['grpc-encoding'], body[0], body[second], body.length === second + 5 + length]
    },
    expected: ['gzip', 0, 1, true],
  },
  {
    id: 'codings that may be answered with, the preferred one first',
    source: 'compression.md',
    async run(bench) {
      const none = await sentHeaders(bench, {}, { acceptCompression: [] })
      const one = await sentHeaders(bench, {}, { acceptCompression: [gzipCompression] })
      return [none, one].map((sent) => sent['grpc-accept-encoding'])
    },
    expected: [undefined, 'gzip'],
  },
  {
    id: 'a request longer than writeMaxBytes is not sent',
    source: `${CONNECT}; statuscodes.md`,
    async run(bench) {
      const server = await bench.server()
      const ended = unaryOutcome(
        bench.client(server.url, { writeMaxBytes: 10 }).unary({ value: 'x'.repeat(20) }),
      )
      const { closed } = await server.call()
      return [await ended, (await closed) !== 0]
    },
    expected: [['resource_exhausted'], true],
  },
  {
    id: 'what the input throws ends the call',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server()
      const input = (async function* () {
        yield { value: 'a' }
        throw new ConnectError('no more', Code.DataLoss)
      })()
      const ended = bench
        .client(server.url)
        .bidi(input)
        .next()
        .catch((error: unknown) => codeName(error))
      const { closed } = await server.call()
      return [await ended, (await closed) !== 0]
    },
    expected: ['data_loss', true],
  },
]
