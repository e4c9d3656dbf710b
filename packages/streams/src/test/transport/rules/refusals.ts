/** Rules of calls that the server refused before it processed them. They are retried once. No call is processed twice. */
import { texts } from '@brokerwire/testing/grpc-envelope'
import type { Handler, ServerCall } from '@brokerwire/testing/http2-server'
import { FRAME, frame, GRPC_HEAD, type WireCall } from '@brokerwire/testing/raw-http2'
import { codeName, outcomeOf, unaryOutcome } from '../outcome.ts'
import { PROTOCOL, RFC_9113, type Rule } from './rule.ts'
import { uint32 } from './scenarios.ts'

const A6 = 'gRFC A6, Transparent Retries'
const REFUSED_STREAM = 7
const NOT_RETRIED = 'It does not retry, and maps REFUSED_STREAM to INTERNAL.'

/** Creates a handler that refuses the first calls and returns the request of the others. */
function refusing(
  count: number,
  refuse: (call: ServerCall) => void = ({ stream }) => stream.close(REFUSED_STREAM),
) {
  const bodies: string[] = []
  const handler: Handler = async (call) => {
    if (bodies.length < count) {
      bodies.push('refused')
      refuse(call)
      return
    }
    const body = await call.body
    bodies.push(body.toString('latin1').replace(/[^ -~]/g, ''))
    call.write(body)
    call.end()
  }
  return { bodies, handler }
}

async function* list(...values: readonly string[]): AsyncGenerator<{ value: string }> {
  for (const value of values) yield { value }
}

/** Makes a call that is refused `count` times. @returns Its outcome, and the number of calls at the server. */
async function refused(
  harness: Parameters<Rule['run']>[0],
  count: number,
  refuse?: (call: ServerCall) => void,
  value = 'a',
): Promise<unknown> {
  const { bodies, handler } = refusing(count, refuse)
  const server = await harness.server(handler)
  const outcome = await outcomeOf(harness.client(server.url).serverStream({ value }))
  return { outcome: outcome.map((text) => text.slice(0, 20)), calls: bodies.length }
}

const goaway = (lastStream: number, code: number) => frame(FRAME.goaway, 0, 0, uint32(lastStream, code))

export const refusalRules: readonly Rule[] = [
  {
    id: 'a call of any kind is retried once after REFUSED_STREAM before the response headers',
    source: `${A6}; ${RFC_9113}, section 8.7`,
    run: (harness) =>
      Promise.all([
        (async () => {
          const { bodies, handler } = refusing(1)
          const call = harness.client((await harness.server(handler)).url).unary({ value: 'a' })
          return { outcome: await unaryOutcome(call), bodies }
        })(),
        (async () => {
          const { bodies, handler } = refusing(1)
          const stream = harness.client((await harness.server(handler)).url).serverStream({ value: 'a' })
          return { outcome: await outcomeOf(stream), bodies }
        })(),
        (async () => {
          const { bodies, handler } = refusing(1)
          const call = harness.client((await harness.server(handler)).url).clientStream(list('a'))
          return { outcome: await unaryOutcome(call), bodies }
        })(),
        (async () => {
          const { bodies, handler } = refusing(1)
          const stream = harness.client((await harness.server(handler)).url).bidi(list('a', 'b'))
          return { outcome: await outcomeOf(stream), bodies }
        })(),
      ]),
    expected: [
      { outcome: ['a', 'ok'], bodies: ['refused', 'a'] },
      { outcome: ['a', 'ok'], bodies: ['refused', 'a'] },
      { outcome: ['a', 'ok'], bodies: ['refused', 'a'] },
      { outcome: ['a', 'b', 'ok'], bodies: ['refused', 'ab'] },
    ],
    connectNode: {
      expected: Array.from({ length: 4 }, () => ({ outcome: ['internal'], bodies: ['refused'] })),
      because: NOT_RETRIED,
    },
  },
  {
    id: 'a second REFUSED_STREAM is an error',
    source: A6,
    run: (harness) => refused(harness, 2),
    expected: { outcome: ['unavailable'], calls: 2 },
    connectNode: { expected: { outcome: ['internal'], calls: 1 }, because: NOT_RETRIED },
  },
  {
    id: 'another reset before the response headers is not retried',
    source: A6,
    run: (harness) => refused(harness, 1, ({ stream }) => stream.close(2)),
    expected: { outcome: ['internal'], calls: 1 },
  },
  {
    id: 'the status UNAVAILABLE is not retried',
    source: A6,
    run: (harness) => refused(harness, 1, (call) => call.trailersOnly({ 'grpc-status': 14 })),
    expected: { outcome: ['unavailable'], calls: 1 },
  },
  {
    id: 'a lost connection is not retried',
    source: A6,
    run: (harness) => refused(harness, 1, ({ session }) => session.destroy()),
    expected: { outcome: ['unavailable'], calls: 1 },
    connectNode: {
      expected: { outcome: ['canceled'], calls: 1 },
      because:
        'Node resets the streams of a lost connection with CANCEL, but neither the caller nor the server cancelled the call.',
    },
  },
  {
    id: 'REFUSED_STREAM after the response headers is not retried',
    source: A6,
    run: (harness) =>
      refused(harness, 1, ({ respond, session, stream }) => {
        respond()
        session.ping(() => stream.close(REFUSED_STREAM))
      }),
    expected: { outcome: ['unavailable'], calls: 1 },
    connectNode: {
      expected: { outcome: ['internal'], calls: 1 },
      because: "REFUSED_STREAM is UNAVAILABLE in the document's table.",
    },
  },
  {
    id: 'REFUSED_STREAM is not retried if the request is longer than 1 MiB',
    source: `${A6} (buffers have a limit)`,
    run: (harness) => refused(harness, 1, undefined, 'x'.repeat(1_100_000)),
    expected: { outcome: ['unavailable'], calls: 1 },
    connectNode: {
      expected: { outcome: ['internal'], calls: 1 },
      because: "REFUSED_STREAM is UNAVAILABLE in the document's table.",
    },
  },
  {
    id: 'a call whose stream GOAWAY excludes is retried over another connection',
    source: `${A6}; ${RFC_9113}, section 6.8`,
    run: (harness) =>
      Promise.all(
        [0, 2].map(async (code) => {
          let calls = 0
          const respond = (call: WireCall) =>
            call.write(
              call.headers(GRPC_HEAD),
              call.data(texts('a')),
              call.headers({ 'grpc-status': '0' }, true),
            )
          const server = await harness.wire((call) => {
            calls++
            if (calls > 1) respond(call)
            else call.write(goaway(0, code))
          })
          return { outcome: await outcomeOf(harness.client(server.url).serverStream({})), calls }
        }),
      ),
    expected: Array.from({ length: 2 }, () => ({ outcome: ['a', 'ok'], calls: 2 })),
    connectNode: {
      expected: Array.from({ length: 2 }, () => ({ outcome: ['internal'], calls: 1 })),
      because: NOT_RETRIED,
    },
  },
  {
    id: 'retried calls are among the first calls of a connection, as many as the previous connection processed',
    source: `${A6}; ${RFC_9113}, section 6.8`,
    async run(harness) {
      let processed = 0
      const server = await harness.wire((call) => {
        // Each connection processes two calls: the streams 1 and 3.
        if (call.stream > 3) return
        processed++
        if (call.stream === 3) call.write(goaway(3, 0))
        call.write(call.headers(GRPC_HEAD), call.data(texts('a')), call.headers({ 'grpc-status': '0' }, true))
      })
      const client = harness.client(server.url)
      const outcomes = await Promise.all(Array.from({ length: 7 }, () => unaryOutcome(client.unary({}))))
      return { ends: outcomes.map((outcome) => outcome.at(-1)), processed }
    },
    expected: { ends: Array.from({ length: 7 }, () => 'ok'), processed: 7 },
    connectNode: {
      expected: { ends: ['ok', 'ok', ...Array.from({ length: 5 }, () => 'internal')], processed: 2 },
      because: NOT_RETRIED,
    },
  },
  {
    id: 'a call that waits for a free stream is sent over another connection after GOAWAY',
    source: `${A6} (the call never left the client)`,
    async run(harness) {
      const server = await harness.server(undefined, { maxConcurrentStreams: 1 })
      const client = harness.client(server.url)
      const first = client.serverStream({})
      const call = await server.call()
      call.send('a')
      // The client has received the limit with the message.
      await first.next()
      const second = outcomeOf(client.serverStream({}))
      await new Promise((resolve) => call.session.ping(resolve))
      call.session.goaway(0, 0x7f_ff_ff_ff)
      const other = await server.call()
      other.send('b')
      other.end()
      const secondOutcome = await second
      call.end()
      const connections = server.connections
      return { first: await outcomeOf(first), second: secondOutcome, connections }
    },
    expected: { first: ['ok'], second: ['b', 'ok'], connections: 2 },
    connectNode: { notRun: true, because: 'It waits until the first call has ended.' },
  },
  {
    id: 'request headers longer than 64 KiB are not sent',
    source: `${PROTOCOL}; nghttp2, NGHTTP2_MAX_HEADERSLEN`,
    async run(harness) {
      const server = await harness.server((call) => call.end())
      const headers = { 'x-long': '~'.repeat(70_000) }
      const error = await harness
        .client(server.url)
        .unary({}, { headers })
        .catch((cause: unknown) => cause)
      return { code: codeName(error), openStreams: server.openStreams }
    },
    expected: { code: 'invalid_argument', openStreams: 0 },
    connectNode: {
      expected: { code: 'internal', openStreams: 0 },
      because: 'The caller chose the length, and it is the same at every attempt, so it is INVALID_ARGUMENT.',
    },
  },
]
