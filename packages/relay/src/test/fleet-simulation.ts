/** A fleet in virtual time, while relays join, end, die and are cut off from their store: what that costs. */
import type { Store } from '@brokerwire/core'
import { createSeededRandom, createVirtualClock } from '@brokerwire/core/testing'
import { createMemoryStore } from '@brokerwire/stores'
import { Fleet, type KeyRunEnd } from '../fleet/fleet.ts'

const BEAT_MS = 5000
/** Each way between a relay and its store. */
const LATENCY_MS = 1
/** A planned handover waits for the place of its first subscription. */
const LINGER_MS = 60_000
const SETTLED_MS = 180_000
const CHANGE_EVERY_MS = 10_000

/** How large it is. */
export interface FleetSize {
  readonly keys: number
  readonly relays: number
  /** One that joins, ends, dies, or is cut off and comes back, each 10 s. */
  readonly changes: number
  readonly seed: number
}

/** What it costs. */
export interface FleetCosts {
  /** Keys that a change moves. */
  readonly movesAChange: number
  /** Longest time in which nobody had a key. */
  readonly longestUnownedMs: number
  /** Of the keys that moved. */
  readonly meanUnownedMs: number
  readonly writesASecond: number
  readonly refusedASecond: number
  /** Of all the time of all keys. */
  readonly unownedShare: number
}

/** What it may cost. */
export function fleetBounds({ keys, relays }: FleetSize): FleetCosts {
  const share = keys / relays
  return {
    // A relay's own keys, which may be more than an even share; one that is cut off loses them and has them back.
    movesAChange: 2 * share,
    // Six beats, twice: its successor may die, too, before it has taken it.
    longestUnownedMs: 12 * BEAT_MS,
    meanUnownedMs: 3 * BEAT_MS,
    // One for each relay and beat, two for each move, and those of relays that join and leave.
    writesASecond: relays / (BEAT_MS / 1000) + (5 * share + 5) / (CHANGE_EVERY_MS / 1000),
    // Of two that read the members at once one is refused, and tries again.
    refusedASecond: relays / (BEAT_MS / 1000) / 2,
    // Every ten seconds a relay's keys have no owner for up to ten seconds on average.
    unownedShare: 1 / relays,
  }
}

/** @returns What it cost, how many keys had two relays at once, and how many have none in the end: both are to be 0. */
export async function simulateFleet(size: FleetSize): Promise<{
  readonly costs: FleetCosts
  readonly seconds: number
  readonly twice: number
  readonly without: number
}> {
  const clock = createVirtualClock(0)
  const store = createMemoryStore()
  const random = createSeededRandom(size.seed)
  const keys = Array.from({ length: size.keys }, (_, at) => `key-${at}`)
  const counts = { writes: 0, refused: 0, moves: 0, unownedMs: 0, longestMs: 0 }
  const owners = new Map<string, string>()
  const unownedSinceMs = new Map(keys.map((key) => [key, 0]))
  let isMeasuring = false
  let twice = 0
  let drawn = 0

  const start = (name: string) => {
    /** Each key with its run: a timer of an earlier one ends nothing. */
    const own = new Map<string, object>()
    let [isCut, isDead] = [false, false]
    const reach = async <T>(work: () => Promise<T>): Promise<T> => {
      await new Promise<void>((resolve) => clock.setTimer(resolve, LATENCY_MS))
      if (isCut || isDead) return new Promise(() => {})
      const answer = await work()
      await new Promise<void>((resolve) => clock.setTimer(resolve, LATENCY_MS))
      return isCut || isDead ? new Promise(() => {}) : answer
    }
    const reached: Store = {
      get: (key) => reach(() => store.get(key)),
      compareAndSet: (...args) =>
        reach(async () => {
          const hasWritten = await store.compareAndSet(...args)
          if (isMeasuring) counts[hasWritten ? 'writes' : 'refused'] += 1
          return hasWritten
        }),
    }
    const leave = (key: string, run: object): void => {
      if (own.get(key) !== run) return
      own.delete(key)
      owners.delete(key)
      unownedSinceMs.set(key, clock.now())
    }
    const fleet = new Fleet({
      store: reached,
      fleet: 'main',
      name,
      keys,
      connectionsOf: () => 3,
      maxConnections: 5,
      clock,
      random,
      drawIncarnation: () => {
        drawn += 1
        return `i${drawn}`
      },
      beatMs: BEAT_MS,
      startKey(key, { lingering, onLingering }) {
        if (lingering > 0) clock.setTimer(() => onLingering(0), LINGER_MS)
        if (owners.has(key)) twice += 1
        owners.set(key, name)
        const run = {}
        own.set(key, run)
        const forMs = clock.now() - (unownedSinceMs.get(key) ?? 0)
        if (isMeasuring) {
          counts.moves += 1
          counts.unownedMs += forMs
          counts.longestMs = Math.max(counts.longestMs, forMs)
        }
        let end: (how: KeyRunEnd) => void = () => {}
        const ended = new Promise<KeyRunEnd>((resolve) => {
          end = resolve
        })
        return {
          ended,
          abandon() {
            if (isDead) return
            leave(key, run)
            end({ why: 'released', lingering: 3 })
          },
          handOver(now) {
            clock.setTimer(
              () => {
                if (isDead) return
                leave(key, run)
                end({ why: 'released', lingering: 2 })
              },
              now ? 100 : LINGER_MS,
            )
          },
        }
      },
    })
    void fleet.start()
    return {
      fleet,
      cut: (cut: boolean) => {
        isCut = cut
      },
      die() {
        isDead = true
        for (const [key, run] of [...own]) leave(key, run)
      },
    }
  }

  let named = 0
  const relays: ReturnType<typeof start>[] = []
  const join = (): void => {
    named += 1
    relays.push(start(`relay-${named}`))
  }
  const draw = (): ReturnType<typeof start> | undefined =>
    relays.splice(Math.floor(random() * relays.length), 1)[0]
  for (let relay = 0; relay < size.relays; relay += 1) join()
  await clock.advance(SETTLED_MS)

  isMeasuring = true
  const fromMs = clock.now()
  let changes = 0
  for (let change = 0; change < size.changes; change += 1) {
    const what = change % 4
    changes += 1
    if (what === 0) draw()?.die()
    else if (what === 1) void draw()?.fleet.close()
    else if (what === 2) {
      join()
      join()
      changes += 1
    } else {
      // It loses its keys, and has them back later.
      const relay = relays[Math.floor(random() * relays.length)]
      relay?.cut(true)
      clock.setTimer(() => relay?.cut(false), 8 * BEAT_MS)
      changes += 1
    }
    await clock.advance(CHANGE_EVERY_MS)
  }
  await clock.advance(3 * LINGER_MS)
  const seconds = (clock.now() - fromMs) / 1000
  return {
    costs: {
      movesAChange: counts.moves / changes,
      longestUnownedMs: counts.longestMs,
      meanUnownedMs: counts.unownedMs / counts.moves,
      writesASecond: counts.writes / seconds,
      refusedASecond: counts.refused / seconds,
      unownedShare: counts.unownedMs / 1000 / (size.keys * seconds),
    },
    seconds,
    twice,
    without: size.keys - owners.size,
  }
}
