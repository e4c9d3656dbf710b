/** Rules of deadlines and cancellation. The HTTP/2 error code 8, which the server receives, is CANCEL. */
import type { OutgoingHttpHeaders } from 'node:http2'
import { texts } from '@brokerwire/testing/grpc-envelope'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Harness } from '../harness.ts'
import { codeName, errorOf, outcomeOf, unaryOutcome } from '../outcome.ts'
import { CONNECT, PROTOCOL, type Rule } from './rule.ts'

/** Opens a stream and reads its first message. @returns Both sides of the call. */
async function openedStream(harness: Harness, signal?: AbortSignal, timeoutMs?: number) {
  const server = await harness.server()
  const stream = harness
    .client(server.url)
    .serverStream({}, { ...(signal && { signal }), ...(timeoutMs && { timeoutMs }) })
  const call = await server.call()
  call.send('a')
  await stream.next()
  return { server, stream, call }
}

/** Enough for a call to reach its server on a slow machine. */
const DEADLINE_MS = 200

export const cancellationRules: readonly Rule[] = [
  {
    id: 'a deadline before the response headers cancels the call',
    source: `${PROTOCOL}, Timeout; Errors (CANCEL)`,
    async run(harness) {
      const server = await harness.server()
      const ended = unaryOutcome(harness.client(server.url).unary({}, { timeoutMs: DEADLINE_MS }))
      const { closed } = await server.call()
      return { outcome: await ended, resetCode: await closed }
    },
    expected: { outcome: ['deadline_exceeded'], resetCode: 8 },
    connectNode: {
      expected: { outcome: ['deadline_exceeded'], resetCode: 2 },
      because: 'It resets with INTERNAL_ERROR. gRPC cancels a call with CANCEL.',
    },
  },
  {
    id: 'a deadline in the middle of a stream cancels the call',
    source: `${PROTOCOL}, Timeout; Errors (CANCEL)`,
    async run(harness) {
      const { stream, call } = await openedStream(harness, undefined, 2 * DEADLINE_MS)
      return { outcome: await outcomeOf(stream), resetCode: await call.closed }
    },
    expected: { outcome: ['deadline_exceeded'], resetCode: 8 },
    connectNode: {
      expected: { outcome: ['deadline_exceeded'], resetCode: 2 },
      because: 'It resets with INTERNAL_ERROR. gRPC cancels a call with CANCEL.',
    },
  },
  {
    id: 'a deadline ends a call to a server that never sends SETTINGS',
    source: PROTOCOL,
    async run(harness) {
      const server = await harness.wire(() => {}, { mute: true })
      return unaryOutcome(harness.client(server.url).unary({}, { timeoutMs: DEADLINE_MS }))
    },
    expected: ['deadline_exceeded'],
  },
  {
    id: 'a deadline of a fraction of a millisecond ends the call',
    source: PROTOCOL,
    async run(harness) {
      const server = await harness.server()
      return unaryOutcome(harness.client(server.url).unary({}, { timeoutMs: 0.01 }))
    },
    expected: ['deadline_exceeded'],
  },
  {
    id: 'nothing is sent if the signal was aborted before the call',
    source: CONNECT,
    async run(harness) {
      const server = await harness.server()
      const client = harness.client(server.url)
      const signal = AbortSignal.abort()
      return {
        unary: await unaryOutcome(client.unary({}, { signal })),
        stream: await outcomeOf(client.serverStream({}, { signal })),
        connections: server.connections,
      }
    },
    expected: { unary: ['canceled'], stream: ['canceled'], connections: 0 },
  },
  {
    id: 'an abort before the response headers cancels the call',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(harness) {
      const server = await harness.server()
      const abort = new AbortController()
      const ended = unaryOutcome(harness.client(server.url).unary({}, { signal: abort.signal }))
      const { closed } = await server.call()
      abort.abort()
      return { outcome: await ended, resetCode: await closed }
    },
    expected: { outcome: ['canceled'], resetCode: 8 },
  },
  {
    id: 'an abort between messages cancels the call',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(harness) {
      const abort = new AbortController()
      const { stream, call } = await openedStream(harness, abort.signal)
      const rest = outcomeOf(stream)
      abort.abort()
      return { outcome: await rest, resetCode: await call.closed }
    },
    expected: { outcome: ['canceled'], resetCode: 8 },
  },
  {
    id: 'an abort in the middle of a message cancels the call',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(harness) {
      const abort = new AbortController()
      const { stream, call } = await openedStream(harness, abort.signal)
      const rest = outcomeOf(stream)
      call.write(texts('b', 'hello').subarray(0, -3))
      call.session.ping(() => abort.abort())
      return { end: (await rest).at(-1), resetCode: await call.closed }
    },
    expected: { end: 'canceled', resetCode: 8 },
  },
  {
    id: 'the error of an aborted call has the reason of the signal',
    source: CONNECT,
    async run(harness) {
      const reasons = [new ConnectError('mine', Code.Aborted), new Error('mine'), new TypeError('mine')]
      const server = await harness.server()
      const client = harness.client(server.url)
      return Promise.all(
        reasons.map(async (reason) => {
          const abort = new AbortController()
          const failed = errorOf(client.unary({}, { signal: abort.signal }))
          await server.call()
          abort.abort(reason)
          const error = await failed
          return {
            code: codeName(error),
            message: error.rawMessage,
            hasReason: error === reason || error.cause === reason,
          }
        }),
      )
    },
    expected: [
      { code: 'aborted', message: 'mine', hasReason: true },
      { code: 'canceled', message: 'mine', hasReason: true },
      { code: 'canceled', message: 'mine', hasReason: true },
    ],
  },
  {
    id: 'the reason of an abort is passed to throw() of the input',
    source: CONNECT,
    run: (harness) => abortedInput(harness, true),
    expected: { outcome: ['aborted'], resetCode: 8, input: 'throw mine' },
    connectNode: {
      expected: { outcome: ['aborted'], resetCode: 2, input: 'throw mine' },
      because:
        'It resets with INTERNAL_ERROR unless the reason is CANCELED. gRPC cancels a call with CANCEL.',
    },
  },
  {
    id: 'an input without throw() is closed with return()',
    source: CONNECT,
    run: (harness) => abortedInput(harness, false),
    expected: { outcome: ['aborted'], resetCode: 8, input: 'return' },
    connectNode: {
      expected: { outcome: ['internal'], resetCode: 2, input: 'return' },
      because: 'It requires throw(), which is optional for an iterator.',
    },
  },
  {
    id: 'the error of a status is passed to throw() of the input',
    source: CONNECT,
    run: (harness) => endedInput(harness, { 'grpc-status': '5', 'grpc-message': 'gone' }),
    expected: { outcome: ['not_found'], input: 'throw gone' },
  },
  {
    id: 'an input is closed with return() if the server ends the call with OK',
    source: CONNECT,
    run: (harness) => endedInput(harness, {}),
    expected: { outcome: ['ok'], input: 'return' },
  },
  {
    id: 'a break in the loop of createStreamClient cancels the call',
    source: `${PROTOCOL}, Errors (CANCEL)`,
    async run(harness) {
      const { stream, call } = await openedStream(harness)
      call.send('b', 'c')
      for await (const { value } of stream) if (value === 'b') break
      return { resetCode: await call.closed, nextRead: await outcomeOf(stream) }
    },
    expected: { resetCode: 8, nextRead: ['ok'] },
  },
  {
    id: "a break in the loop of Connect's own client cancels nothing",
    source: CONNECT,
    async run(harness) {
      const server = await harness.server()
      const abort = new AbortController()
      const stream = harness.connectClient(server.url).serverStream({}, { signal: abort.signal })
      const served = server.call().then((call) => {
        call.send('a')
        return call
      })
      for await (const _ of stream) break
      const call = await served
      // A reset by the client would arrive before its acknowledgement of this PING.
      await new Promise((resolve) => call.session.ping(resolve))
      const open = server.openStreams
      abort.abort()
      return { openAfterBreak: open, resetCodeAfterAbort: await call.closed }
    },
    expected: { openAfterBreak: 1, resetCodeAfterAbort: 8 },
  },
  {
    id: 'an abort after the end of the call changes nothing',
    source: CONNECT,
    async run(harness) {
      const server = await harness.server((call) => {
        call.send('a')
        call.end()
      })
      const abort = new AbortController()
      const stream = harness.client(server.url).serverStream({}, { signal: abort.signal })
      const outcome = await outcomeOf(stream)
      abort.abort()
      return { outcome, nextRead: await outcomeOf(stream) }
    },
    expected: { outcome: ['a', 'ok'], nextRead: ['ok'] },
  },
]

/** Creates an input that waits after its first message. @returns How it was closed, too. */
function waitingInput(throws: boolean) {
  let onClose: (how: string) => void = () => {}
  const closed = new Promise<string>((resolve) => {
    onClose = resolve
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
      onClose('return')
      return done
    },
    ...(throws && {
      async throw(reason: unknown) {
        onClose(`throw ${ConnectError.from(reason).rawMessage}`)
        return done
      },
    }),
  }
  return { inputClosed: closed, input: { [Symbol.asyncIterator]: () => iterator } }
}

/** Aborts a call whose input waits. @returns The end of the call, its HTTP/2 error code, and how the input was closed. */
async function abortedInput(harness: Harness, throws: boolean): Promise<unknown> {
  const server = await harness.server()
  const abort = new AbortController()
  const { inputClosed, input } = waitingInput(throws)
  const ended = unaryOutcome(harness.client(server.url).clientStream(input, { signal: abort.signal }))
  const { closed } = await server.call()
  abort.abort(new ConnectError('mine', Code.Aborted))
  return { outcome: await ended, resetCode: await closed, input: await inputClosed }
}

/** Makes a call that the server ends while its input waits. @returns The end of the call, and how the input was closed. */
async function endedInput(harness: Harness, trailers: OutgoingHttpHeaders): Promise<unknown> {
  const server = await harness.server((call) => call.end(trailers))
  const { inputClosed, input } = waitingInput(true)
  return { outcome: await outcomeOf(harness.client(server.url).bidi(input)), input: await inputClosed }
}
