/**
 * Exclusive work on one key: the store's own lock, or a lease kept with `compareAndSet` where it has none.
 *
 * The lease needs no common clock: its holder changes the text every few seconds, and a waiter takes over only after
 * he has seen the very same text for a whole lease by his own timers. A holder that was stopped and wakes up later
 * finds that his text is gone and stops.
 */
import {
  type AbortSignalLike,
  abortReason,
  type Clock,
  linkedAbort,
  type Store,
  sleep,
  throwIfAborted,
} from '@brokerwire/core'
import { storedText, storeFailed } from './store-access.ts'
import { isTokensError } from './tokens-error.ts'

/** A lock that is held. */
export interface HeldLock {
  /** Aborts when somebody else has taken over. */
  readonly lost: AbortSignalLike | undefined
  /** Never throws: a lock that cannot be given back is found dead by the others. */
  release(): Promise<void>
}

const LEASE_MS = 15_000
const RENEW_MS = LEASE_MS / 3
const LOOK_MS = 1000

declare const crypto: { getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array }

function drawId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function storeLock(
  lock: NonNullable<Store['lock']>,
  key: string,
  signal: AbortSignalLike | undefined,
): Promise<HeldLock> {
  try {
    const held = await lock(key, { signal })
    return { lost: undefined, release: () => held.release().catch(() => {}) }
  } catch (error) {
    if (signal?.aborted) throw abortReason(signal)
    throw storeFailed('lock', error)
  }
}

async function lease(
  store: Store,
  key: string,
  clock: Clock,
  signal: AbortSignalLike | undefined,
): Promise<HeldLock> {
  const record = storedText(store, `${key}/lease`)
  const id = drawId()
  let seen: string | undefined
  let sameForMs = 0
  for (;;) {
    throwIfAborted(signal)
    const text = await record.get()
    if (text !== seen) sameForMs = 0
    seen = text
    const free = text === undefined || sameForMs >= LEASE_MS
    if (free && (await record.compareAndSet(text, `${id} 0`))) break
    await sleep(clock, LOOK_MS, signal)
    sameForMs += LOOK_MS
  }

  const { controller, release } = linkedAbort()
  let mine = `${id} 0`
  let round = 0
  const renewOnce = async (): Promise<void> => {
    const next = `${id} ${round + 1}`
    if (!(await record.compareAndSet(mine, next)) && (await record.get()) !== next)
      throw new Error('the lease was taken over')
    mine = next
    round += 1
  }
  const renew = async (): Promise<void> => {
    let restMs = LEASE_MS
    for (;;) {
      await sleep(clock, restMs < LEASE_MS ? LOOK_MS : RENEW_MS, controller.signal)
      try {
        await renewOnce()
        restMs = LEASE_MS
      } catch (error) {
        // A store that fails now and then costs nobody the lease, as long as its time is not over.
        restMs -= restMs < LEASE_MS ? LOOK_MS : RENEW_MS
        if (!isTokensError(error, 'TOKEN_STORE_FAILED') || restMs <= LOOK_MS) throw error
      }
    }
  }
  const renewing = renew().catch((error: unknown) => controller.abort(storeFailed('lock', error)))
  return {
    lost: controller.signal,
    async release() {
      release()
      controller.abort(new Error('released'))
      await renewing
      await record.compareAndSet(mine, undefined).catch(() => false)
    },
  }
}

/**
 * Waits for the lock of `key`.
 *
 * @throws The signal's reason; TokensError `TOKEN_STORE_FAILED`.
 */
export function lockKey(
  store: Store,
  key: string,
  clock: Clock,
  signal?: AbortSignalLike | undefined,
): Promise<HeldLock> {
  return store.lock === undefined
    ? lease(store, key, clock, signal)
    : storeLock(store.lock.bind(store), key, signal)
}

/**
 * Waits for the lock, or until `changed` says that there is nothing left to wait for.
 *
 * @returns `undefined` where it changed first; the lock is then not held.
 */
export async function lockUnless(
  store: Store,
  key: string,
  clock: Clock,
  options: {
    readonly signal?: AbortSignalLike | undefined
    readonly lookEveryMs: number
    readonly changed: () => Promise<boolean>
  },
): Promise<HeldLock | undefined> {
  const waiting = linkedAbort(options.signal)
  const timers = linkedAbort(options.signal)
  const wanted = lockKey(store, key, clock, waiting.controller.signal)
  let taken = false
  try {
    for (;;) {
      const look = sleep(clock, options.lookEveryMs, timers.controller.signal)
      look.catch(() => {})
      const held = await Promise.race([wanted, look.then(() => undefined)])
      if (held !== undefined) {
        taken = true
        return held
      }
      if (await options.changed()) return undefined
    }
  } finally {
    timers.release()
    timers.controller.abort()
    waiting.release()
    if (!taken) {
      waiting.controller.abort()
      wanted.then(
        (held) => held.release(),
        () => {},
      )
    }
  }
}
