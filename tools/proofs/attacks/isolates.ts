/**
 * Isolates that share a Durable Object, in virtual time. Their networks can fail, and each can be suspended. The object is the real
 * class over storage in memory.
 */
import { type AbortSignalLike, abortable, type Clock, onAbort, Secret, sleep } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createDurableObjectStore, StoreObject } from '@brokerwire/stores/durable-object'
import { behindNetwork } from '@brokerwire/testing/object-network'
import type { AccessTokenRecord, ApiResult, TokenApi } from '@brokerwire/tokens'
import type { Random } from '../random.ts'

const SANDBOX_MS = 180_000
const PRODUCTION_MS = 86_400_000

/** The time in which an isolate held the lock as far as it knew, or in which its create was in flight. */
export interface Span {
  readonly isolate: number
  readonly fromMs: number
  toMs: number
  /** The isolate was suspended meanwhile: nothing could inform it. */
  wasSuspended: boolean
}

export type Cluster = ReturnType<typeof createCluster>
export type Isolate = Cluster['isolates'][number]

/** Holds actions back while an isolate is suspended. */
function createGate() {
  let waiting: (() => void)[] | undefined
  return {
    get isShut() {
      return waiting !== undefined
    },
    set(isShut: boolean): void {
      const all = waiting ?? []
      waiting = isShut ? all : undefined
      if (!isShut) for (const resume of all) resume()
    },
    run(action: () => void): void {
      if (waiting === undefined) action()
      else waiting.push(action)
    },
    pass: (): Promise<void> =>
      waiting === undefined ? Promise.resolve() : new Promise((resolve) => waiting?.push(resolve)),
  }
}

const FAILED: ApiResult<never> = { ok: false, failure: { kind: 'no-answer', error: new Error('no answer') } }

/**
 * Creates isolates. `Date.now` must return their virtual time, on which the leases of the object depend.
 *
 * @param isSandbox - Tokens need no second factor, and live for minutes.
 */
export function createCluster(random: Random, isolateCount: number, isSandbox: boolean) {
  const clock = createVirtualClock()
  const records = new Map<string, unknown>()
  const object = new StoreObject({
    storage: {
      get: async (key) => records.get(key),
      put: async (key, value) => void records.set(key, value),
      delete: async (key) => records.delete(key),
    },
  })
  const namespaceOfObject = {
    idFromName: (name: string) => name,
    get: () => ({
      async fetch(_url: string, init: { readonly body: string }) {
        const body: unknown = JSON.parse(init.body)
        return object.fetch<Response>({ json: async () => body })
      },
    }),
  }
  const holds: Span[] = []
  const creates: Span[] = []
  const issued = new Map<string, number>()
  const answer = (token: string, status: string): ApiResult<AccessTokenRecord> => {
    const lifeMs = isSandbox ? SANDBOX_MS : PRODUCTION_MS
    const expiresAtMs = (issued.get(token) ?? clock.now()) + lifeMs
    return { ok: true, value: { token: new Secret(token), status, expiresAtMs } }
  }

  const open = (number: number) => {
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
    const { namespace, network } = behindNetwork(namespaceOfObject, clock)
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
    const begin = (spans: Span[]): Span => {
      const toMs = Number.POSITIVE_INFINITY
      const span = { isolate: number, fromMs: clock.now(), toMs, wasSuspended: gate.isShut }
      spans.push(span)
      return span
    }
    const lock = async (key: string, options?: { readonly signal?: AbortSignalLike | undefined }) => {
      const held = await store.lock?.(key, options)
      if (held === undefined) throw new TypeError('the store has no lock')
      const span = begin(holds)
      const end = (): void => {
        span.toMs = Math.min(span.toMs, clock.now())
      }
      if (held.lost !== undefined) onAbort(held.lost, end)
      return {
        lost: held.lost,
        release() {
          end()
          return held.release()
        },
      }
    }
    const takeTime = (maxMs: number, signal: AbortSignalLike | undefined): Promise<boolean> =>
      abortable(sleep(clock, random.integer(10, maxMs)), signal).then(
        () => true,
        () => false,
      )
    const api: TokenApi = {
      async create(_input, { signal }) {
        const token = `token-${number}-${creates.length}`
        const span = begin(creates)
        const isLost = random.chance(0.2)
        const isDone = await takeTime(55_000, signal)
        span.toMs = clock.now()
        if (!isDone) return FAILED
        issued.set(token, clock.now())
        await gate.pass()
        return isLost ? FAILED : answer(token, isSandbox ? 'NORMAL' : 'PENDING')
      },
      async check(token, { signal }) {
        if (!(await takeTime(5000, signal))) return FAILED
        await gate.pass()
        const createdAtMs = issued.get(token.reveal())
        if (createdAtMs === undefined) return answer(token.reveal(), 'INVALID')
        const isVerified = isSandbox || clock.now() - createdAtMs > 20_000
        return answer(token.reveal(), isVerified ? 'NORMAL' : 'PENDING')
      },
    }
    return {
      clock: ownClock,
      network,
      store: { ...store, lock },
      api,
      /** Suspends the isolate, or resumes it: then timers fire and answers arrive. */
      setSuspended(isSuspended: boolean): void {
        gate.set(isSuspended)
        if (!isSuspended) return
        for (const span of [...holds, ...creates])
          if (span.isolate === number && span.toMs === Number.POSITIVE_INFINITY) span.wasSuspended = true
      },
    }
  }
  const isolates = Array.from({ length: isolateCount }, (_, number) => open(number))
  return { clock, isolates, holds, creates, records }
}
