/** How a call ended, by status, trailers, HTTP status and content type; the malformed ones too. */

import type { OutgoingHttpHeaders } from 'node:http2'
import { create } from '@bufbuild/protobuf'
import { anyPack, StringValueSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Bench } from '../bench.ts'
import { Echo } from '../echo-service.ts'
import { texts } from '../envelopes.ts'
import type { Handler } from '../http2-server.ts'
import { codeName, errorOf, outcomeOf, unaryOutcome } from '../outcome.ts'
import { FRAME, frame, GRPC_HEAD } from '../wire-server.ts'
import { CONNECT, HTTP_MAPPING, PROTOCOL, RFC_9113, type Rule, STATUS_CODES } from './rule.ts'

/** A stream of one server's answer. */
async function streamed(bench: Bench, handler: Handler): Promise<unknown> {
  return outcomeOf(bench.client((await bench.server(handler)).url).serverStream({}))
}

/** The same of a call with one message. */
async function unary(bench: Bench, handler: Handler): Promise<unknown> {
  return unaryOutcome(bench.client((await bench.server(handler)).url).unary({}))
}

const trailers =
  (fields: OutgoingHttpHeaders | null): Handler =>
  (call) => {
    call.send('a')
    call.end(fields)
  }

/** Code and text of the error that these trailers make. */
async function errorText(bench: Bench, fields: OutgoingHttpHeaders): Promise<unknown> {
  const server = await bench.server(trailers(fields))
  const error = await errorOf(bench.client(server.url).serverStream({}))
  return [codeName(error), error.rawMessage]
}

/** Head, then a body that is none of gRPC's. */
const http =
  (status: number, fields: OutgoingHttpHeaders = { 'content-type': 'text/html' }): Handler =>
  ({ stream }) => {
    stream.respond({ ':status': status, ...fields })
    stream.end('<html>no</html>')
  }

/** google.rpc.Status, by hand: its descriptor is no dependency of ours. */
function statusDetails(code: number, message: string): string {
  const any = anyPack(StringValueSchema, create(StringValueSchema, { value: 'why' }))
  const field = (tag: number, bytes: Uint8Array) => Buffer.concat([Buffer.from([tag, bytes.length]), bytes])
  const packed = Buffer.concat([field(0x0a, Buffer.from(any.typeUrl)), field(0x12, any.value)])
  const text = field(0x12, Buffer.from(message))
  return Buffer.concat([Buffer.from([0x08, code]), text, field(0x1a, packed)]).toString('base64')
}

const codes = Array.from({ length: 16 }, (_, index) => index + 1)

export const statusRules: readonly Rule[] = [
  {
    id: 'every status in trailers, after the messages',
    source: STATUS_CODES,
    run: (bench) =>
      Promise.all(codes.map((code) => streamed(bench, trailers({ 'grpc-status': String(code) })))),
    expected: codes.map((code) => ['a', codeName(new ConnectError('', code))]),
  },
  {
    id: 'every status in a response of trailers only',
    source: `${PROTOCOL}, Trailers-Only`,
    run: (bench) =>
      Promise.all(
        codes.map((code) =>
          streamed(bench, (call) => call.trailersOnly({ 'grpc-status': code, 'grpc-message': 'x' })),
        ),
      ),
    expected: codes.map((code) => [codeName(new ConnectError('', code))]),
  },
  {
    id: 'trailers only, status 0: a stream without messages',
    source: `${PROTOCOL}, Trailers-Only`,
    run: (bench) => streamed(bench, (call) => call.trailersOnly({ 'grpc-status': 0 })),
    expected: ['ok'],
  },
  {
    id: 'trailers only, status 0: not a message where one is due',
    source: `${STATUS_CODES}, response cardinality`,
    run: (bench) => unary(bench, (call) => call.trailersOnly({ 'grpc-status': 0 })),
    expected: ['unimplemented'],
    connectNode: {
      expected: ['unknown'],
      because: 'A success without its message is a violation of cardinality, trailers only or not.',
    },
  },
  {
    id: 'status 0 without a message where one is due',
    source: `${STATUS_CODES}, response cardinality`,
    run: (bench) => unary(bench, (call) => call.end()),
    expected: ['unimplemented'],
  },
  {
    id: 'two messages where one is due',
    source: `${STATUS_CODES}, response cardinality`,
    run: (bench) =>
      unary(bench, (call) => {
        call.send('a', 'b')
        call.end()
      }),
    expected: ['unimplemented'],
  },
  {
    id: 'a message where one is due, then a status that is an error',
    source: STATUS_CODES,
    run: (bench) => unary(bench, trailers({ 'grpc-status': '5' })),
    expected: ['not_found'],
  },
  {
    id: 'metadata of an error: trailers, then header',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server((call) => {
        call.respond({ 'x-head': 'h', 'x-both': 'h' })
        call.end({ 'grpc-status': '9', 'x-trail': 't', 'x-both': 't' })
      })
      const { metadata } = await errorOf(bench.client(server.url).serverStream({}))
      return ['x-head', 'x-trail', 'x-both'].map((name) => metadata.get(name))
    },
    expected: ['h', 't', 't, h'],
  },
  {
    id: 'metadata of an error of trailers only',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server((call) => call.trailersOnly({ 'grpc-status': '9', 'x-one': '1' }))
      return (await errorOf(bench.client(server.url).serverStream({}))).metadata.get('x-one')
    },
    expected: '1',
  },
  {
    id: 'grpc-message is percent-encoded UTF-8',
    source: `${PROTOCOL}, Status-Message`,
    run: (bench) => errorText(bench, { 'grpc-status': '5', 'grpc-message': 'no%20%C3%A4 %25' }),
    expected: ['not_found', 'no ä %'],
  },
  {
    id: 'grpc-message with escapes that are none',
    source: `${PROTOCOL}, Status-Message ("must not error")`,
    run: (bench) => errorText(bench, { 'grpc-status': '5', 'grpc-message': '100%, %zz %4' }),
    expected: ['not_found', '100%, %zz %4'],
    connectNode: { expected: ['unknown', 'URI malformed'], because: 'It loses the status over its text.' },
  },
  {
    id: 'grpc-message that is not UTF-8',
    source: `${PROTOCOL}, Status-Message ("must not error")`,
    run: (bench) => errorText(bench, { 'grpc-status': '5', 'grpc-message': 'a%FFb' }),
    expected: ['not_found', 'a\ufffdb'],
    connectNode: { expected: ['unknown', 'URI malformed'], because: 'It loses the status over its text.' },
  },
  {
    id: 'a status that is none',
    source: `${STATUS_CODES} (UNKNOWN)`,
    run: (bench) =>
      Promise.all(
        ['17', '-1', '5x', '', '1e1'].map((status) => streamed(bench, trailers({ 'grpc-status': status }))),
      ),
    expected: Array.from({ length: 5 }, () => ['a', 'unknown']),
    connectNode: {
      expected: [
        ['a', 'internal'],
        ['a', 'internal'],
        ['a', 'not_found'],
        ['a', 'internal'],
        ['a', 'canceled'],
      ],
      because: 'It says internal, and takes the digits that a wrong value begins with.',
    },
  },
  {
    id: 'details of an error',
    source: CONNECT,
    async run(bench) {
      const details = statusDetails(5, 'gone')
      const fields = {
        'grpc-status': '5',
        'grpc-message': 'gone',
        'grpc-status-details-bin': details.replace(/=+$/, ''),
      }
      const server = await bench.server(trailers(fields))
      const error = await errorOf(bench.client(server.url).serverStream({}))
      return [
        codeName(error),
        error.rawMessage,
        error.findDetails(StringValueSchema).map(({ value }) => value),
      ]
    },
    expected: ['not_found', 'gone', ['why']],
  },
  {
    id: 'details from a server of Connect, trailers only and not',
    source: CONNECT,
    async run(bench) {
      const fail = () => {
        const error = new ConnectError('ä %', Code.Aborted, { 'x-one': '1' })
        error.details.push({ desc: StringValueSchema, value: { value: 'why' } })
        return error
      }
      const url = await bench.router((router) =>
        router.service(Echo, {
          unary: () => {
            throw fail()
          },
          // biome-ignore lint/correctness/useYield: it fails before the first message.
          async *serverStream() {
            throw fail()
          },
        }),
      )
      const client = bench.client(url)
      const errors = [await errorOf(client.unary({})), await errorOf(client.serverStream({}))]
      return errors.map((error) => [
        codeName(error),
        error.rawMessage,
        error.metadata.get('x-one'),
        error.findDetails(StringValueSchema).map(({ value }) => value),
      ])
    },
    expected: Array.from({ length: 2 }, () => ['aborted', 'ä %', '1', ['why']]),
  },
  {
    id: 'details that cannot be read take nothing from the status',
    source: `${PROTOCOL}, Status-Details`,
    run: (bench) =>
      errorText(bench, { 'grpc-status': '5', 'grpc-message': 'gone', 'grpc-status-details-bin': '!!' }),
    expected: ['not_found', 'gone'],
    connectNode: {
      expected: ['data_loss', 'invalid base64 string'],
      because: 'It loses the status over its details.',
    },
  },
  {
    id: 'details that say another status than grpc-status',
    source: `${PROTOCOL}, Status-Details ("must not contradict")`,
    run: (bench) =>
      errorText(bench, {
        'grpc-status': '5',
        'grpc-message': 'gone',
        'grpc-status-details-bin': statusDetails(9, 'other'),
      }),
    expected: ['not_found', 'gone'],
    connectNode: {
      expected: ['failed_precondition', 'other'],
      because: 'Where both are there, ours believes the field that gRPC requires.',
    },
  },
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
        ['text/html', 'application/json', 'application/grpc-web+proto'].map((type) =>
          streamed(bench, http(200, { 'content-type': type })),
        ),
      ),
    expected: Array.from({ length: 3 }, () => ['unknown']),
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
    id: 'a body after the status in the head',
    source: `${PROTOCOL}, Trailers-Only`,
    run: (bench) =>
      streamed(bench, (call) => {
        call.respond({ 'grpc-status': '5' })
        call.send('a')
        call.end()
      }),
    expected: ['not_found'],
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
      because: 'Node gives the stream an error that nobody listens to: it ends the process.',
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
