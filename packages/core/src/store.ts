/**
 * The one storage port. Token store, cursor store and shared limiter are typed views of it.
 *
 * Values are text and are compared as text: the smallest contract that a file, a Durable Object, Redis or a
 * key-value store with revisions can all keep. Drivers live in `@brokerwire/stores`; a driver of one's own passes
 * the contract suite there.
 */
import type { AbortSignalLike } from './structural.ts'

/** A lock that its holder gives back. */
export interface StoreLock {
  /**
   * Aborts when the lock is lost, or can no longer be known to be held, for example because the store could not be
   * reached for most of a lease: what the lock guards is then to be stopped. It aborts before another holder can begin,
   * as long as this process runs; one that is stopped in the meantime learns it when it goes on. Never aborts after
   * `release()`. `undefined` where a lock cannot be lost.
   */
  readonly lost?: AbortSignalLike | undefined
  /** Gives the lock back. Harmless when called again. */
  release(): Promise<void>
}

/** Waits for a store. */
export interface StoreWaitOptions {
  readonly signal?: AbortSignalLike | undefined
}

/** Text under keys, with compare-and-set. */
export interface Store {
  /** The text under `key`, or `undefined`. */
  get(key: string): Promise<string | undefined>
  /**
   * Writes `next` if and only if the stored text equals `expected`. Atomic against every other user of the store.
   *
   * @param expected - `undefined`: only where nothing is stored.
   * @param next - `undefined`: delete.
   * @returns Whether it wrote.
   */
  compareAndSet(key: string, expected: string | undefined, next: string | undefined): Promise<boolean>
  /**
   * Exclusive among all users of the store; survives a holder that was killed. Where a store has no lock,
   * `compareAndSet` alone keeps it correct, and two processes may do the same work.
   *
   * @throws The signal's reason, when it aborts while waiting.
   */
  lock?(key: string, options?: StoreWaitOptions): Promise<StoreLock>
}
