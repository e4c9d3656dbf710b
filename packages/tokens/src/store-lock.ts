/**
 * Exclusive work on one key: the store's own lock, or a lease kept with `compareAndSet` where it has none.
 *
 * The lease needs no common clock: its holder changes the text every few seconds, and a waiter takes over only after
 * it has seen the very same text for a whole lease by its own timers. A holder that was stopped and goes on later
 * finds that its text is gone and stops.
 */
import {
  type AbortSignalLike,
  abortReason,
  type Clock,
  createLease,
  linkedAbort,
  onAbort,
  type Store,
  type StoreLock,
  sleep,
  throwIfAborted,
} from '@brokerwire/core'
import { storedText, storeFailed } from './store-access.ts'

/** A lock that is held. Giving it back never throws: where that fails, the others find it dead. */
export interface HeldLock extends StoreLock {
  /** Aborts when another holder has taken over, or may do so at any moment. */
  readonly lost: AbortSignalLike
}

const LEASE_MS = 15_000
const PROLONG_MS = LEASE_MS / 3
/** From one look of a waiter to the next, and the time that a holder has to stop what it does. */
const LOOK_MS = 1000
const GIVE_BACK_ATTEMPTS = 3

declare const crypto: { getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array }

type Signal = AbortSignalLike | undefined

async function storeLock(lock: NonNullable<Store['lock']>, key: string, signal: Signal): Promise<HeldLock> {
  try {
    const taken = await lock(key, { signal })
    const { lost } = taken
    const { controller } = linkedAbort()
    const stop = lost && onAbort(lost, () => controller.abort(storeFailed('lock', abortReason(lost))))
    return {
      lost: controller.signal,
      async release() {
        stop?.()
        await taken.release().catch(() => {})
      },
    }
  } catch (error) {
    if (signal?.aborted) throw abortReason(signal)
    throw storeFailed('lock', error)
  }
}

async function leaseLock(store: Store, key: string, clock: Clock, signal: Signal): Promise<HeldLock> {
  const record = storedText(store, `${key}/lease`)
  const id = crypto.getRandomValues(new Uint8Array(16)).join('.')
  let round = 0
  const isMine = (text: string | undefined): boolean => text?.startsWith(`${id} `) === true
  const write = (before: string | undefined): Promise<boolean> => {
    round += 1
    return record.compareAndSet(before, `${id} ${round}`)
  }
  const lease = createLease({
    clock,
    validMs: LEASE_MS - LOOK_MS,
    prolongMs: PROLONG_MS,
    retryMs: LOOK_MS,
    async prolong() {
      const text = await record.get()
      // One that was given back is not mine any more. Another prolonging of mine may be faster than this one.
      return isMine(text) && ((await write(text)) || isMine(await record.get()))
    },
    lostReason: (why) => storeFailed('lock', new Error(why)),
  })
  const release = async (): Promise<void> => {
    lease.end()
    try {
      for (let attempt = 0; attempt < GIVE_BACK_ATTEMPTS; attempt += 1) {
        const text = await record.get()
        if (!isMine(text) || (await record.compareAndSet(text, undefined))) return
      }
    } catch {
      // The others find it dead.
    }
  }
  try {
    let seen: string | undefined
    let sameForMs = 0
    for (;;) {
      throwIfAborted(signal)
      const text = await record.get()
      if (text !== seen) sameForMs = 0
      seen = text
      const isFree = text === undefined || isMine(text) || sameForMs >= LEASE_MS
      if (isFree && (await lease.take(() => write(text)))) break
      await sleep(clock, LOOK_MS, signal)
      sameForMs += LOOK_MS
    }
  } catch (error) {
    // It may be written all the same, and the answer lost.
    void release()
    throw error
  }
  return { lost: lease.lost, release }
}

/**
 * Waits for the lock of `key`.
 *
 * @throws The signal's reason; TokensError `TOKEN_STORE_FAILED`.
 */
export function lockKey(store: Store, key: string, clock: Clock, signal?: Signal): Promise<HeldLock> {
  return store.lock === undefined
    ? leaseLock(store, key, clock, signal)
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
  { signal, lookEveryMs, changed }: { signal?: Signal; lookEveryMs: number; changed: () => Promise<boolean> },
): Promise<HeldLock | undefined> {
  const waiting = linkedAbort(signal)
  const { controller: looking } = linkedAbort()
  const wanted = lockKey(store, key, clock, waiting.controller.signal)
  const look = async (): Promise<undefined> => {
    do await sleep(clock, lookEveryMs, looking.signal)
    while (!(await changed()))
  }
  let held: HeldLock | undefined
  try {
    held = await Promise.race([wanted, look()])
    return held
  } finally {
    looking.abort()
    waiting.release()
    if (held === undefined) {
      waiting.controller.abort()
      wanted.then(
        (late) => late.release(),
        () => {},
      )
    }
  }
}
