/** Calls that the server refused before it looked at them: they are sent once more, and nobody is served twice. */

import { texts } from '@brokerwire/testing/grpc-envelope'
import type { Handler, ServerCall } from '@brokerwire/testing/http2-server'
import { FRAME, frame, GRPC_HEAD, type WireCall } from '@brokerwire/testing/raw-http2'
import { codeName, outcomeOf, unaryOutcome } from '../outcome.ts'
import { PROTOCOL, RFC_9113, type Rule } from './rule.ts'
import { uint32 } from './scenes.ts'

const A6 = 'gRFC A6, Transparent Retries'
const REFUSED_STREAM = 7
const NOT_REPEATED = 'It sends nothing again, and takes REFUSED_STREAM for INTERNAL.'

/** Refuses the first calls, and answers the others with what they asked. */
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

/** What a stream gives that is refused so often, and what the server saw. */
async function refused(
  bench: Parameters<Rule['run']>[0],
  count: number,
  refuse?: (call: ServerCall) => void,
  value = 'a',
): Promise<unknown> {
  const { bodies, handler } = refusing(count, refuse)
  const server = await bench.server(handler)
  const outcome = await outcomeOf(bench.client(server.url).serverStream({ value }))
  return [outcome.map((text) => text.slice(0, 20)), bodies.length]
}

const goaway = (lastStream: number, code: number) => frame(FRAME.goaway, 0, 0, uint32(lastStream, code))

export const refusalRules: readonly Rule[] = [
  {
    id: 'REFUSED_STREAM before the head: the call is sent once more, whatever its kind',
    source: `${A6}; ${RFC_9113}, section 8.7`,
    run: (bench) =>
      Promise.all([
        (async () => {
          const { bodies, handler } = refusing(1)
          return [
            await unaryOutcome(bench.client((await bench.server(handler)).url).unary({ value: 'a' })),
            bodies,
          ]
        })(),
        (async () => {
          const { bodies, handler } = refusing(1)
          const stream = bench.client((await bench.server(handler)).url).serverStream({ value: 'a' })
          return [await outcomeOf(stream), bodies]
        })(),
        (async () => {
          const { bodies, handler } = refusing(1)
          const call = bench.client((await bench.server(handler)).url).clientStream(list('a'))
          return [await unaryOutcome(call), bodies]
        })(),
        (async () => {
          const { bodies, handler } = refusing(1)
          const stream = bench.client((await bench.server(handler)).url).bidi(list('a', 'b'))
          return [await outcomeOf(stream), bodies]
        })(),
      ]),
    expected: [
      [
        ['a', 'ok'],
        ['refused', 'a'],
      ],
      [
        ['a', 'ok'],
        ['refused', 'a'],
      ],
      [
        ['a', 'ok'],
        ['refused', 'a'],
      ],
      [
        ['a', 'b', 'ok'],
        ['refused', 'ab'],
      ],
    ],
    connectNode: {
      expected: Array.from({ length: 4 }, () => [['internal'], ['refused']]),
      because: NOT_REPEATED,
    },
  },
  {
    id: 'REFUSED_STREAM twice: once more is all',
    source: A6,
    run: (bench) => refused(bench, 2),
    expected: [['unavailable'], 2],
    connectNode: { expected: [['internal'], 1], because: NOT_REPEATED },
  },
  {
    id: 'another reset before the head: nothing is sent again',
    source: A6,
    run: (bench) => refused(bench, 1, ({ stream }) => stream.close(2)),
    expected: [['internal'], 1],
  },
  {
    id: 'a status UNAVAILABLE: nothing is sent again',
    source: A6,
    run: (bench) => refused(bench, 1, (call) => call.trailersOnly({ 'grpc-status': 14 })),
    expected: [['unavailable'], 1],
  },
  {
    id: 'a connection that is lost: nothing is sent again',
    source: A6,
    run: (bench) => refused(bench, 1, ({ session }) => session.destroy()),
    expected: [['unavailable'], 1],
    connectNode: {
      expected: [['canceled'], 1],
      because:
        'What Node calls CANCEL when a connection is lost is no decision of the caller or of the server.',
    },
  },
  {
    id: 'REFUSED_STREAM after the head: nothing is sent again',
    source: A6,
    run: (bench) =>
      refused(bench, 1, ({ respond, session, stream }) => {
        respond()
        session.ping(() => stream.close(REFUSED_STREAM))
      }),
    expected: [['unavailable'], 1],
    connectNode: {
      expected: [['internal'], 1],
      because: 'REFUSED_STREAM is UNAVAILABLE in the table of the document.',
    },
  },
  {
    id: 'REFUSED_STREAM for a request longer than the mebibyte that is kept: nothing is sent again',
    source: `${A6} (buffers have a limit)`,
    run: (bench) => refused(bench, 1, undefined, 'x'.repeat(1_100_000)),
    expected: [['unavailable'], 1],
    connectNode: {
      expected: [['internal'], 1],
      because: 'REFUSED_STREAM is UNAVAILABLE in the table of the document.',
    },
  },
  {
    id: 'GOAWAY with a lower stream: the call is sent over another connection',
    source: `${A6}; ${RFC_9113}, section 6.8`,
    run: (bench) =>
      Promise.all(
        [0, 2].map(async (code) => {
          let calls = 0
          const answer = (call: WireCall) =>
            call.write(
              call.headers(GRPC_HEAD),
              call.data(texts('a')),
              call.headers({ 'grpc-status': '0' }, true),
            )
          const server = await bench.wire((call) => {
            calls++
            if (calls > 1) answer(call)
            else call.write(goaway(0, code))
          })
          return [await outcomeOf(bench.client(server.url).serverStream({})), calls]
        }),
      ),
    expected: Array.from({ length: 2 }, () => [['a', 'ok'], 2]),
    connectNode: { expected: Array.from({ length: 2 }, () => [['internal'], 1]), because: NOT_REPEATED },
  },
  {
    id: 'calls that are sent again are among the first of their connection, as many as were processed on the one before',
    source: `${A6}; ${RFC_9113}, section 6.8`,
    async run(bench) {
      let processed = 0
      const server = await bench.wire((call) => {
        // Two on each connection: streams 1 and 3.
        if (call.stream > 3) return
        processed++
        if (call.stream === 3) call.write(goaway(3, 0))
        call.write(call.headers(GRPC_HEAD), call.data(texts('a')), call.headers({ 'grpc-status': '0' }, true))
      })
      const client = bench.client(server.url)
      const outcomes = await Promise.all(Array.from({ length: 7 }, () => unaryOutcome(client.unary({}))))
      return [outcomes.map((outcome) => outcome.at(-1)), processed]
    },
    expected: [Array.from({ length: 7 }, () => 'ok'), 7],
    connectNode: {
      expected: [['ok', 'ok', ...Array.from({ length: 5 }, () => 'internal')], 2],
      because: NOT_REPEATED,
    },
  },
  {
    id: 'GOAWAY while a call waits for its turn: it is sent over another connection',
    source: `${A6} (the call never left the client)`,
    async run(bench) {
      const server = await bench.server(undefined, { maxConcurrentStreams: 1 })
      const client = bench.client(server.url)
      const first = client.serverStream({})
      const call = await server.call()
      call.send('a')
      // The limit is known by now.
      await first.next()
      const second = outcomeOf(client.serverStream({}))
      await new Promise((resolve) => call.session.ping(resolve))
      call.session.goaway(0, 0x7f_ff_ff_ff)
      const other = await server.call()
      other.send('b')
      other.end()
      const outcomes = [await second]
      call.end()
      return [...outcomes, await outcomeOf(first), server.connections]
    },
    expected: [['b', 'ok'], ['ok'], 2],
    connectNode: { notRun: true, because: 'It waits until the first call is over, however long that takes.' },
  },
  {
    id: 'headers longer than 64 KiB are not sent',
    source: `${PROTOCOL}; nghttp2, NGHTTP2_MAX_HEADERSLEN`,
    async run(bench) {
      const server = await bench.server((call) => call.end())
      const headers = { 'x-long': '~'.repeat(70_000) }
      const error = await bench
        .client(server.url)
        .unary({}, { headers })
        .catch((cause: unknown) => cause)
      return [codeName(error), server.openStreams]
    },
    expected: ['invalid_argument', 0],
    connectNode: {
      expected: ['internal', 0],
      because: "The length is the caller's, and the same at every attempt: INVALID_ARGUMENT says so.",
    },
  },
]
