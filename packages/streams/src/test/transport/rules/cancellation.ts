/** Deadlines, and who cancels what when. Each row looks at the server: 8 is CANCEL. */
import type { OutgoingHttpHeaders } from 'node:http2'
import { texts } from '@brokerwire/testing/grpc-envelope'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Bench } from '../bench.ts'
import { codeName, errorOf, outcomeOf, unaryOutcome } from '../outcome.ts'
import { CONNECT, PROTOCOL, type Rule } from './rule.ts'

/** A stream that has got its first message, and the server's end of it. */
async function begun(bench: Bench, signal?: AbortSignal, timeoutMs?: number) {
  const server = await bench.server()
  const stream = bench
    .client(server.url)
    .serverStream({}, { ...(signal && { signal }), ...(timeoutMs && { timeoutMs }) })
  const call = await server.call()
  call.send('a')
  await stream.next()
  return { server, stream, call }
}

/** Enough for a slow machine to get a call to its server. */
const DEADLINE_MS = 200

export const cancellationRules: readonly Rule[] = [
  {
    id: 'a deadline before the head',
    source: `${PROTOCOL}, Timeout; Errors (CANCEL)`,
    async run(bench) {
      const server = await bench.server()
      const ended = unaryOutcome(bench.client(server.url).unary({}, { timeoutMs: DEADLINE_MS }))
      const { closed } = await server.call()
      return [await ended, await closed]
    },
    expected: [['deadline_exceeded'], 8],
    connectNode: {
      expected: [['deadline_exceeded'], 2],
      because: 'It resets with INTERNAL_ERROR; CANCEL is what a call is given up with.',
    },
  },
  {
    id: 'a deadline in the middle of a stream',
    source: `${PROTOCOL}, Timeout; Errors (CANCEL)`,
    async run(bench) {
      const { stream, call } = await begun(bench, undefined, 2 * DEADLINE_MS)
      return [await outcomeOf(stream), await call.closed]
    },
    expected: [['deadline_exceeded'], 8],
    connectNode: {
      expected: [['deadline_exceeded'], 2],
      because: 'It resets with INTERNAL_ERROR; CANCEL is what a call is given up with.',
    },
  },
  {
    id: 'a deadline while the server accepts and never answers',
    source: PROTOCOL,
    async run(bench) {
      const server = await bench.wire(() => {}, { mute: true })
      return unaryOutcome(bench.client(server.url).unary({}, { timeoutMs: DEADLINE_MS }))
    },
    expected: ['deadline_exceeded'],
  },
  {
    id: 'a deadline of a fraction of a millisecond',
    source: PROTOCOL,
    async run(bench) {
      const server = await bench.server()
      return unaryOutcome(bench.client(server.url).unary({}, { timeoutMs: 0.01 }))
    },
    expected: ['deadline_exceeded'],
  },
  {
    id: 'a signal that is aborted before: nothing is sent',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server()
      const client = bench.client(server.url)
      const signal = AbortSignal.abort()
      return [
        await unaryOutcome(client.unary({}, { signal })),
        await outcomeOf(client.serverStream({}, { signal })),
        server.connections,
      ]
    },
    expected: [['canceled'], ['canceled'], 0],
  },
  {
    id: 'an abort before the head',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(bench) {
      const server = await bench.server()
      const abort = new AbortController()
      const ended = unaryOutcome(bench.client(server.url).unary({}, { signal: abort.signal }))
      const { closed } = await server.call()
      abort.abort()
      return [await ended, await closed]
    },
    expected: [['canceled'], 8],
  },
  {
    id: 'an abort between messages',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(bench) {
      const abort = new AbortController()
      const { stream, call } = await begun(bench, abort.signal)
      const rest = outcomeOf(stream)
      abort.abort()
      return [await rest, await call.closed]
    },
    expected: [['canceled'], 8],
  },
  {
    id: 'an abort in the middle of a message',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(bench) {
      const abort = new AbortController()
      const { stream, call } = await begun(bench, abort.signal)
      const rest = outcomeOf(stream)
      call.write(texts('b', 'hello').subarray(0, -3))
      call.session.ping(() => abort.abort())
      return [(await rest).at(-1), await call.closed]
    },
    expected: ['canceled', 8],
  },
  {
    id: 'an abort has the reason that it was given',
    source: CONNECT,
    async run(bench) {
      const reasons = [new ConnectError('mine', Code.Aborted), new Error('mine'), new TypeError('mine')]
      const server = await bench.server()
      const client = bench.client(server.url)
      return Promise.all(
        reasons.map(async (reason) => {
          const abort = new AbortController()
          const failed = errorOf(client.unary({}, { signal: abort.signal }))
          await server.call()
          abort.abort(reason)
          const error = await failed
          return [codeName(error), error.rawMessage, error === reason || error.cause === reason]
        }),
      )
    },
    expected: [
      ['aborted', 'mine', true],
      ['canceled', 'mine', true],
      ['canceled', 'mine', true],
    ],
  },
  {
    id: 'the reason of an abort is thrown into the input',
    source: CONNECT,
    run: (bench) => abortedInput(bench, true),
    expected: [['aborted'], 8, 'throw mine'],
    connectNode: {
      expected: [['aborted'], 2, 'throw mine'],
      because:
        'It resets with INTERNAL_ERROR unless the reason is CANCELED; CANCEL is what a call is given up with.',
    },
  },
  {
    id: 'an input without throw() is returned from',
    source: CONNECT,
    run: (bench) => abortedInput(bench, false),
    expected: [['aborted'], 8, 'return'],
    connectNode: {
      expected: [['internal'], 2, 'return'],
      because: 'It needs throw(), which an iterator need not have, to cancel in good order.',
    },
  },
  {
    id: 'the error of a status is thrown into the input',
    source: CONNECT,
    run: (bench) => endedInput(bench, { 'grpc-status': '5', 'grpc-message': 'gone' }),
    expected: [['not_found'], 'throw gone'],
  },
  {
    id: 'an input that the server needs no more of is returned from',
    source: CONNECT,
    run: (bench) => endedInput(bench, {}),
    expected: [['ok'], 'return'],
  },
  {
    id: 'leaving the loop of createStreamClient',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(bench) {
      const { stream, call } = await begun(bench)
      call.send('b', 'c')
      for await (const { value } of stream) if (value === 'b') break
      return [await call.closed, await outcomeOf(stream)]
    },
    expected: [8, ['ok']],
  },
  {
    id: "leaving the loop of Connect's own client cancels nothing",
    source: CONNECT,
    async run(bench) {
      const server = await bench.server()
      const abort = new AbortController()
      const stream = bench.connectClient(server.url).serverStream({}, { signal: abort.signal })
      const served = server.call().then((call) => {
        call.send('a')
        return call
      })
      for await (const _ of stream) break
      const call = await served
      // Whatever the client would have sent by now comes before its answer to this.
      await new Promise((resolve) => call.session.ping(resolve))
      const open = server.openStreams
      abort.abort()
      return [open, await call.closed]
    },
    expected: [1, 8],
  },
  {
    id: 'an abort after the end changes nothing',
    source: CONNECT,
    async run(bench) {
      const server = await bench.server((call) => {
        call.send('a')
        call.end()
      })
      const abort = new AbortController()
      const stream = bench.client(server.url).serverStream({}, { signal: abort.signal })
      const outcome = await outcomeOf(stream)
      abort.abort()
      return [outcome, await outcomeOf(stream)]
    },
    expected: [['a', 'ok'], ['ok']],
  },
]

/** An input that waits after its first message, and what it heard first. */
function waitingInput(throws: boolean) {
  let resolveHeard: (heard: string) => void = () => {}
  const heard = new Promise<string>((resolve) => {
    resolveHeard = resolve
  })
  const done = { done: true as const, value: undefined }
  let first = true
  const iterator = {
    next: () => {
      if (!first) return new Promise<IteratorResult<{ value: string }>>(() => {})
      first = false
      return Promise.resolve({ done: false, value: { value: 'a' } })
    },
    async return() {
      resolveHeard('return')
      return done
    },
    ...(throws && {
      async throw(reason: unknown) {
        resolveHeard(`throw ${ConnectError.from(reason).rawMessage}`)
        return done
      },
    }),
  }
  return { heard, input: { [Symbol.asyncIterator]: () => iterator } }
}

/** Aborts a call whose input waits: how it ends, how the server sees it end, what the input heard. */
async function abortedInput(bench: Bench, throws: boolean): Promise<unknown> {
  const server = await bench.server()
  const abort = new AbortController()
  const { heard, input } = waitingInput(throws)
  const ended = unaryOutcome(bench.client(server.url).clientStream(input, { signal: abort.signal }))
  const { closed } = await server.call()
  abort.abort(new ConnectError('mine', Code.Aborted))
  return [await ended, await closed, await heard]
}

/** Ends a conversation whose input waits, from the server's side. */
async function endedInput(bench: Bench, trailers: OutgoingHttpHeaders): Promise<unknown> {
  const server = await bench.server((call) => call.end(trailers))
  const { heard, input } = waitingInput(true)
  return [await outcomeOf(bench.client(server.url).bidi(input)), await heard]
}
