/** Time limits for a store, so that one that never responds does not block later calls. */
import type { Store } from './store.ts'
import { durationText } from './text/duration-text.ts'
import type { Clock } from './time/clock.ts'
import { withTimeout } from './time/time-limit.ts'

/**
 * Returns the reads and writes of a store with a time limit. A write that exceeds it may still have taken effect.
 *
 * @param limitMs - Time limit of one read or write, in milliseconds.
 * @param fail - Creates the error of a read or write. `reason` is set if the time limit was exceeded.
 */
export function limitStore(
  store: Store,
  clock: Clock,
  limitMs: number,
  fail: (operation: 'get' | 'compareAndSet', error: unknown, reason: string | undefined) => Error,
): Pick<Store, 'get' | 'compareAndSet'> {
  const attempt = async <T>(operation: 'get' | 'compareAndSet', call: () => Promise<T>): Promise<T> => {
    let isLate = false
    const onLate = (): void => {
      isLate = true
    }
    try {
      return await withTimeout(clock, limitMs, undefined, async () => await call(), onLate)
    } catch (error) {
      throw fail(
        operation,
        error,
        isLate ? `the store did not respond within ${durationText(limitMs)}` : undefined,
      )
    }
  }
  return {
    get: (key) => attempt('get', () => store.get(key)),
    compareAndSet: (key, expected, next) =>
      attempt('compareAndSet', () => store.compareAndSet(key, expected, next)),
  }
}
