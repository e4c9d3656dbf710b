/** Cancellation: every kind of call, ended by `break` or an abort at every moment. */
import { envelope, texts } from '@brokerwire/testing/grpc-envelope'
import type { ServerCall } from '@brokerwire/testing/http2-server'
import type { Case, CaseDifference, CaseGroup } from './case.ts'
import type { CaseHarness } from './case-harness.ts'
import { CONNECTIONS, KINDS, type Kind, streamsBack, streamsOut } from './dimensions.ts'
import { openCall } from './open-call.ts'

const MOMENTS = [
  /** The signal is aborted before the call. */
  'before',
  /** The server has the request, and sends nothing. */
  'waiting',
  /** The response headers were received, and no message. */
  'after-headers',
  /** The first message was received, the second was not. */
  'between',
  /** Half of the second message was received. */
  'within',
  /** The request waits for the flow-control window. */
  'uploading',
  /** The loop ends with `break` at the first message. No signal is aborted. */
  'break',
  /** The call has ended. */
  'ended',
] as const
type Moment = (typeof MOMENTS)[number]
type Client = ReturnType<CaseHarness['client']>

/** Whether a kind of call has a moment. */
function hasMoment(kind: Kind, moment: Moment): boolean {
  if (moment === 'between' || moment === 'within' || moment === 'break') return streamsBack(kind)
  if (moment === 'uploading') return streamsOut(kind)
  return true
}

/** Waits until the client has received everything that the server wrote: the client acknowledges a PING after it. */
const delivered = (call: ServerCall) => new Promise((resolve) => call.session.ping(resolve))

/** Makes a call that succeeds, so that everything that the client sent before on the same connection has arrived. */
async function succeed(harness: CaseHarness, client: Client, name: string): Promise<void> {
  const { end } = openCall(client, 'unary', { headers: { 'x-call': name } })
  const call = await harness.arrived(name)
  await call.body
  call.write(envelope(new Uint8Array()))
  call.end()
  if ((await end) !== 'ok') throw new Error('expected a call that succeeds')
}

async function run(
  harness: CaseHarness,
  id: string,
  dimensions: readonly [Kind, 'plain' | 'tls', 'identity' | 'gzip', Moment],
): Promise<string> {
  const [kind, connection, coding, moment] = dimensions
  const name = `${harness.name} ${id}`
  const abort = new AbortController()
  if (moment === 'before') abort.abort()
  const client = harness.client(connection, coding)
  const { end, first, inputEnd } = openCall(
    client,
    kind,
    { headers: { 'x-call': name }, signal: abort.signal },
    {
      ...(moment === 'uploading' && { flood: 'x'.repeat(20_000) }),
      leave: moment === 'break',
      short: moment === 'ended',
    },
  )
  if (moment === 'before') {
    const ended = await end
    await succeed(harness, client, `${name} afterwards`)
    return `${ended}, ${harness.hasArrived(name) ? 'sent' : 'not sent'}, input: ${inputEnd()}`
  }
  const call = await harness.arrived(name)
  if (moment === 'uploading') call.stream.pause()
  if (moment === 'after-headers') call.respond()
  if (moment === 'within') call.write(texts('a', 'hello').subarray(0, -3))
  if (moment === 'between' || moment === 'break') call.send('a')
  if (moment === 'ended') {
    await call.body
    call.write(envelope(new Uint8Array()))
    call.end()
    const ended = await end
    const reset = await call.closed
    abort.abort()
    return `${ended}, reset ${reset}, input: ${inputEnd()}`
  }
  if (moment === 'between' || moment === 'within') await first
  await delivered(call)
  if (moment !== 'break') abort.abort()
  return `${await end}, reset ${await call.closed}, input: ${inputEnd()}`
}

const cases: Case[] = []
for (const kind of KINDS)
  for (const connection of CONNECTIONS)
    for (const coding of ['identity', 'gzip'] as const)
      for (const moment of MOMENTS) {
        if (!hasMoment(kind, moment)) continue
        const dimensions = [kind, connection, coding, moment] as const
        const id = `cancel/${dimensions.join('/')}`
        cases.push({
          id,
          run: (harness) => run(harness, id, dimensions),
          expected: expected(kind, moment),
          connectNode: connectNode(kind, moment),
        })
      }

/** By the documents: the server receives CANCEL (8), and the input of the request receives the reason. */
function expected(kind: Kind, moment: Moment): string {
  const hasInput = streamsOut(kind)
  const input = (inputEnd: string) => `input: ${hasInput ? inputEnd : 'none'}`
  // The input was never iterated.
  if (moment === 'before') return `canceled, not sent, ${input('nothing')}`
  if (moment === 'ended') return `ok, reset 0, ${input('nothing')}`
  if (moment === 'break') return `ok, reset 8, ${input('return')}`
  return `canceled, reset 8, ${input('throw')}`
}

function connectNode(kind: Kind, moment: Moment): CaseDifference | undefined {
  if (moment === 'before')
    return {
      expected: expected(kind, moment).replace('not sent', 'sent'),
      because: 'It sends a call whose signal was aborted before.',
    }
  if (kind === 'unary' || kind === 'server-stream') return undefined
  if (moment === 'ended')
    return {
      expected: 'ok, reset 0, input: return',
      because: 'It calls return() of an input that has ended.',
    }
  if (moment !== 'break') return undefined
  return {
    expected: 'ok, reset 8, input: throw',
    because: 'It can only be cancelled with an abort, which its input receives as an error.',
  }
}

export const cancellationCases: CaseGroup = {
  name: 'Cancellation',
  text: `Kind of call, connection, content coding of the request, moment. The result is the end of the call, the HTTP/2 error code that the
server received (8 is CANCEL), and how the caller's input was closed.`,
  cases,
}
