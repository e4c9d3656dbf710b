/** Rules of grpc-status, its message and its details, valid and invalid. */
import type { OutgoingHttpHeaders } from 'node:http2'
import { create } from '@bufbuild/protobuf'
import { anyPack, StringValueSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import { Echo } from '../echo-service.ts'
import type { Harness } from '../harness.ts'
import { codeName, errorOf } from '../outcome.ts'
import { CONNECT, PROTOCOL, type Rule, STATUS_CODES } from './rule.ts'
import { streamed, trailers, unary } from './scenarios.ts'

/** Returns the code and the message of the error of a response with these trailers. */
async function errorText(harness: Harness, fields: OutgoingHttpHeaders): Promise<unknown> {
  const server = await harness.server(trailers(fields))
  const error = await errorOf(harness.client(server.url).serverStream({}))
  return { code: codeName(error), message: error.rawMessage }
}

/** Encodes `google.rpc.Status` by hand, because its descriptor is not a dependency. */
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
    id: 'every status in trailers is used after the messages',
    source: STATUS_CODES,
    run: (harness) =>
      Promise.all(codes.map((code) => streamed(harness, trailers({ 'grpc-status': String(code) })))),
    expected: codes.map((code) => ['a', codeName(new ConnectError('', code))]),
  },
  {
    id: 'every status of a Trailers-Only response has its message and metadata',
    source: `${PROTOCOL}, Trailers-Only`,
    run: (harness) =>
      Promise.all(
        codes.map(async (code) => {
          const fields = { 'grpc-status': code, 'grpc-message': 'why', 'x-one': '1' }
          const { url } = await harness.server((call) => call.trailersOnly(fields))
          const error = await errorOf(harness.client(url).serverStream({}))
          return { code: codeName(error), message: error.rawMessage, one: error.metadata.get('x-one') }
        }),
      ),
    expected: codes.map((code) => ({ code: codeName(new ConnectError('', code)), message: 'why', one: '1' })),
  },
  {
    id: 'a Trailers-Only response with status 0 is a stream without messages',
    source: `${PROTOCOL}, Trailers-Only`,
    run: (harness) => streamed(harness, (call) => call.trailersOnly({ 'grpc-status': 0 })),
    expected: ['ok'],
  },
  {
    id: 'a Trailers-Only response with status 0 to a unary call is an error',
    source: `${STATUS_CODES}, response cardinality`,
    run: (harness) => unary(harness, (call) => call.trailersOnly({ 'grpc-status': 0 })),
    expected: ['unimplemented'],
    connectNode: {
      expected: ['unknown'],
      because: 'OK without a message violates the cardinality of the method, with Trailers-Only as well.',
    },
  },
  {
    id: 'status 0 without a message to a unary call is an error',
    source: `${STATUS_CODES}, response cardinality`,
    run: (harness) => unary(harness, (call) => call.end()),
    expected: ['unimplemented'],
  },
  {
    id: 'two messages to a unary call are an error',
    source: `${STATUS_CODES}, response cardinality`,
    run: (harness) =>
      unary(harness, (call) => {
        call.send('a', 'b')
        call.end()
      }),
    expected: ['unimplemented'],
  },
  {
    id: 'an error status after the message of a unary call is an error',
    source: STATUS_CODES,
    run: (harness) => unary(harness, trailers({ 'grpc-status': '5' })),
    expected: ['not_found'],
  },
  {
    id: 'the metadata of an error has the trailers, then the response headers',
    source: CONNECT,
    async run(harness) {
      const server = await harness.server((call) => {
        call.respond({ 'x-head': 'h', 'x-both': 'h' })
        call.end({ 'grpc-status': '9', 'x-trail': 't', 'x-both': 't' })
      })
      const { metadata } = await errorOf(harness.client(server.url).serverStream({}))
      return Object.fromEntries(['x-head', 'x-trail', 'x-both'].map((name) => [name, metadata.get(name)]))
    },
    expected: { 'x-head': 'h', 'x-trail': 't', 'x-both': 't, h' },
  },
  {
    id: 'grpc-message is decoded as percent-encoded UTF-8',
    source: `${PROTOCOL}, Status-Message`,
    run: (harness) =>
      Promise.all(
        ['no%20%C3%A4 %25', 'plain', '%e2%82%ac', '%2525', ''].map((text) =>
          errorText(harness, { 'grpc-status': '5', 'grpc-message': text }),
        ),
      ),
    expected: ['no ä %', 'plain', '€', '%25', ''].map((message) => ({ code: 'not_found', message })),
  },
  {
    id: 'invalid escapes in grpc-message stay as they are',
    source: `${PROTOCOL}, Status-Message ("must not error")`,
    run: (harness) => errorText(harness, { 'grpc-status': '5', 'grpc-message': '100%, %zz %4' }),
    expected: { code: 'not_found', message: '100%, %zz %4' },
    connectNode: {
      expected: { code: 'unknown', message: 'URI malformed' },
      because: 'An invalid message replaces the status.',
    },
  },
  {
    id: 'a grpc-message that is not UTF-8 does not change the status',
    source: `${PROTOCOL}, Status-Message ("must not error")`,
    run: (harness) => errorText(harness, { 'grpc-status': '5', 'grpc-message': 'a%FFb' }),
    expected: { code: 'not_found', message: 'a\ufffdb' },
    connectNode: {
      expected: { code: 'unknown', message: 'URI malformed' },
      because: 'An invalid message replaces the status.',
    },
  },
  {
    id: 'an invalid grpc-status is UNKNOWN',
    source: `${STATUS_CODES} (UNKNOWN)`,
    run: (harness) =>
      Promise.all(
        ['17', '-1', '5x', '', '1e1', '1.0', '00x', '999', '0x1'].map((status) =>
          streamed(harness, trailers({ 'grpc-status': status })),
        ),
      ),
    expected: Array.from({ length: 9 }, () => ['a', 'unknown']),
    connectNode: {
      expected: [
        ['a', 'internal'],
        ['a', 'internal'],
        ['a', 'not_found'],
        ['a', 'internal'],
        ['a', 'canceled'],
        ['a', 'canceled'],
        ['a', 'internal'],
        ['a', 'internal'],
        ['a', 'internal'],
      ],
      because: 'It uses `internal`, or the digits at the start of an invalid value.',
    },
  },
  {
    id: 'an error has the details of the status',
    source: CONNECT,
    async run(harness) {
      const details = statusDetails(5, 'gone')
      const fields = {
        'grpc-status': '5',
        'grpc-message': 'gone',
        'grpc-status-details-bin': details.replace(/=+$/, ''),
      }
      const server = await harness.server(trailers(fields))
      const error = await errorOf(harness.client(server.url).serverStream({}))
      return {
        code: codeName(error),
        message: error.rawMessage,
        details: error.findDetails(StringValueSchema).map(({ value }) => value),
      }
    },
    expected: { code: 'not_found', message: 'gone', details: ['why'] },
  },
  {
    id: 'an error has the details from a server of Connect, with Trailers-Only and without',
    source: CONNECT,
    async run(harness) {
      const fail = () => {
        const error = new ConnectError('ä %', Code.Aborted, { 'x-one': '1' })
        error.details.push({ desc: StringValueSchema, value: { value: 'why' } })
        return error
      }
      const url = await harness.router((router) =>
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
      const client = harness.client(url)
      const errors = [await errorOf(client.unary({})), await errorOf(client.serverStream({}))]
      return errors.map((error) => ({
        code: codeName(error),
        message: error.rawMessage,
        one: error.metadata.get('x-one'),
        details: error.findDetails(StringValueSchema).map(({ value }) => value),
      }))
    },
    expected: Array.from({ length: 2 }, () => ({
      code: 'aborted',
      message: 'ä %',
      one: '1',
      details: ['why'],
    })),
  },
  {
    id: 'details that cannot be decoded do not change the status',
    source: `${PROTOCOL}, Status-Details`,
    run: (harness) =>
      Promise.all(
        ['!!', 'CAUSBA', 'AAAA'].map(async (details) => {
          const fields = { 'grpc-status': '5', 'grpc-message': 'gone', 'grpc-status-details-bin': details }
          const { url } = await harness.server(trailers(fields))
          const error = await errorOf(harness.client(url).serverStream({}))
          return { code: codeName(error), message: error.rawMessage, details: error.details.length }
        }),
      ),
    expected: Array.from({ length: 3 }, () => ({ code: 'not_found', message: 'gone', details: 0 })),
    connectNode: {
      expected: [
        { code: 'data_loss', message: 'invalid base64 string', details: 0 },
        { code: 'data_loss', message: 'premature EOF', details: 0 },
        { code: 'data_loss', message: 'illegal tag: field no 0 wire type 0', details: 0 },
      ],
      because: 'Invalid details replace the status.',
    },
  },
  {
    id: 'grpc-status is used if the details contain another status',
    source: `${PROTOCOL}, Status-Details ("must not contradict")`,
    run: (harness) =>
      errorText(harness, {
        'grpc-status': '5',
        'grpc-message': 'gone',
        'grpc-status-details-bin': statusDetails(9, 'other'),
      }),
    expected: { code: 'not_found', message: 'gone' },
    connectNode: {
      expected: { code: 'failed_precondition', message: 'other' },
      because: 'If both are present, ours uses the field that gRPC requires.',
    },
  },
]
