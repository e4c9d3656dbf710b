/** Rules of responses that end in an unusual way: without a status, not as gRPC, or with data after the end. */
import type { OutgoingHttpHeaders } from 'node:http2'
import { texts } from '@brokerwire/testing/grpc-envelope'
import type { Handler } from '@brokerwire/testing/http2-server'
import { FRAME, frame, GRPC_HEAD } from '@brokerwire/testing/raw-http2'
import { outcomeOf } from '../outcome.ts'
import { HTTP_MAPPING, PROTOCOL, RFC_9113, type Rule, STATUS_CODES } from './rule.ts'
import { streamed, trailers, unary } from './scenarios.ts'

/** A handler that sends headers and a body that is not gRPC. */
const http =
  (status: number, fields: OutgoingHttpHeaders = { 'content-type': 'text/html' }): Handler =>
  ({ stream }) => {
    stream.respond({ ':status': status, ...fields })
    stream.end('<html>no</html>')
  }

export const endingRules: readonly Rule[] = [
  {
    id: 'a stream without trailers ends with an error',
    source: `${HTTP_MAPPING} (200 is UNKNOWN)`,
    run: (harness) => streamed(harness, trailers(null)),
    expected: ['a', 'unknown'],
    connectNode: {
      expected: ['a', 'internal'],
      because: 'The mapping has UNKNOWN for a missing status.',
    },
  },
  {
    id: 'a unary response without trailers is an error',
    source: `${HTTP_MAPPING} (200 is UNKNOWN)`,
    run: (harness) => unary(harness, trailers(null)),
    expected: ['unknown'],
    connectNode: {
      expected: ['internal'],
      because: 'The mapping has UNKNOWN for a missing status.',
    },
  },
  {
    id: 'trailers without a grpc-status are an error',
    source: `${HTTP_MAPPING} (200 is UNKNOWN)`,
    run: (harness) =>
      streamed(harness, ({ stream }) => {
        stream.removeAllListeners('wantTrailers')
        stream.on('wantTrailers', () => stream.sendTrailers({ 'x-other': '1' }))
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
        stream.end(texts('a'))
      }),
    expected: ['a', 'unknown'],
    connectNode: {
      expected: ['a', 'internal'],
      because: 'The mapping has UNKNOWN for a missing status.',
    },
  },
  {
    id: 'an HTTP status without a grpc-status is mapped to a code',
    source: HTTP_MAPPING,
    run: (harness) =>
      Promise.all(
        [400, 401, 403, 404, 429, 502, 503, 504, 301, 418, 500].map((status) =>
          streamed(harness, http(status)),
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
    id: 'a grpc-status is used with any HTTP status',
    source: `${HTTP_MAPPING} (only if grpc-status is missing)`,
    run: (harness) => streamed(harness, (call) => call.trailersOnly({ ':status': 503, 'grpc-status': 5 })),
    expected: ['not_found'],
    connectNode: { expected: ['unavailable'], because: 'It checks the HTTP status first.' },
  },
  {
    id: "a content type that is not gRPC's is an error",
    source: `${PROTOCOL}, Responses`,
    run: (harness) =>
      Promise.all(
        [
          'text/html',
          'application/json',
          'application/grpc-web',
          'application/grpc-web+proto',
          'application/grpcx',
        ].map((type) => streamed(harness, http(200, { 'content-type': type }))),
      ),
    expected: Array.from({ length: 5 }, () => ['unknown']),
  },
  {
    id: 'a response without a content type is an error',
    source: `${PROTOCOL}, Responses`,
    run: (harness) => streamed(harness, http(200, {})),
    expected: ['unknown'],
  },
  {
    id: 'a response in JSON is an error, because the request was in protobuf',
    source: `${PROTOCOL}, Content-Type`,
    run: (harness) => streamed(harness, http(200, { 'content-type': 'application/grpc+json' })),
    expected: ['unknown'],
    connectNode: { expected: ['invalid_argument'], because: 'It reads JSON as protobuf.' },
  },
  {
    id: 'a grpc-status is used with any content type',
    source: `${PROTOCOL}, Responses`,
    run: (harness) =>
      streamed(harness, (call) => call.trailersOnly({ 'content-type': 'text/html', 'grpc-status': 7 })),
    expected: ['permission_denied'],
    connectNode: {
      expected: ['unknown'],
      because: 'It checks the content type first, although the status is more precise.',
    },
  },
  {
    id: 'a content type may have capitals and parameters',
    source: `${PROTOCOL}, Content-Type; RFC 9110, section 8.3.1`,
    run: (harness) =>
      streamed(harness, (call) => {
        call.respond({ 'content-type': 'Application/gRPC+Proto; charset=utf-8' })
        call.send('a')
        call.end()
      }),
    expected: ['a', 'ok'],
    connectNode: {
      expected: ['unknown'],
      because: 'Media types are case-insensitive. It accepts lower case only.',
    },
  },
  {
    id: 'the OK of the trailers replaces an error in the response headers',
    source: `${PROTOCOL}, Responses (the status is in the trailers)`,
    run: (harness) =>
      streamed(harness, (call) => {
        call.respond({ 'grpc-status': '5' })
        call.send('a')
        call.end()
      }),
    expected: ['a', 'ok'],
    connectNode: {
      expected: ['not_found'],
      because: 'It uses the status of the response headers, and loses the messages after them.',
    },
  },
  {
    id: 'the error of the trailers replaces another error in the response headers of a unary call',
    source: `${PROTOCOL}, Responses (the status is in the trailers)`,
    run: (harness) =>
      unary(harness, (call) => {
        call.respond({ 'grpc-status': '5' })
        call.send('a')
        call.end({ 'grpc-status': '9' })
      }),
    expected: ['failed_precondition'],
  },
  {
    id: 'an error in the response headers is used after the messages if there are no trailers',
    source: `${PROTOCOL}, Responses`,
    run: (harness) =>
      streamed(harness, ({ stream }) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 5 })
        stream.end(texts('a'))
      }),
    expected: ['a', 'not_found'],
    connectNode: {
      expected: ['not_found'],
      because: 'It uses the status of the response headers, and loses the messages after them.',
    },
  },
  {
    id: 'an error in the response headers is used if the body is empty, as proxies send Trailers-Only',
    source: `${PROTOCOL}, Trailers-Only`,
    run: (harness) =>
      streamed(harness, ({ stream }) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 5 })
        stream.end()
      }),
    expected: ['not_found'],
  },
  {
    id: 'an OK in the response headers is ignored if the response is not a gRPC response',
    source: `${HTTP_MAPPING}; ${PROTOCOL}, Content-Type`,
    run: (harness) =>
      Promise.all([
        streamed(harness, http(503, { 'content-type': 'text/html', 'grpc-status': 0 })),
        streamed(harness, http(200, { 'content-type': 'text/html', 'grpc-status': 0 })),
      ]),
    expected: [['unavailable'], ['unknown']],
  },
  {
    id: 'the error of the trailers replaces an OK in the response headers',
    source: `${PROTOCOL}, Responses (the status is in the trailers)`,
    run: (harness) =>
      streamed(harness, (call) => {
        call.respond({ 'grpc-status': '0' })
        call.send('a')
        call.end({ 'grpc-status': '13' })
      }),
    expected: ['a', 'internal'],
    connectNode: {
      expected: ['a', 'ok'],
      because: 'It uses the status of the response headers, and hides the error after them.',
    },
  },
  {
    id: 'a connection that is lost in the body replaces an OK in the response headers',
    source: `${STATUS_CODES} (UNAVAILABLE)`,
    async run(harness) {
      const server = await harness.wire((call) => {
        call.write(call.headers({ ...GRPC_HEAD, 'grpc-status': '0' }), call.data(texts('a')))
        call.socket.end()
      })
      return outcomeOf(harness.client(server.url).serverStream({}))
    },
    expected: ['a', 'unavailable'],
    connectNode: {
      expected: ['a', 'canceled'],
      because:
        'Node resets the streams of a lost connection with CANCEL, but neither the caller nor the server cancelled the call.',
    },
  },
  {
    id: 'an OK in the response headers is used if the body is empty, as proxies send Trailers-Only',
    source: `${PROTOCOL}, Trailers-Only`,
    run: (harness) =>
      streamed(harness, ({ stream }) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 0 })
        stream.end()
      }),
    expected: ['ok'],
  },
  {
    id: 'data after the trailers is ignored',
    source: `${RFC_9113}, section 5.1`,
    async run(harness) {
      const server = await harness.wire((call) => {
        call.write(
          call.headers(GRPC_HEAD),
          call.data(texts('a')),
          call.headers({ 'grpc-status': '0' }, true),
          call.data(texts('b'), true),
        )
      })
      return outcomeOf(harness.client(server.url).serverStream({}))
    },
    expected: ['a', 'ok'],
  },
  {
    id: 'trailers that do not end the stream are an error',
    source: `${RFC_9113}, section 8.1`,
    async run(harness) {
      const server = await harness.wire((call) => {
        call.write(
          call.headers(GRPC_HEAD),
          call.data(texts('a')),
          call.headers({ 'grpc-status': '0' }),
          call.data(texts('b'), true),
        )
      })
      return outcomeOf(harness.client(server.url).serverStream({}))
    },
    expected: ['a', 'internal'],
  },
  {
    id: 'a frame of a stream that was never opened ends the call',
    source: `${RFC_9113}, section 5.1`,
    async run(harness) {
      const server = await harness.wire((call) => {
        call.write(call.headers(GRPC_HEAD), frame(FRAME.headers, 4, 99, Buffer.from([0x88])))
      })
      return outcomeOf(harness.client(server.url).serverStream({}))
    },
    expected: ['internal'],
    connectNode: {
      notRun: true,
      because: 'An error of the session has no listener, and ends the process.',
    },
  },
  {
    id: 'a message that cannot be decoded ends the call',
    source: `${STATUS_CODES} (INTERNAL: error parsing response)`,
    run: (harness) =>
      streamed(harness, (call) => {
        call.send('a')
        call.write(Buffer.from([0, 0, 0, 0, 2, 0x0a, 0xff]))
        call.end()
      }),
    expected: ['a', 'internal'],
  },
]
