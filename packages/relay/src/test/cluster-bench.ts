/** Relays of one cluster in virtual time, over one store: who has which key, while they join, end, die and are cut off. */
import type { Store } from '@brokerwire/core'
import { createSeededRandom, createVirtualClock } from '@brokerwire/core/testing'
import { createMemoryStore } from '@brokerwire/stores'
import { Cluster, type ClusterOptions } from '../cluster/cluster.ts'
import type { KeyRunEnd } from '../cluster/key-runs.ts'

export const BEAT_MS = 5000
/** How long the service counts an ended connection: a drain waits for that of its first subscription. */
export const LINGER_MS = 60_000
const LEAVE_AT_ONCE_MS = 200

/** A key that a relay has taken. */
export interface Taking {
  readonly key: string
  readonly name: string
  readonly lingering: number
  /** How long no relay had the key. */
  readonly unownedMs: number
}

export interface ClusterBenchOptions {
  readonly seed: number
  /** Each way between a relay and the store. @defaultValue none */
  readonly latencyMs?: number | undefined
  /** Called for each store request of a relay: whether the request fails before it is executed, or its response does. */
  readonly fails?: (() => 'request' | 'answer' | undefined) | undefined
  /** Called for each compare-and-set with its result. */
  readonly onWrite?: ((hasWritten: boolean) => void) | undefined
}

export function createClusterBench(keys: readonly string[], options: ClusterBenchOptions) {
  const { seed, latencyMs, fails, onWrite } = options
  const clock = createVirtualClock(0)
  const store = createMemoryStore()
  const random = createSeededRandom(seed)
  /** Who relays a key now. */
  const running = new Map<string, string[]>()
  const unownedSinceMs = new Map<string, number>(keys.map((key) => [key, 0]))
  const log: Taking[] = []
  let most = 0
  let drawn = 0

  const never = <T>(): Promise<T> => new Promise(() => {})
  const oneWay = (): Promise<void> | undefined =>
    latencyMs === undefined
      ? undefined
      : new Promise((resolve) => {
          clock.setTimer(resolve, latencyMs)
        })
  const take = (key: string, name: string, lingering: number): void => {
    const now = [...(running.get(key) ?? []), name]
    running.set(key, now)
    most = Math.max(most, now.length)
    log.push({ key, name, lingering, unownedMs: clock.now() - (unownedSinceMs.get(key) ?? 0) })
  }
  const stop = (key: string, name: string): void => {
    const left = (running.get(key) ?? []).filter((other) => other !== name)
    running.set(key, left)
    if (left.length === 0) unownedSinceMs.set(key, clock.now())
  }

  const start = (name: string, change: Partial<ClusterOptions> = {}) => {
    let [isCut, isDead, isStuck] = [false, false, false]
    const lost: unknown[] = []
    /** The running keys, each with the end of its run: a timer of an earlier run has no effect. */
    const own = new Map<string, (how: KeyRunEnd) => void>()
    const lingers = new Map<string, (places: number) => void>()
    const through = async <T>(work: () => Promise<T>): Promise<T> => {
      await oneWay()
      if (isCut || isDead) return never<T>()
      const failed = fails?.()
      const answer = failed === 'request' ? undefined : await work()
      await oneWay()
      if (isCut || isDead) return never<T>()
      if (failed !== undefined) throw new Error(`the connection was reset: no ${failed} came through`)
      return answer as T
    }
    const reached: Store = {
      get: (key) => through(() => store.get(key)),
      compareAndSet: (...args) =>
        through(async () => {
          const hasWritten = await store.compareAndSet(...args)
          onWrite?.(hasWritten)
          return hasWritten
        }),
    }
    const cluster = new Cluster({
      store: reached,
      cluster: 'main',
      name,
      keys,
      connectionsOf: () => 3,
      clock,
      random,
      drawIncarnation: () => {
        drawn += 1
        return `i${drawn}`
      },
      beatMs: BEAT_MS,
      maxConnections: 5,
      startKey(key, { lingering, onLingering }) {
        take(key, name, lingering)
        lingers.set(key, onLingering)
        // As a relay of a key does, before it has returned.
        onLingering(lingering)
        if (lingering > 0) clock.setTimer(() => onLingering(0), LINGER_MS)
        let resolve: (how: KeyRunEnd) => void = () => {}
        const ended = new Promise<KeyRunEnd>((settle) => {
          resolve = settle
        })
        const end = (how: KeyRunEnd): void => {
          if (own.get(key) === end) {
            own.delete(key)
            stop(key, name)
          }
          resolve(how)
        }
        own.set(key, end)
        return {
          ended,
          abort() {
            if (!isDead) end({ why: 'released', lingering: 3 })
          },
          drain(now) {
            clock.setTimer(
              () => {
                if (!isDead && !isStuck) end({ why: 'released', lingering: now ? 3 : 2 })
              },
              now ? LEAVE_AT_ONCE_MS : LINGER_MS,
            )
          },
        }
      },
      observer: { onLost: ({ error }) => lost.push(error) },
      ...change,
    })
    const started = cluster.start()
    started.catch(() => {})
    return {
      cluster,
      started,
      lost,
      /** Its sink is unavailable: its received events cannot be written. */
      stick() {
        isStuck = true
      },
      fail: (key: string, how: KeyRunEnd) => own.get(key)?.(how),
      /** Changes the number of lingering connections. */
      linger: (key: string, places: number) => lingers.get(key)?.(places),
      cut: (cut: boolean) => {
        isCut = cut
      },
      /** Kills it (SIGKILL) without releasing its keys. */
      die() {
        isDead = true
        for (const key of own.keys()) stop(key, name)
        own.clear()
      },
    }
  }
  return {
    clock,
    store,
    random,
    start,
    /** Every taking of a key, in order. */
    log,
    owners: () => new Map(keys.map((key) => [key, (running.get(key) ?? []).join('+')])),
    /** How many had one key at the same time. */
    get most() {
      return most
    },
  }
}

/** A relay of the bench. */
export type BenchRelay = ReturnType<ReturnType<typeof createClusterBench>['start']>
