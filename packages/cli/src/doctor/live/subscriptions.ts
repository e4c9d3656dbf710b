/** The event connections of `doctor --live`: opened one after the other, and closed at the end. */
import { type Answer, createAnswer } from './answer.ts'
import { type Calls, STOPPED } from './calls.ts'
import {
  type Decision,
  decideConnections,
  decidePingInterval,
  decideStreamAlgorithm,
  decideStreamToken,
  nextAttempt,
} from './decisions.ts'
import { type EventConnection, openEventConnection } from './event-connection.ts'
import { getToken, type MeasureOptions } from './options.ts'
import type { StreamAttempt, StreamOutcome } from './outcome.ts'

/** Number of pings that show the interval. */
const PINGS = 2

export async function measureSubscriptions(
  options: MeasureOptions,
  calls: Calls,
  accounts: readonly string[],
): Promise<readonly Answer[]> {
  const { endpoint, token, signal } = options
  const attempts: StreamAttempt[] = []
  const connections: EventConnection[] = []
  const listOpen = (): readonly EventConnection[] => connections.filter(({ isOpen }) => isOpen)
  try {
    for (;;) {
      const next = nextAttempt(attempts, endpoint.streamAlgorithm, getToken(token) !== undefined)
      if (next === undefined) break
      await calls.pause()
      const openBefore = listOpen().length
      const outcome = await open(options, calls, { ...next, accounts, openBefore }, connections)
      attempts.push({ ...next, openBefore, outcome })
    }
    await calls.pause()
    const [first, ...others] = listOpen()
    const openAfter = signal.aborted ? undefined : listOpen().length
    for (const other of others) other.close()
    const pings = first === undefined ? undefined : await waitForPings(first, options)
    const outcomes = attempts.map(({ outcome }) => outcome)
    const missing = 'missing' in token ? token.missing : undefined
    return [
      createAnswer('stream-algorithm', decideStreamAlgorithm(attempts), outcomes),
      createAnswer('stream-token', decideStreamToken(attempts, missing), outcomes),
      createAnswer('event-connections', decideConnections(attempts, openAfter), outcomes),
      createAnswer('ping-interval', pings ?? { reason: 'no event connection was open' }, []),
    ].map((answer) => (signal.aborted ? withStop(answer) : answer))
  } finally {
    for (const connection of connections) connection.close()
  }
}

/** Adds to the reason of a missing answer that the command was stopped. */
function withStop(answer: Answer): Answer {
  const { decision } = answer
  if ('answer' in decision || decision.reason.includes(STOPPED)) return answer
  return { ...answer, decision: { reason: `${STOPPED}; ${decision.reason}` } }
}

/** Opens one connection and adds it to `connections`. */
async function open(
  { connection, endpoint, token, timeoutMs, signal }: MeasureOptions,
  calls: Calls,
  attempt: Omit<StreamAttempt, 'outcome'> & { readonly accounts: readonly string[] },
  connections: EventConnection[],
): Promise<StreamOutcome> {
  const { algorithm, hasToken, openBefore, accounts } = attempt
  const { eventsUrl } = endpoint
  if (eventsUrl === undefined)
    return { type: 'not-made', reason: 'the address of the events is not known: set --events-url' }
  const reason = calls.begin(
    `trade subscription ${hasToken ? 'with' : 'without'} the access token, ${algorithm}, ${openBefore} open`,
  )
  if (reason !== undefined) return { type: 'not-made', reason }
  const opened = await openEventConnection({
    eventsUrl,
    allowInsecure: connection.allowInsecure,
    proxy: connection.proxy,
    signer: calls.brokerage(algorithm).signer,
    now: calls.now,
    accounts,
    accessToken: hasToken ? getToken(token) : undefined,
    timeoutMs,
    signal,
  })
  connections.push(opened)
  return signal.aborted && opened.outcome.type === 'failed'
    ? { type: 'not-made', reason: STOPPED }
    : opened.outcome
}

async function waitForPings(
  connection: EventConnection,
  { announce, pingWaitMs, signal }: MeasureOptions,
): Promise<Decision> {
  announce(
    `waiting for ${PINGS} pings, at most ${Math.round(pingWaitMs / 1000)} s; Ctrl-C prints the record so far`,
  )
  const startMs = performance.now()
  await connection.waitForPings(PINGS, pingWaitMs)
  const decision = decidePingInterval(connection.pings, performance.now() - startMs)
  const hasEnded = !connection.isOpen && !signal.aborted
  return 'reason' in decision && hasEnded
    ? { reason: `${decision.reason}, then the subscription ended` }
    : decision
}
