/** Responses that end in an unusual way: without a status, not as gRPC at all, or with more behind the end. */

import type { OutgoingHttpHeaders } from 'node:http2'
import { texts } from '@brokerwire/testing/grpc-envelope'
import type { Handler } from '@brokerwire/testing/http2-server'
import { FRAME, frame, GRPC_HEAD } from '@brokerwire/testing/raw-http2'
import { outcomeOf } from '../outcome.ts'
import { HTTP_MAPPING, PROTOCOL, RFC_9113, type Rule, STATUS_CODES } from './rule.ts'
import { streamed, trailers, unary } from './scenes.ts'

/** Head, then a body that is none of gRPC's. */
const http =
  (status: number, fields: OutgoingHttpHeaders = { 'content-type': 'text/html' }): Handler =>
  ({ stream }) => {
    stream.respond({ ':status': status, ...fields })
    stream.end('<html>no</html>')
  }

export const endingRules: readonly Rule[] = [
  {
    id: 'no trailers at all',
    source: `${HTTP_MAPPING} (200 is UNKNOWN)`,
    run: (bench) => streamed(bench, trailers(null)),
    expected: ['a', 'unknown'],
    connectNode: {
      expected: ['a', 'internal'],
      because: 'The mapping names UNKNOWN for a status that is missing.',
    },
  },
  {
    id: 'no trailers at all, where one message is due',
    source: `${HTTP_MAPPING} (200 is UNKNOWN)`,
    run: (bench) => unary(bench, trailers(null)),
    expected: ['unknown'],
    connectNode: {
      expected: ['internal'],
      because: 'The mapping names UNKNOWN for a status that is missing.',
    },
  },
  {
    id: 'trailers without a status',
    source: `${HTTP_MAPPING} (200 is UNKNOWN)`,
    run: (bench) =>
      streamed(bench, ({ stream }) => {
        stream.removeAllListeners('wantTrailers')
        stream.on('wantTrailers', () => stream.sendTrailers({ 'x-other': '1' }))
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
        stream.end(texts('a'))
      }),
    expected: ['a', 'unknown'],
    connectNode: {
      expected: ['a', 'internal'],
      because: 'The mapping names UNKNOWN for a status that is missing.',
    },
  },
  {
    id: 'HTTP status without a grpc-status',
    source: HTTP_MAPPING,
    run: (bench) =>
      Promise.all(
        [400, 401, 403, 404, 429, 502, 503, 504, 301, 418, 500].map((status) =>
          streamed(bench, http(status)),
        ),
      ),
    expected: [
      ['internal'],
      ['unauthenticated'],
      ['permission_denied'],
      ['unimplemented'],
      ['unavailable'],
      ['unavailable'],
      ['unavailable'],
      ['unavailable'],
      ['unknown'],
      ['unknown'],
      ['unknown'],
    ],
  },
  {
    id: 'HTTP status with a grpc-status',
    source: `${HTTP_MAPPING} (only where grpc-status is missing)`,
    run: (bench) => streamed(bench, (call) => call.trailersOnly({ ':status': 503, 'grpc-status': 5 })),
    expected: ['not_found'],
    connectNode: { expected: ['unavailable'], because: 'It looks at the HTTP status first.' },
  },
  {
    id: "a content type that is not gRPC's",
    source: `${PROTOCOL}, Responses`,
    run: (bench) =>
      Promise.all(
        [
          'text/html',
          'application/json',
          'application/grpc-web',
          'application/grpc-web+proto',
          'application/grpcx',
        ].map((type) => streamed(bench, http(200, { 'content-type': type }))),
      ),
    expected: Array.from({ length: 5 }, () => ['unknown']),
  },
  {
    id: 'no content type',
    source: `${PROTOCOL}, Responses`,
    run: (bench) => streamed(bench, http(200, {})),
    expected: ['unknown'],
  },
  {
    id: 'JSON, which nobody asked for',
    source: `${PROTOCOL}, Content-Type`,
    run: (bench) => streamed(bench, http(200, { 'content-type': 'application/grpc+json' })),
    expected: ['unknown'],
    connectNode: { expected: ['invalid_argument'], because: 'It reads JSON as protobuf.' },
  },
  {
    id: "a content type that is not gRPC's, with a grpc-status",
    source: `${PROTOCOL}, Responses`,
    run: (bench) =>
      streamed(bench, (call) => call.trailersOnly({ 'content-type': 'text/html', 'grpc-status': 7 })),
    expected: ['permission_denied'],
    connectNode: {
      expected: ['unknown'],
      because: 'It looks at the content type first; the status says more.',
    },
  },
  {
    id: 'a content type in capitals, with parameters',
    source: `${PROTOCOL}, Content-Type; RFC 9110, section 8.3.1`,
    run: (bench) =>
      streamed(bench, (call) => {
        call.respond({ 'content-type': 'Application/gRPC+Proto; charset=utf-8' })
        call.send('a')
        call.end()
      }),
    expected: ['a', 'ok'],
    connectNode: { expected: ['unknown'], because: 'Types are case-insensitive; it takes lower case only.' },
  },
  {
    id: 'an error in the head, then messages and success in the trailers',
    source: `${PROTOCOL}, Responses (the status is in the trailers)`,
    run: (bench) =>
      streamed(bench, (call) => {
        call.respond({ 'grpc-status': '5' })
        call.send('a')
        call.end()
      }),
    expected: ['a', 'ok'],
    connectNode: {
      expected: ['not_found'],
      because: 'It believes the head, and loses the messages that come after it.',
    },
  },
  {
    id: 'an error in the head, then a message and another error in the trailers, where one message is due',
    source: `${PROTOCOL}, Responses (the status is in the trailers)`,
    run: (bench) =>
      unary(bench, (call) => {
        call.respond({ 'grpc-status': '5' })
        call.send('a')
        call.end({ 'grpc-status': '9' })
      }),
    expected: ['failed_precondition'],
  },
  {
    id: 'an error in the head, then messages and no trailers',
    source: `${PROTOCOL}, Responses`,
    run: (bench) =>
      streamed(bench, ({ stream }) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 5 })
        stream.end(texts('a'))
      }),
    expected: ['a', 'not_found'],
    connectNode: {
      expected: ['not_found'],
      because: 'It believes the head, and loses the messages that come after it.',
    },
  },
  {
    id: 'an error in the head, and an empty body: what proxies make of trailers only',
    source: `${PROTOCOL}, Trailers-Only`,
    run: (bench) =>
      streamed(bench, ({ stream }) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 5 })
        stream.end()
      }),
    expected: ['not_found'],
  },
  {
    id: "success in the head of what is no response of gRPC's",
    source: `${HTTP_MAPPING}; ${PROTOCOL}, Content-Type`,
    run: (bench) =>
      Promise.all([
        streamed(bench, http(503, { 'content-type': 'text/html', 'grpc-status': 0 })),
        streamed(bench, http(200, { 'content-type': 'text/html', 'grpc-status': 0 })),
      ]),
    expected: [['unavailable'], ['unknown']],
  },
  {
    id: 'success in the head, and an error in the trailers',
    source: `${PROTOCOL}, Responses (the status is in the trailers)`,
    run: (bench) =>
      streamed(bench, (call) => {
        call.respond({ 'grpc-status': '0' })
        call.send('a')
        call.end({ 'grpc-status': '13' })
      }),
    expected: ['a', 'internal'],
    connectNode: {
      expected: ['a', 'ok'],
      because: 'It believes the head, and hides the error that came after it.',
    },
  },
  {
    id: 'success in the head, and a connection that is lost in the body',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(bench) {
      const server = await bench.wire((call) => {
        call.write(call.headers({ ...GRPC_HEAD, 'grpc-status': '0' }), call.data(texts('a')))
        call.socket.end()
      })
      return outcomeOf(bench.client(server.url).serverStream({}))
    },
    expected: ['a', 'unavailable'],
    connectNode: {
      expected: ['a', 'canceled'],
      because:
        'What Node calls CANCEL when a connection is lost is no decision of the caller or of the server.',
    },
  },
  {
    id: 'success in the head, and an empty body: what proxies make of trailers only',
    source: `${PROTOCOL}, Trailers-Only`,
    run: (bench) =>
      streamed(bench, ({ stream }) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 0 })
        stream.end()
      }),
    expected: ['ok'],
  },
  {
    id: 'data after the trailers',
    source: `${RFC_9113}, section 5.1`,
    async run(bench) {
      const server = await bench.wire((call) => {
        call.write(
          call.headers(GRPC_HEAD),
          call.data(texts('a')),
          call.headers({ 'grpc-status': '0' }, true),
          call.data(texts('b'), true),
        )
      })
      return outcomeOf(bench.client(server.url).serverStream({}))
    },
    expected: ['a', 'ok'],
  },
  {
    id: 'trailers that do not end the stream',
    source: `${RFC_9113}, section 8.1`,
    async run(bench) {
      const server = await bench.wire((call) => {
        call.write(
          call.headers(GRPC_HEAD),
          call.data(texts('a')),
          call.headers({ 'grpc-status': '0' }),
          call.data(texts('b'), true),
        )
      })
      return outcomeOf(bench.client(server.url).serverStream({}))
    },
    expected: ['a', 'internal'],
  },
  {
    id: 'a stream that was never opened',
    source: `${RFC_9113}, section 5.1`,
    async run(bench) {
      const server = await bench.wire((call) => {
        call.write(call.headers(GRPC_HEAD), frame(FRAME.headers, 4, 99, Buffer.from([0x88])))
      })
      return outcomeOf(bench.client(server.url).serverStream({}))
    },
    expected: ['internal'],
    connectNode: {
      notRun: true,
      because: 'An error of the session has nobody to hear it, and ends the process.',
    },
  },
  {
    id: 'undecodable message',
    source: `${STATUS_CODES} (INTERNAL: error parsing response)`,
    run: (bench) =>
      streamed(bench, (call) => {
        call.send('a')
        call.write(Buffer.from([0, 0, 0, 0, 2, 0x0a, 0xff]))
        call.end()
      }),
    expected: ['a', 'internal'],
  },
]
