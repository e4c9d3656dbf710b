/** Rules of RST_STREAM. */
import { texts } from '@brokerwire/testing/grpc-envelope'
import { FRAME, frame, type WireCall } from '@brokerwire/testing/raw-http2'
import { outcomeOf } from '../outcome.ts'
import { PROTOCOL, RFC_9113, type Rule } from './rule.ts'
import { after, instead, uint32 } from './scenarios.ts'

const reset = (code: number) => (call: WireCall) => [frame(FRAME.reset, 0, call.stream, uint32(code))]

/** The codes PROTOCOL_ERROR to HTTP_1_1_REQUIRED, and an undefined one. */
const RESET_CODES = [...Array.from({ length: 13 }, (_, index) => index + 1), 99]

/** The gRPC codes of these errors by the table of the document, in the same order. */
const MAPPED = RESET_CODES.map(
  (code) =>
    ({ 7: 'unavailable', 8: 'canceled', 11: 'resource_exhausted', 12: 'permission_denied' })[code] ??
    'internal',
)

export const resetRules: readonly Rule[] = [
  {
    id: 'RST_STREAM after a message is mapped to a code',
    source: `${PROTOCOL}, HTTP2 Transport Mapping, Errors`,
    run: (harness) => Promise.all(RESET_CODES.map((code) => after(harness, reset(code)))),
    expected: MAPPED.map((code) => ['a', code]),
    connectNode: {
      expected: RESET_CODES.map((code) => ['a', code === 8 ? 'canceled' : 'internal']),
      because: "It maps fewer of the codes in the document's table.",
    },
  },
  {
    id: 'RST_STREAM before the response headers is mapped to a code',
    source: `${PROTOCOL}, HTTP2 Transport Mapping, Errors`,
    run: (harness) => Promise.all(RESET_CODES.map((code) => instead(harness, reset(code)))),
    expected: MAPPED.map((code) => [code]),
    connectNode: {
      expected: RESET_CODES.map((code) => [code === 8 ? 'canceled' : 'internal']),
      because: "It maps fewer of the codes in the document's table.",
    },
  },
  {
    id: 'RST_STREAM with NO_ERROR is a missing status, because Node reports it as the end of the body',
    source: `${PROTOCOL}, Errors (INTERNAL); http-grpc-status-mapping.md`,
    run: (harness) => after(harness, reset(0)),
    expected: ['a', 'unknown'],
    connectNode: {
      expected: ['a', 'internal'],
      because: 'It uses `internal` whenever the status is missing.',
    },
  },
  {
    id: 'RST_STREAM in the middle of a message ends the call',
    source: `${PROTOCOL}, Errors`,
    run: (harness) => after(harness, (call) => [call.data(texts('hello').subarray(0, 7)), ...reset(7)(call)]),
    expected: ['a', 'unavailable'],
    connectNode: {
      expected: ['a', 'internal'],
      because: "REFUSED_STREAM is UNAVAILABLE in the document's table.",
    },
  },
  {
    id: 'RST_STREAM ends only its own stream',
    source: `${RFC_9113}, section 5.4.2`,
    async run(harness) {
      const server = await harness.server()
      const client = harness.client(server.url)
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
      const [one, other] = await Promise.all(both)
      return { one, other, connections: server.connections }
    },
    expected: { one: ['a', 'internal'], other: ['b', 'ok'], connections: 1 },
  },
]
