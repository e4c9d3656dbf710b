/** Work that is worth a short wait and no more. */
import { type AbortSignalLike, type Clock, linkedAbort } from '@brokerwire/core'

/**
 * Waits for work for `limitMs` at most, then tells it to stop. What takes longer has not failed.
 *
 * @returns What the work gives in time.
 * @throws What the work throws in time; the signal's reason.
 */
export async function forAWhile<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignalLike | undefined,
  work: (own: AbortSignalLike) => Promise<T>,
): Promise<T | undefined> {
  const limited = linkedAbort(signal)
  const cancel = clock.setTimer(() => limited.controller.abort(), limitMs)
  try {
    return await work(limited.controller.signal)
  } catch (error) {
    if (signal?.aborted || !limited.controller.signal.aborted) throw error
    return undefined
  } finally {
    cancel()
    limited.release()
  }
}
