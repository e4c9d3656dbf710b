/** Deadlines, and who cancels what when. Each row looks at the server: 8 is CANCEL. */
import { Code, ConnectError } from '@connectrpc/connect'
import type { Bench } from '../bench.ts'
import { texts } from '../envelopes.ts'
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
    id: 'the input of a call that was aborted is told so',
    source: CONNECT,
    run: (bench) => abortedInput(bench, true),
    expected: [['canceled'], 8, true],
  },
  {
    id: 'the input of a call that was aborted, an iterator without throw()',
    source: CONNECT,
    run: (bench) => abortedInput(bench, false),
    expected: [['canceled'], 8, true],
    connectNode: {
      expected: [['internal'], 2, true],
      because: 'It needs throw(), which an iterator need not have, to cancel in good order.',
    },
  },
  {
    id: 'leaving the loop of createStreamClient',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(bench) {
      const { stream, call } = await begun(bench)
      call.send('b')
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

/** Aborts a call whose input waits: how it ends, how the server sees it end, whether the input heard of it. */
async function abortedInput(bench: Bench, throws: boolean): Promise<unknown> {
  const server = await bench.server()
  const abort = new AbortController()
  let left = false
  const leave = async () => {
    left = true
    return { done: true as const, value: undefined }
  }
  let first = true
  const iterator = {
    next: () => {
      if (!first) return new Promise<IteratorResult<{ value: string }>>(() => {})
      first = false
      return Promise.resolve({ done: false, value: { value: 'a' } })
    },
    return: leave,
    ...(throws && { throw: leave }),
  }
  const input = { [Symbol.asyncIterator]: () => iterator }
  const ended = unaryOutcome(bench.client(server.url).clientStream(input, { signal: abort.signal }))
  const { closed } = await server.call()
  abort.abort()
  const outcome = [await ended, await closed]
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  return [...outcome, left]
}
