/** The end of a case: waits for the last events, and compares the streams with what the service sent. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CaseContext, Figures } from '../harness.ts'
import type { Cluster } from './cluster.ts'
import type { Events } from './events.ts'
import { takeovers, type Verdict, verify } from './verify.ts'

const MAX_CONNECTIONS = 5
const LAST_MS = 300_000
const SEND_AGAIN_MS = 10_000
const WATCH_EVERY_MS = 20
/** A number of events of an app that is large enough for each module and both sorts of trade events. */
export const EACH_SORT = 5
const SORTS = ['module', 'trade', 'position'] as const

/** Records the maximum number of connections of an app, as the service counts them. */
export function watchConnections({ simulator }: Cluster): { readonly most: number; stop(): void } {
  let most = 0
  const timer = setInterval(() => {
    for (const app of simulator.apps) most = Math.max(most, app.subscriptions().length)
  }, WATCH_EVERY_MS)
  return {
    get most() {
      return most
    },
    stop: () => clearInterval(timer),
  }
}

/**
 * Waits until the last event of each sort is in the streams. If the writer changes, a trade event may be lost
 * in the gap. Therefore some more events are sent after a while.
 */
export async function untilStored(cluster: Cluster, events: Events): Promise<void> {
  const isStored = async (app: string, sort: (typeof SORTS)[number]): Promise<boolean> => {
    const last = events.sent
      .get(app)
      ?.filter(({ stream }) => stream === sort)
      .at(-1)
    return last === undefined || (await cluster.streams.lastEvent(cluster.addressOf(app), sort)) === last.id
  }
  const areStored = async (): Promise<boolean> => {
    for (const app of cluster.apps) for (const sort of SORTS) if (!(await isStored(app, sort))) return false
    return true
  }
  const endMs = performance.now() + LAST_MS
  let againMs = performance.now() + SEND_AGAIN_MS
  for (; !(await areStored()) && performance.now() < endMs; await sleep(50)) {
    if (performance.now() < againMs) continue
    events.sendSome(EACH_SORT)
    againMs += SEND_AGAIN_MS
  }
}

function summary(times: readonly number[]): string {
  if (times.length === 0) return 'none'
  const sorted = [...times].sort((one, other) => one - other)
  const seconds = (ms = 0): string => `${(ms / 1000).toFixed(1)} s`
  return `median ${seconds(sorted[Math.floor(sorted.length / 2)])}, maximum ${seconds(sorted.at(-1))} of ${sorted.length}`
}

/** Closes the cluster, reads its streams and verifies them. */
export async function conclude(
  { print, fail, check }: CaseContext,
  cluster: Cluster,
  events: Events,
  mostConnections: number,
): Promise<{ readonly rejected: number; readonly figures: Figures }> {
  await cluster.untilSubscribed()
  events.sendSome(EACH_SORT)
  await untilStored(cluster, events)
  const rejected = cluster.simulator
    .requests()
    .filter(({ errorCode }) => errorCode === 'connection-limit').length
  await cluster.close()
  const verdicts: Verdict[] = []
  let [redelivered, conflicting] = [0, 0]
  const times: Record<string, number[]> = { module: [], trade: [], position: [] }
  for (const app of cluster.apps) {
    const stream = cluster.streamOf(app)
    const messages = await cluster.streams.read(stream)
    const found = await cluster.streams.countCopies?.(stream)
    redelivered += found?.redelivered ?? 0
    conflicting += found?.conflicting ?? 0
    const verdict = verify(messages, events.sent.get(app) ?? [])
    verdicts.push(verdict)
    for (const text of verdict.missingEvents.slice(0, 10)) print(`${app}: missing ${text}`)
    for (const [stream, found] of Object.entries(takeovers(messages, cluster.kills)))
      times[stream]?.push(...found)
  }
  for (const [stream, found] of Object.entries(times))
    print(`${stream} events flow again after a kill: ${summary(found)}`)
  const sum = (name: Exclude<keyof Verdict, 'missingEvents'>): number =>
    verdicts.reduce((total, verdict) => total + verdict[name], 0)
  const errors = ['missing', 'duplicates', 'outOfOrder', 'invented', 'altered'] as const
  const tradeErrors = ['unexplained', 'duplicateTrades', 'openGaps', 'fromEarlierWriter'] as const
  for (const error of [...errors, ...tradeErrors]) check(sum(error) === 0, `${error}: ${sum(error)}`)
  check(conflicting === 0, `${conflicting} messages have copies with another webhook-id or payload`)
  check(mostConnections <= MAX_CONNECTIONS, `${mostConnections} connections of an app`)
  const { counts, streams } = cluster
  if (streams.losesAcknowledged) check(counts.truncated > 0, 'a failover lost acknowledged messages')
  if (streams.countCopies !== undefined) check(redelivered > 0, 'a message was delivered again')
  for (const what of counts.failed) fail(`an app failed: ${what}`)
  const figures = {
    modules: sum('modules'),
    tradesLost: sum('lost'),
    gaps: sum('gaps'),
    writers: counts.acquired,
    fenced: counts.fenced,
    membershipsLost: counts.lost,
    writesOfEarlierWritersRejected: counts.rejected,
    duplicatesDiscarded: counts.duplicates,
    connectionsRejected: rejected,
    mostConnections,
    ...(streams.losesAcknowledged ? { failoversNoticed: counts.truncated } : {}),
    ...(streams.countCopies === undefined ? {} : { redelivered }),
  }
  return { rejected, figures }
}
