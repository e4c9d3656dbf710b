/**
 * Isolates that share a Durable Object over networks which are cut, and which can be stopped as a whole: on virtual
 * time, with the real class of the object over storage in memory.
 */
import {
  type AbortSignalLike,
  abortable,
  type Clock,
  onAbort,
  Secret,
  type Store,
  sleep,
} from '@brokerwire/core'
import { createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import { createDurableObjectStore, StoreObject } from '@brokerwire/stores/durable-object'
import { behindNetwork, type Network } from '@brokerwire/testing/object-network'
import type { AccessTokenRecord, ApiResult, TokenApi } from '@brokerwire/tokens'
import type { Random } from './random.ts'

/** How long a token of the sandbox lives. */
const LIFE_MS = 180_000

/** How a holder of the lock saw it: from when it was given until it was told of its loss, or gave it back. */
export interface Hold {
  readonly isolate: number
  readonly fromMs: number
  toMs: number
  /** The isolate was stopped in the meantime: nothing could tell it. */
  wasStopped: boolean
}

/** A create as the service saw it. */
export interface SentCreate {
  readonly isolate: number
  readonly token: string
  readonly fromMs: number
  toMs: number
  wasStopped: boolean
}

/** One isolate. */
export interface Isolate {
  readonly number: number
  readonly store: Store
  readonly clock: Clock
  readonly network: Network
  readonly api: TokenApi
  /** Stops it as a whole, or lets it go on: timers fire and answers arrive when it goes on. */
  setStopped(isStopped: boolean): void
}

/** The isolates, the object that they share, and what the service saw. */
export interface World {
  readonly clock: VirtualClock
  readonly isolates: readonly Isolate[]
  readonly holds: readonly Hold[]
  readonly creates: readonly SentCreate[]
  readonly records: ReadonlyMap<string, unknown>
}

/** Something that waits while an isolate is stopped. */
function createGate() {
  let waiting: (() => void)[] | undefined
  return {
    get isShut() {
      return waiting !== undefined
    },
    set(isShut: boolean) {
      if (isShut) waiting ??= []
      else {
        const all = waiting ?? []
        waiting = undefined
        for (const go of all) go()
      }
    },
    run(action: () => void): void {
      if (waiting === undefined) action()
      else waiting.push(action)
    },
    pass: (): Promise<void> =>
      waiting === undefined ? Promise.resolve() : new Promise((resolve) => waiting?.push(resolve)),
  }
}

/**
 * Makes a world. `Date.now` must read its clock while it is used: the object's leases run on it.
 *
 * @param isSandbox - Tokens need no person, and live for minutes.
 */
export function createWorld(random: Random, isolateCount: number, isSandbox: boolean): World {
  const clock = createVirtualClock()
  const records = new Map<string, unknown>()
  const object = new StoreObject({
    storage: {
      get: async (key) => records.get(key),
      put: async (key, value) => void records.set(key, value),
      delete: async (key) => records.delete(key),
    },
  })
  const holds: Hold[] = []
  const creates: SentCreate[] = []
  /** When the service made each token. */
  const issued = new Map<string, number>()

  const open = (number: number): Isolate => {
    const gate = createGate()
    const ownClock: Clock = {
      now: clock.now,
      setTimer(callback, delayMs) {
        let isCancelled = false
        const cancel = clock.setTimer(() => gate.run(() => isCancelled || callback()), delayMs)
        return () => {
          isCancelled = true
          cancel()
        }
      },
    }
    const direct = {
      idFromName: (name: string) => name,
      get: () => ({
        async fetch(_url: string, init: { readonly body: string }) {
          const body: unknown = JSON.parse(init.body)
          return object.fetch<Response>({ json: async () => body })
        },
      }),
    }
    const { namespace, network } = behindNetwork(direct, clock)
    const gated = {
      idFromName: namespace.idFromName,
      get(id: never) {
        const { fetch } = namespace.get(id)
        return {
          async fetch(url: string, init: { readonly method: string; readonly body: string }) {
            await gate.pass()
            try {
              return await fetch(url, init)
            } finally {
              await gate.pass()
            }
          },
        }
      },
    }
    const store = createDurableObjectStore({ namespace: gated, clock: ownClock })
    const markStopped = (): void => {
      for (const item of [...holds, ...creates])
        if (item.isolate === number && item.toMs === Number.POSITIVE_INFINITY) item.wasStopped = true
    }
    return {
      number,
      clock: ownClock,
      network,
      store: { ...store, lock: (key, options) => watchedLock(key, options?.signal) },
      api: createApi(),
      setStopped(isStopped) {
        gate.set(isStopped)
        if (isStopped) markStopped()
      },
    }

    async function watchedLock(key: string, signal: AbortSignalLike | undefined) {
      const lock = await store.lock?.(key, { signal })
      if (lock === undefined) throw new TypeError('expected a lock')
      const hold: Hold = {
        isolate: number,
        fromMs: clock.now(),
        toMs: Number.POSITIVE_INFINITY,
        wasStopped: gate.isShut,
      }
      holds.push(hold)
      const end = (): void => {
        hold.toMs = Math.min(hold.toMs, clock.now())
      }
      if (lock.lost !== undefined) onAbort(lock.lost, end)
      return {
        lost: lock.lost,
        release() {
          end()
          return lock.release()
        },
      }
    }

    function createApi(): TokenApi {
      return {
        async create(_input, { signal }) {
          const token = `token-${number}-${creates.length}`
          const sent: SentCreate = {
            isolate: number,
            token,
            fromMs: clock.now(),
            toMs: Number.POSITIVE_INFINITY,
            wasStopped: gate.isShut,
          }
          creates.push(sent)
          const tookMs = random.integer(10, 55_000)
          const isLost = random.chance(0.2)
          try {
            await abortable(sleep(clock, tookMs), signal)
            sent.toMs = clock.now()
            issued.set(token, clock.now())
          } catch {
            sent.toMs = clock.now()
            return failed()
          }
          await gate.pass()
          return isLost ? failed() : { ok: true, value: recordOf(token, isSandbox ? 'NORMAL' : 'PENDING') }
        },
        async check(token, { signal }) {
          try {
            await abortable(sleep(clock, random.integer(10, 5000)), signal)
          } catch {
            return failed()
          }
          await gate.pass()
          const createdAtMs = issued.get(token.reveal())
          if (createdAtMs === undefined) return { ok: true, value: recordOf(token.reveal(), 'INVALID') }
          const isVerified = isSandbox || clock.now() - createdAtMs > 20_000
          return { ok: true, value: recordOf(token.reveal(), isVerified ? 'NORMAL' : 'PENDING') }
        },
      }
    }
  }

  const recordOf = (token: string, status: string): AccessTokenRecord => ({
    token: new Secret(token),
    status,
    expiresAtMs: (issued.get(token) ?? clock.now()) + (isSandbox ? LIFE_MS : 86_400_000),
  })
  const isolates = Array.from({ length: isolateCount }, (_, number) => open(number))
  return { clock, isolates, holds, creates, records }
}

function failed(): ApiResult<never> {
  return { ok: false, failure: { kind: 'no-answer', error: new Error('no answer') } }
}
