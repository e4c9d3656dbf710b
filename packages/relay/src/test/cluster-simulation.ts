/** The costs of a cluster in virtual time while relays join, end, die and are disconnected from their store. */
import { type BenchRelay, createClusterBench, HEARTBEAT_MS, LINGER_MS } from './cluster-bench.ts'

/** Latency of each direction between a relay and its store. */
const LATENCY_MS = 1
const SETTLED_MS = 180_000
const CHANGE_EVERY_MS = 10_000

/** The size of a simulation. */
export interface ClusterSize {
  readonly apps: number
  readonly relays: number
  /** Every 10 s a relay joins, ends, dies, or loses its store for a while. */
  readonly changes: number
  readonly seed: number
}

/** The costs of a simulation. */
export interface ClusterCosts {
  /** The number of apps that one change moves. */
  readonly movesAChange: number
  /** The longest time for which an app had no relay. */
  readonly longestUnownedMs: number
  /** The mean time for which a moved app had no relay. */
  readonly meanUnownedMs: number
  readonly writesASecond: number
  readonly rejectedASecond: number
  /** The share of all time of all apps without a relay. */
  readonly unownedShare: number
}

/** The limits of the costs. */
export function clusterBounds({ apps, relays }: ClusterSize): ClusterCosts {
  const share = apps / relays
  return {
    // The apps of a relay may be more than an even share. A disconnected relay loses its apps and gets them back.
    movesAChange: 2 * share,
    // Six heartbeats, twice: the next relay may die too, before it has acquired the app.
    longestUnownedMs: 12 * HEARTBEAT_MS,
    meanUnownedMs: 3 * HEARTBEAT_MS,
    // One write for each relay and heartbeat, two for each move, and those of relays that join and leave.
    writesASecond: relays / (HEARTBEAT_MS / 1000) + (5 * share + 5) / (CHANGE_EVERY_MS / 1000),
    // If two relays read the members at the same time, the write of one is rejected, and it retries.
    rejectedASecond: relays / (HEARTBEAT_MS / 1000) / 2,
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
  const counts = { writes: 0, rejected: 0 }
  let isMeasuring = false
  const bench = createClusterBench(apps, {
    seed: size.seed,
    latencyMs: LATENCY_MS,
    onWrite: (hasWritten) => {
      if (isMeasuring) counts[hasWritten ? 'writes' : 'rejected'] += 1
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
      // The relay loses its apps, and gets them back later.
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
      rejectedASecond: counts.rejected / seconds,
      unownedShare: unownedMs / 1000 / (size.apps * seconds),
    },
    seconds,
    most: bench.most,
    without: [...bench.owners().values()].filter((owner) => owner === '').length,
  }
}
