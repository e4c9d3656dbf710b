/** Relays of one cluster in virtual time, with one store: the owner of each app while they join, end, die and are disconnected. */
import type { Store } from '@brokerwire/core'
import { createSeededRandom, createVirtualClock } from '@brokerwire/core/testing'
import { createMemoryStore } from '@brokerwire/stores'
import type { AppRunEnd } from '../cluster/app-runs.ts'
import { Cluster, type ClusterOptions } from '../cluster/cluster.ts'

export const HEARTBEAT_MS = 5000
/** How long the service counts an ended connection: a drain waits for that of its first subscription. */
export const LINGER_MS = 60_000
const LEAVE_AT_ONCE_MS = 200
/** How long after another relay wrote the stream its earlier writer notices that, by a probe. */
const FENCED_MS = 5000

/** The acquisition of an app by a relay. */
export interface Acquisition {
  readonly app: string
  readonly name: string
  readonly lingering: number
  /** The time for which no relay had the app, milliseconds. */
  readonly unownedMs: number
}

export interface ClusterBenchOptions {
  readonly seed: number
  /** Latency of each direction between a relay and the store, milliseconds. @defaultValue none */
  readonly latencyMs?: number | undefined
  /** Called for each store request of a relay: whether the request fails before it is executed, or its response does. */
  readonly fails?: (() => 'request' | 'response' | undefined) | undefined
  /** Called for each compare-and-set with its result. */
  readonly onWrite?: ((hasWritten: boolean) => void) | undefined
}

export function createClusterBench(apps: readonly string[], options: ClusterBenchOptions) {
  const { seed, latencyMs, fails, onWrite } = options
  const clock = createVirtualClock(0)
  const store = createMemoryStore()
  const random = createSeededRandom(seed)
  /** The relays that run an app now. */
  const running = new Map<string, string[]>()
  const unownedSinceMs = new Map<string, number>(apps.map((app) => [app, 0]))
  const log: Acquisition[] = []
  /** Functions that end the runs of an app because another relay writes its stream. */
  const fences = new Map<string, (() => void)[]>()
  let most = 0
  let drawn = 0

  const never = <T>(): Promise<T> => new Promise(() => {})
  const oneWay = (): Promise<void> | undefined =>
    latencyMs === undefined
      ? undefined
      : new Promise((resolve) => {
          clock.setTimer(resolve, latencyMs)
        })
  const take = (app: string, name: string, lingering: number): void => {
    const now = [...(running.get(app) ?? []), name]
    running.set(app, now)
    most = Math.max(most, now.length)
    log.push({ app, name, lingering, unownedMs: clock.now() - (unownedSinceMs.get(app) ?? 0) })
  }
  const stop = (app: string, name: string): void => {
    const left = (running.get(app) ?? []).filter((other) => other !== name)
    running.set(app, left)
    if (left.length === 0) unownedSinceMs.set(app, clock.now())
  }

  const start = (name: string, change: Partial<ClusterOptions> = {}) => {
    let [isCut, isDead, isStuck] = [false, false, false]
    const lost: unknown[] = []
    /** The running apps, each with the end of its run: a timer of an earlier run has no effect. */
    const own = new Map<string, (how: AppRunEnd) => void>()
    const lingers = new Map<string, (places: number) => void>()
    const through = async <T>(work: () => Promise<T>): Promise<T> => {
      await oneWay()
      if (isCut || isDead) return never<T>()
      const failed = fails?.()
      const response = failed === 'request' ? undefined : await work()
      await oneWay()
      if (isCut || isDead) return never<T>()
      if (failed !== undefined) throw new Error(`the connection was reset: no ${failed} came through`)
      return response as T
    }
    const reached: Store = {
      get: (app) => through(() => store.get(app)),
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
      apps,
      connectionsOf: () => 3,
      clock,
      random,
      drawIncarnation: () => {
        drawn += 1
        return `i${drawn}`
      },
      heartbeatIntervalMs: HEARTBEAT_MS,
      maxConnections: 5,
      startApp(app, { lingering, onLingering }) {
        take(app, name, lingering)
        lingers.set(app, onLingering)
        // An app's relay reports the number before it returns.
        onLingering(lingering)
        if (lingering > 0) clock.setTimer(() => onLingering(0), LINGER_MS)
        let resolve: (how: AppRunEnd) => void = () => {}
        const ended = new Promise<AppRunEnd>((settle) => {
          resolve = settle
        })
        const end = (how: AppRunEnd): void => {
          if (own.get(app) === end) {
            own.delete(app)
            stop(app, name)
          }
          resolve(how)
        }
        own.set(app, end)
        const fenced = { why: 'fenced', error: new Error('another relay writes the stream') } as const
        for (const fence of fences.get(app) ?? []) clock.setTimer(fence, FENCED_MS)
        fences.set(app, [() => isDead || end(fenced)])
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
      observer: { onRelayMembershipLost: ({ error }) => lost.push(error) },
      ...change,
    })
    const started = cluster.start()
    started.catch(() => {})
    return {
      cluster,
      started,
      lost,
      /** Its sink becomes unavailable: received events cannot be written. */
      stick() {
        isStuck = true
      },
      fail: (app: string, how: AppRunEnd) => own.get(app)?.(how),
      /** Changes the number of lingering connections. */
      linger: (app: string, places: number) => lingers.get(app)?.(places),
      cut: (cut: boolean) => {
        isCut = cut
      },
      /** Kills it (SIGKILL) without releasing its apps. */
      die() {
        isDead = true
        for (const app of own.keys()) stop(app, name)
        own.clear()
      },
    }
  }
  return {
    clock,
    store,
    random,
    start,
    /** Every acquisition of an app, in order. */
    log,
    owners: () => new Map(apps.map((app) => [app, (running.get(app) ?? []).join('+')])),
    /** The most relays that had one app at the same time. */
    get most() {
      return most
    },
  }
}

/** A relay of the bench. */
export type BenchRelay = ReturnType<ReturnType<typeof createClusterBench>['start']>

/** A bench with a fixed seed. */
export const createBench = (apps: readonly string[]) => createClusterBench(apps, { seed: 3 })

/** Apps for tests that need many. */
export const APPS = Array.from({ length: 30 }, (_, at) => `app-${at}`)

/** An app whose run ends only when the test ends it. */
export function createManualRun() {
  let end: (how: AppRunEnd) => void = () => {}
  const ended = new Promise<AppRunEnd>((resolve) => {
    end = resolve
  })
  const run = { ended, drain: () => {}, abort: () => {} }
  return { startApp: () => run, end: (how: AppRunEnd) => end(how) }
}
