/**
 * One turn at a time per key, first come first served, within one process.
 *
 * The memory store's lock is this alone; the file store puts it before its lock file, so that one process asks the
 * disk with one voice.
 */
import type { AbortSignalLike } from '@brokerwire/core'
import { abortReason, onAbort, throwIfAborted } from '@brokerwire/core/internal'

/** Hands out turns. */
export interface KeyedMutex {
  /**
   * Waits for the turn.
   *
   * @returns Ends the turn; harmless when called again.
   * @throws The signal's reason, when it aborts while waiting.
   */
  enter(key: string, signal?: AbortSignalLike | undefined): Promise<() => void>
}

/** Makes a mutex. A key that nobody holds takes no memory. */
export function createKeyedMutex(): KeyedMutex {
  const queues = new Map<string, (() => void)[]>()

  const makeExit = (key: string): (() => void) => {
    let left = false
    return () => {
      if (left) return
      left = true
      const next = queues.get(key)?.shift()
      if (next === undefined) queues.delete(key)
      else next()
    }
  }

  return {
    async enter(key, signal) {
      throwIfAborted(signal)
      const queue = queues.get(key)
      if (queue === undefined) {
        queues.set(key, [])
        return makeExit(key)
      }
      return new Promise((resolve, reject) => {
        const onTurn = (): void => {
          release?.()
          resolve(makeExit(key))
        }
        queue.push(onTurn)
        const release =
          signal &&
          onAbort(signal, () => {
            queue.splice(queue.indexOf(onTurn), 1)
            reject(abortReason(signal))
          })
      })
    },
  }
}
