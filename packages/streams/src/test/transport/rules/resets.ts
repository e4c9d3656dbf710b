import { texts } from '@brokerwire/testing/grpc-envelope'
import { FRAME, frame, type WireCall } from '@brokerwire/testing/raw-http2'
import { outcomeOf } from '../outcome.ts'
import { PROTOCOL, RFC_9113, type Rule } from './rule.ts'
import { after, instead, uint32 } from './scenes.ts'

const reset = (code: number) => (call: WireCall) => [frame(FRAME.reset, 0, call.stream, uint32(code))]

/** PROTOCOL_ERROR to HTTP_1_1_REQUIRED, and one that nobody defined. */
const RESET_CODES = [...Array.from({ length: 13 }, (_, index) => index + 1), 99]

/** The codes of gRPC's table, in that order. */
const MAPPED = RESET_CODES.map(
  (code) =>
    ({ 7: 'unavailable', 8: 'canceled', 11: 'resource_exhausted', 12: 'permission_denied' })[code] ??
    'internal',
)

export const resetRules: readonly Rule[] = [
  {
    id: 'RST_STREAM with each code, after a message',
    source: `${PROTOCOL}, HTTP2 Transport Mapping, Errors`,
    run: (bench) => Promise.all(RESET_CODES.map((code) => after(bench, reset(code)))),
    expected: MAPPED.map((code) => ['a', code]),
    connectNode: {
      expected: RESET_CODES.map((code) => ['a', code === 8 ? 'canceled' : 'internal']),
      because: 'It knows fewer of the codes in the table of the document.',
    },
  },
  {
    id: 'RST_STREAM with each code, before the head',
    source: `${PROTOCOL}, HTTP2 Transport Mapping, Errors`,
    run: (bench) => Promise.all(RESET_CODES.map((code) => instead(bench, reset(code)))),
    expected: MAPPED.map((code) => [code]),
    connectNode: {
      expected: RESET_CODES.map((code) => [code === 8 ? 'canceled' : 'internal']),
      because: 'It knows fewer of the codes in the table of the document.',
    },
  },
  {
    id: 'RST_STREAM with NO_ERROR: Node tells it as the end of a body, without a status',
    source: `${PROTOCOL}, Errors (INTERNAL); http-grpc-status-mapping.md`,
    run: (bench) => after(bench, reset(0)),
    expected: ['a', 'unknown'],
    connectNode: { expected: ['a', 'internal'], because: 'It says internal wherever the status is missing.' },
  },
  {
    id: 'RST_STREAM in the middle of a message',
    source: `${PROTOCOL}, Errors`,
    run: (bench) => after(bench, (call) => [call.data(texts('hello').subarray(0, 7)), ...reset(7)(call)]),
    expected: ['a', 'unavailable'],
    connectNode: {
      expected: ['a', 'internal'],
      because: 'REFUSED_STREAM is UNAVAILABLE in the table of the document.',
    },
  },
  {
    id: 'RST_STREAM ends one stream only',
    source: `${RFC_9113}, section 5.4.2`,
    async run(bench) {
      const server = await bench.server()
      const client = bench.client(server.url)
      const both = [
        outcomeOf(client.serverStream({ value: 'a' })),
        outcomeOf(client.serverStream({ value: 'b' })),
      ]
      const [first, second] = [await server.call(), await server.call()]
      first.send('a')
      first.stream.close(2)
      await first.closed
      second.send('b')
      second.end()
      return [await Promise.all(both), server.connections]
    },
    expected: [
      [
        ['a', 'internal'],
        ['b', 'ok'],
      ],
      1,
    ],
  },
]
