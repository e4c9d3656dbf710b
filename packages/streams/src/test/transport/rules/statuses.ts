/** grpc-status, its text and its details, the malformed ones too. */

import type { OutgoingHttpHeaders } from 'node:http2'
import { create } from '@bufbuild/protobuf'
import { anyPack, StringValueSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Bench } from '../bench.ts'
import { Echo } from '../echo-service.ts'
import { codeName, errorOf } from '../outcome.ts'
import { CONNECT, PROTOCOL, type Rule, STATUS_CODES } from './rule.ts'
import { streamed, trailers, unary } from './scenes.ts'

/** Code and text of the error that these trailers make. */
async function errorText(bench: Bench, fields: OutgoingHttpHeaders): Promise<unknown> {
  const server = await bench.server(trailers(fields))
  const error = await errorOf(bench.client(server.url).serverStream({}))
  return [codeName(error), error.rawMessage]
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
    id: 'every status in a response of trailers only, with its text and metadata',
    source: `${PROTOCOL}, Trailers-Only`,
    run: (bench) =>
      Promise.all(
        codes.map(async (code) => {
          const fields = { 'grpc-status': code, 'grpc-message': 'why', 'x-one': '1' }
          const { url } = await bench.server((call) => call.trailersOnly(fields))
          const error = await errorOf(bench.client(url).serverStream({}))
          return [codeName(error), error.rawMessage, error.metadata.get('x-one')]
        }),
      ),
    expected: codes.map((code) => [codeName(new ConnectError('', code)), 'why', '1']),
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
    id: 'grpc-message is percent-encoded UTF-8',
    source: `${PROTOCOL}, Status-Message`,
    run: (bench) =>
      Promise.all(
        ['no%20%C3%A4 %25', 'plain', '%e2%82%ac', '%2525', ''].map((text) =>
          errorText(bench, { 'grpc-status': '5', 'grpc-message': text }),
        ),
      ),
    expected: ['no ä %', 'plain', '€', '%25', ''].map((text) => ['not_found', text]),
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
        ['17', '-1', '5x', '', '1e1', '1.0', '00x', '999', '0x1'].map((status) =>
          streamed(bench, trailers({ 'grpc-status': status })),
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
      Promise.all(
        ['!!', 'CAUSBA', 'AAAA'].map(async (details) => {
          const fields = { 'grpc-status': '5', 'grpc-message': 'gone', 'grpc-status-details-bin': details }
          const { url } = await bench.server(trailers(fields))
          const error = await errorOf(bench.client(url).serverStream({}))
          return [codeName(error), error.rawMessage, error.details.length]
        }),
      ),
    expected: Array.from({ length: 3 }, () => ['not_found', 'gone', 0]),
    connectNode: {
      expected: [
        ['data_loss', 'invalid base64 string', 0],
        ['data_loss', 'premature EOF', 0],
        ['data_loss', 'illegal tag: field no 0 wire type 0', 0],
      ],
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
]
