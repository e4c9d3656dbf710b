/**
 * The storage port. Tokens, cursors and the shared rate limiter use it.
 *
 * Values are strings and are compared as strings. Files, Durable Objects, Redis and key-value stores with revisions can all
 * implement this contract. `@brokerwire/stores` has drivers, and tests for your own driver in `@brokerwire/stores/testing`.
 */
import type { AbortSignalLike } from './structural.ts'

/** A lock that is held until `release()`. */
export interface StoreLock {
  /**
   * Aborts when the lock is lost or may be lost, for example because the store could not be reached for most of the lease. Stop
   * the work that the lock protects. While this process runs, the signal aborts before another holder can acquire the lock. If
   * the process was suspended, the signal aborts when the process resumes. It never aborts after `release()`. `undefined` if
   * the lock cannot be lost.
   */
  readonly lost?: AbortSignalLike | undefined
  /** Releases the lock. Further calls have no effect. */
  release(): Promise<void>
}

/** Options of a wait for a lock. */
export interface StoreWaitOptions {
  /** Ends the wait when it aborts. @defaultValue none */
  readonly signal?: AbortSignalLike | undefined
}

/** Strings by key, with compare-and-set. */
export interface Store {
  /** Returns the value of `key`, or `undefined` if there is none. */
  get(key: string): Promise<string | undefined>
  /**
   * Writes `next` if and only if the stored value equals `expected`. The operation is atomic among all users
   * of the store.
   *
   * @param expected - The value that must be stored; `undefined` if there must be no value.
   * @param next - The new value; `undefined` deletes the stored value.
   * @returns Whether the value was written.
   */
  compareAndSet(key: string, expected: string | undefined, next: string | undefined): Promise<boolean>
  /**
   * Acquires a lock that is exclusive among all users of the store. The lock becomes free if its holder is killed. If a
   * store does not have this method, `compareAndSet` keeps the data correct, but two processes may do the same work.
   *
   * @throws The signal's reason if it aborts during the wait.
   */
  lock?(key: string, options?: StoreWaitOptions): Promise<StoreLock>
}
