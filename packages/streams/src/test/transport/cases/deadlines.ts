/** Deadlines: every type of call, with one that is far away, and with one that passes at every moment. */
import { envelope } from '@brokerwire/testing/grpc-envelope'
import type { ServerCall } from '@brokerwire/testing/http2-server'
import type { Case, CaseDifference, CaseGroup } from './case.ts'
import type { CaseBench } from './case-bench.ts'
import { CONNECTIONS, KINDS, type Kind, streamsBack, streamsOut } from './dimensions.ts'
import { openCall } from './open-call.ts'

const MOMENTS = [
  /** It is far away: the call succeeds, and the server was told. */
  'far',
  /** It has passed before anything can be sent. */
  'at-once',
  /** The server has the request, and says nothing. */
  'waiting',
  /** A message is there, and the next one is not. */
  'between',
  /** The request waits for room. */
  'uploading',
] as const
type Moment = (typeof MOMENTS)[number]

function hasMoment(kind: Kind, moment: Moment): boolean {
  if (moment === 'between') return streamsBack(kind)
  if (moment === 'uploading') return streamsOut(kind)
  return true
}

/** Enough for a call to get to its server. Where a machine is slower than that, the case is played with more. */
const DEADLINE_MS = 150

async function play(
  bench: CaseBench,
  id: string,
  kind: Kind,
  connection: 'plain' | 'tls',
  moment: Moment,
): Promise<string> {
  for (let timeoutMs = DEADLINE_MS; ; timeoutMs *= 2) {
    const name = `${bench.name} ${id} ${timeoutMs}`
    const observed = await attempt(bench, name, kind, connection, moment, timeoutMs)
    if (observed !== undefined) return observed
  }
}

/** @returns `undefined` where the deadline passed before its moment. */
async function attempt(
  bench: CaseBench,
  name: string,
  kind: Kind,
  connection: 'plain' | 'tls',
  moment: Moment,
  shortMs: number,
): Promise<string | undefined> {
  const timeoutMs = { far: 60_000, 'at-once': 0.01 }[moment as string] ?? shortMs
  const { end, first, told } = openCall(
    bench.client(connection, 'identity'),
    kind,
    { headers: { 'x-call': name }, timeoutMs },
    { ...(moment === 'uploading' && { flood: 'x'.repeat(20_000) }), short: moment === 'far' },
  )
  if (moment === 'at-once') return `${await end}, input: ${told()}`
  const call = await Promise.race([bench.arrived(name), end])
  if (typeof call === 'string') return undefined
  if (moment === 'far') {
    await call.body
    call.write(envelope(new Uint8Array()))
    call.end()
    return `${await end}, told ${toldDeadline(call) ? 'the deadline' : call.headers['grpc-timeout']}`
  }
  if (moment === 'uploading') call.stream.pause()
  if (moment === 'between') {
    call.send('a')
    const early = await Promise.race([first.then(() => false), call.closed.then(() => true)])
    if (early) return undefined
  }
  return `${await end}, reset ${await call.closed}, input: ${told()}`
}

/** Not more than was set, and not much less. */
function toldDeadline({ headers }: ServerCall): boolean {
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
        run: (bench) => play(bench, id, kind, connection, moment),
        expected: expected(kind, moment),
        connectNode: connectNode(kind, moment),
      })
    }

/** By the documents: the server hears CANCEL (8), and whoever makes the messages of the request hears why. */
function expected(kind: Kind, moment: Moment): string {
  const input = `input: ${kind === 'unary' || kind === 'server-stream' ? 'none' : 'throw'}`
  if (moment === 'far') return 'ok, told the deadline'
  if (moment === 'at-once') return `deadline_exceeded, ${input}`
  return `deadline_exceeded, reset 8, ${input}`
}

function connectNode(kind: Kind, moment: Moment): CaseDifference | undefined {
  if (moment === 'far' || moment === 'at-once') return undefined
  return {
    expected: expected(kind, moment).replace('reset 8', 'reset 2'),
    because: 'It resets with INTERNAL_ERROR; CANCEL is what a call is given up with.',
  }
}

export const deadlineCases: CaseGroup = {
  name: 'Deadlines',
  text: `Type of call, connection, moment at which it passes. Observed as above.`,
  cases,
}
