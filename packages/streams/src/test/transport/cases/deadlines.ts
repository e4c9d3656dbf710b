/** Deadlines: every kind of call, with a deadline that does not pass, and with one that passes at every moment. */
import { envelope } from '@brokerwire/testing/grpc-envelope'
import type { ServerCall } from '@brokerwire/testing/http2-server'
import type { Case, CaseDifference, CaseGroup } from './case.ts'
import type { CaseHarness } from './case-harness.ts'
import { CONNECTIONS, KINDS, type Kind, streamsBack, streamsOut } from './dimensions.ts'
import { openCall } from './open-call.ts'

const MOMENTS = [
  /** The deadline does not pass: the call succeeds, and the server received it. */
  'far',
  /** The deadline passes before anything can be sent. */
  'at-once',
  /** The server has the request, and sends nothing. */
  'waiting',
  /** The first message was received, the second was not. */
  'between',
  /** The request waits for the flow-control window. */
  'uploading',
] as const
type Moment = (typeof MOMENTS)[number]

function hasMoment(kind: Kind, moment: Moment): boolean {
  if (moment === 'between') return streamsBack(kind)
  if (moment === 'uploading') return streamsOut(kind)
  return true
}

/** Normally enough for a call to reach its server. If the machine is slower, the case is retried with a longer deadline. */
const DEADLINE_MS = 150

async function run(
  harness: CaseHarness,
  id: string,
  kind: Kind,
  connection: 'plain' | 'tls',
  moment: Moment,
): Promise<string> {
  for (let timeoutMs = DEADLINE_MS; ; timeoutMs *= 2) {
    const name = `${harness.name} ${id} ${timeoutMs}`
    const observed = await attempt(harness, name, kind, connection, moment, timeoutMs)
    if (observed !== undefined) return observed
  }
}

/** Makes the call. @returns `undefined` if the deadline passed before its moment. */
async function attempt(
  harness: CaseHarness,
  name: string,
  kind: Kind,
  connection: 'plain' | 'tls',
  moment: Moment,
  shortMs: number,
): Promise<string | undefined> {
  const timeoutMs = { far: 60_000, 'at-once': 0.01 }[moment as string] ?? shortMs
  const { end, first, inputEnd } = openCall(
    harness.client(connection, 'identity'),
    kind,
    { headers: { 'x-call': name }, timeoutMs },
    { ...(moment === 'uploading' && { flood: 'x'.repeat(20_000) }), short: moment === 'far' },
  )
  if (moment === 'at-once') return `${await end}, input: ${inputEnd()}`
  const call = await Promise.race([harness.arrived(name), end])
  if (typeof call === 'string') return undefined
  if (moment === 'far') {
    await call.body
    call.write(envelope(new Uint8Array()))
    call.end()
    return `${await end}, grpc-timeout ${hasDeadline(call) ? 'sent' : call.headers['grpc-timeout']}`
  }
  if (moment === 'uploading') call.stream.pause()
  if (moment === 'between') {
    call.send('a')
    const early = await Promise.race([first.then(() => false), call.closed.then(() => true)])
    if (early) return undefined
  }
  return `${await end}, reset ${await call.closed}, input: ${inputEnd()}`
}

/** Whether the request has a deadline close to the one of the call, and not later. */
function hasDeadline({ headers }: ServerCall): boolean {
  const ms = Number(/^(\d+)m$/.exec(String(headers['grpc-timeout']))?.[1])
  return ms > 30_000 && ms <= 60_000
}

const cases: Case[] = []
for (const kind of KINDS)
  for (const connection of CONNECTIONS)
    for (const moment of MOMENTS) {
      if (!hasMoment(kind, moment)) continue
      const id = `deadline/${kind}/${connection}/${moment}`
      cases.push({
        id,
        run: (harness) => run(harness, id, kind, connection, moment),
        expected: expected(kind, moment),
        connectNode: connectNode(kind, moment),
      })
    }

/** By the documents: the server receives CANCEL (8), and the input of the request receives the reason. */
function expected(kind: Kind, moment: Moment): string {
  const input = `input: ${kind === 'unary' || kind === 'server-stream' ? 'none' : 'throw'}`
  if (moment === 'far') return 'ok, grpc-timeout sent'
  if (moment === 'at-once') return `deadline_exceeded, ${input}`
  return `deadline_exceeded, reset 8, ${input}`
}

function connectNode(kind: Kind, moment: Moment): CaseDifference | undefined {
  if (moment === 'far' || moment === 'at-once') return undefined
  return {
    expected: expected(kind, moment).replace('reset 8', 'reset 2'),
    because: 'It resets with INTERNAL_ERROR. gRPC cancels a call with CANCEL.',
  }
}

export const deadlineCases: CaseGroup = {
  name: 'Deadlines',
  text: `Kind of call, connection, moment at which the deadline passes. The result is as for cancellation; with \`far\`, also whether the
server received the deadline.`,
  cases,
}
