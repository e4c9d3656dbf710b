/** Objects that are closed by `close()` or `await using`. */
import type { AsyncDisposableLike } from '../structural.ts'

/** An object that is closed once. Further calls have no effect. */
export interface Closable extends AsyncDisposableLike {
  /** Closes the object, as `await using` does at the end of a block. */
  close(): Promise<void>
}

/**
 * Waits until all promises are settled. If some were rejected, throws the reason of the first one in the
 * array.
 */
export async function allClosed(closing: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(closing))
    if (result.status === 'rejected') throw result.reason
}

/** Returns both methods of {@link Closable}, for use with the spread operator. */
export function closable(close: () => Promise<void>): Closable {
  return { close, [Symbol.asyncDispose]: close }
}
