/** What holds something open, and is closed by `close()` or by `await using`. */
import type { AsyncDisposableLike } from '../structural.ts'

/** Is closed once; harmless when closed again. */
export interface Closable extends AsyncDisposableLike {
  /** What `await using` calls at the end of a block, for runtimes and compilers that do not have it. */
  close(): Promise<void>
}

/** Waits for all that is closing, also where some of it fails, and throws the first failure then. */
export async function allClosed(closing: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(closing))
    if (result.status === 'rejected') throw result.reason
}

/** Both ways to close, for an object to spread in. */
export function closable(close: () => Promise<void>): Closable {
  return { close, [Symbol.asyncDispose]: close }
}
