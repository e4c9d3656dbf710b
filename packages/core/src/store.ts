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
