/** Who cancels when: every type of call, left or aborted at every moment. */
import { envelope, texts } from '@brokerwire/testing/grpc-envelope'
import type { ServerCall } from '@brokerwire/testing/http2-server'
import type { Case, CaseDifference, CaseGroup } from './case.ts'
import type { CaseBench } from './case-bench.ts'
import { CONNECTIONS, KINDS, type Kind, streamsBack, streamsOut } from './dimensions.ts'
import { openCall } from './open-call.ts'

const MOMENTS = [
  /** The signal is aborted before the call. */
  'before',
  /** The server has the request, and says nothing. */
  'waiting',
  /** The head is there, and no message. */
  'after-head',
  /** A message is there, and the next one is not. */
  'between',
  /** Half of the second message is there. */
  'within',
  /** The request waits for room. */
  'uploading',
  /** The loop is left at the first message; no signal. */
  'left',
  /** The call is over. */
  'over',
] as const
type Moment = (typeof MOMENTS)[number]
type Client = ReturnType<CaseBench['client']>

/** Moments that a type of call has. */
function hasMoment(kind: Kind, moment: Moment): boolean {
  if (moment === 'between' || moment === 'within' || moment === 'left') return streamsBack(kind)
  if (moment === 'uploading') return streamsOut(kind)
  return true
}

/** Whatever the server wrote is with the client by the time that it answers a PING. */
const delivered = (call: ServerCall) => new Promise((resolve) => call.session.ping(resolve))

/** A call that succeeds: whatever the client sent before it on the same connection has arrived by then. */
async function succeed(bench: CaseBench, client: Client, name: string): Promise<void> {
  const { end } = openCall(client, 'unary', { headers: { 'x-call': name } })
  const call = await bench.arrived(name)
  await call.body
  call.write(envelope(new Uint8Array()))
  call.end()
  if ((await end) !== 'ok') throw new Error('expected a call that succeeds')
}

async function play(
  bench: CaseBench,
  id: string,
  dimensions: readonly [Kind, 'plain' | 'tls', 'identity' | 'gzip', Moment],
): Promise<string> {
  const [kind, connection, coding, moment] = dimensions
  const name = `${bench.name} ${id}`
  const abort = new AbortController()
  if (moment === 'before') abort.abort()
  const client = bench.client(connection, coding)
  const { end, first, told } = openCall(
    client,
    kind,
    { headers: { 'x-call': name }, signal: abort.signal },
    {
      ...(moment === 'uploading' && { flood: 'x'.repeat(20_000) }),
      leave: moment === 'left',
      short: moment === 'over',
    },
  )
  if (moment === 'before') {
    const ended = await end
    await succeed(bench, client, `${name} afterwards`)
    return `${ended}, ${bench.hasArrived(name) ? 'sent' : 'not sent'}, input: ${told()}`
  }
  const call = await bench.arrived(name)
  if (moment === 'uploading') call.stream.pause()
  if (moment === 'after-head') call.respond()
  if (moment === 'within') call.write(texts('a', 'hello').subarray(0, -3))
  if (moment === 'between' || moment === 'left') call.send('a')
  if (moment === 'over') {
    await call.body
    call.write(envelope(new Uint8Array()))
    call.end()
    const ended = await end
    const reset = await call.closed
    abort.abort()
    return `${ended}, reset ${reset}, input: ${told()}`
  }
  if (moment === 'between' || moment === 'within') await first
  await delivered(call)
  if (moment !== 'left') abort.abort()
  return `${await end}, reset ${await call.closed}, input: ${told()}`
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
          run: (bench) => play(bench, id, dimensions),
          expected: expected(kind, moment),
          connectNode: connectNode(kind, moment),
        })
      }

/** By the documents: the server hears CANCEL (8), and whoever makes the messages of the request hears why. */
function expected(kind: Kind, moment: Moment): string {
  const hasInput = streamsOut(kind)
  const input = (told: string) => `input: ${hasInput ? told : 'none'}`
  // Nobody took anything of it.
  if (moment === 'before') return `canceled, not sent, ${input('nothing')}`
  if (moment === 'over') return `ok, reset 0, ${input('nothing')}`
  if (moment === 'left') return `ok, reset 8, ${input('return')}`
  return `canceled, reset 8, ${input('throw')}`
}

function connectNode(kind: Kind, moment: Moment): CaseDifference | undefined {
  if (moment === 'before')
    return {
      expected: expected(kind, moment).replace('not sent', 'sent'),
      because: 'It begins a call at the server whose signal was aborted before.',
    }
  if (kind === 'unary' || kind === 'server-stream') return undefined
  if (moment === 'over')
    return { expected: 'ok, reset 0, input: return', because: 'It returns from an input that has ended.' }
  if (moment !== 'left') return undefined
  return {
    expected: 'ok, reset 8, input: throw',
    because: 'It has no way to be left but an abort, which is an error to its input.',
  }
}

export const cancellationCases: CaseGroup = {
  name: 'Cancellation',
  text: `Type of call, connection, coding of the request, moment. Observed: how the call ended, the HTTP/2 code that the server saw (8 is
CANCEL), what the caller's input was told.`,
  cases,
}
