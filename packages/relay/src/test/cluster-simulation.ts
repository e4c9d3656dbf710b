/** A cluster in virtual time, while relays join, end, die and are cut off from their store: what that costs. */
import { type BenchRelay, createClusterBench, HEARTBEAT_MS, LINGER_MS } from './cluster-bench.ts'

/** Each way between a relay and its store. */
const LATENCY_MS = 1
const SETTLED_MS = 180_000
const CHANGE_EVERY_MS = 10_000

/** How large it is. */
export interface ClusterSize {
  readonly apps: number
  readonly relays: number
  /** Every 10 s a relay joins, ends, dies, or loses its store for a while. */
  readonly changes: number
  readonly seed: number
}

/** The costs of a simulation. */
export interface ClusterCosts {
  /** Apps that a change moves. */
  readonly movesAChange: number
  /** The longest time in which no relay had an app. */
  readonly longestUnownedMs: number
  /** Of the apps that moved. */
  readonly meanUnownedMs: number
  readonly writesASecond: number
  readonly refusedASecond: number
  /** Of all the time of all apps. */
  readonly unownedShare: number
}

/** The limits of the costs. */
export function clusterBounds({ apps, relays }: ClusterSize): ClusterCosts {
  const share = apps / relays
  return {
    // A relay's own apps, which may be more than an even share; one that is cut off loses them and has them back.
    movesAChange: 2 * share,
    // Six heartbeats, twice: its successor may die, too, before it has taken it.
    longestUnownedMs: 12 * HEARTBEAT_MS,
    meanUnownedMs: 3 * HEARTBEAT_MS,
    // One for each relay and heartbeat, two for each move, and those of relays that join and leave.
    writesASecond: relays / (HEARTBEAT_MS / 1000) + (5 * share + 5) / (CHANGE_EVERY_MS / 1000),
    // Of two relays that read the members at the same time, one is rejected and retries.
    refusedASecond: relays / (HEARTBEAT_MS / 1000) / 2,
    // Every ten seconds a relay's apps have no owner for up to ten seconds on average.
    unownedShare: 1 / relays,
  }
}

/** @returns The cost, the most relays of one app at the same time (must be 1), and the apps without a relay at the end (must be 0). */
export async function simulateCluster(size: ClusterSize): Promise<{
  readonly costs: ClusterCosts
  readonly seconds: number
  readonly most: number
  readonly without: number
}> {
  const apps = Array.from({ length: size.apps }, (_, at) => `app-${at}`)
  const counts = { writes: 0, refused: 0 }
  let isMeasuring = false
  const bench = createClusterBench(apps, {
    seed: size.seed,
    latencyMs: LATENCY_MS,
    onWrite: (hasWritten) => {
      if (isMeasuring) counts[hasWritten ? 'writes' : 'refused'] += 1
    },
  })
  const { clock, random } = bench

  let named = 0
  const relays: BenchRelay[] = []
  const join = (): void => {
    named += 1
    relays.push(bench.start(`relay-${named}`))
  }
  const draw = (): BenchRelay | undefined => relays.splice(Math.floor(random() * relays.length), 1)[0]
  for (let relay = 0; relay < size.relays; relay += 1) join()
  await clock.advance(SETTLED_MS)

  isMeasuring = true
  const before = bench.log.length
  const fromMs = clock.now()
  let changes = 0
  for (let change = 0; change < size.changes; change += 1) {
    const what = change % 4
    changes += 1
    if (what === 0) draw()?.die()
    else if (what === 1) void draw()?.cluster.close()
    else if (what === 2) {
      join()
      join()
      changes += 1
    } else {
      // It loses its apps, and has them back later.
      const relay = relays[Math.floor(random() * relays.length)]
      relay?.cut(true)
      clock.setTimer(() => relay?.cut(false), 8 * HEARTBEAT_MS)
      changes += 1
    }
    await clock.advance(CHANGE_EVERY_MS)
  }
  await clock.advance(3 * LINGER_MS)
  const seconds = (clock.now() - fromMs) / 1000
  const pauses = bench.log.slice(before).map(({ unownedMs }) => unownedMs)
  const unownedMs = pauses.reduce((sum, ms) => sum + ms, 0)
  return {
    costs: {
      movesAChange: pauses.length / changes,
      longestUnownedMs: pauses.reduce((longest, ms) => Math.max(longest, ms), 0),
      meanUnownedMs: unownedMs / pauses.length,
      writesASecond: counts.writes / seconds,
      refusedASecond: counts.refused / seconds,
      unownedShare: unownedMs / 1000 / (size.apps * seconds),
    },
    seconds,
    most: bench.most,
    without: [...bench.owners().values()].filter((owner) => owner === '').length,
  }
}
