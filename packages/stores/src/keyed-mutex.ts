/**
 * A mutex for each key within one process, first come first served.
 *
 * In the memory store it is the only part of a lock. The file store acquires it before its lock file, so that
 * only one caller of a process competes for the file.
 */
import type { AbortSignalLike } from '@brokerwire/core'
import { abortReason, addAbortListener, throwIfAborted } from '@brokerwire/core/internal'

/** A mutex for each key. */
export interface KeyedMutex {
  /**
   * Waits for the mutex of a key.
   *
   * @returns A function that releases the mutex; a second call has no effect.
   * @throws The signal's reason if it aborts during the wait.
   */
  acquire(key: string, signal?: AbortSignalLike | undefined): Promise<() => void>
}

/** Creates the mutex. A key that is not held uses no memory. */
export function createKeyedMutex(): KeyedMutex {
  const queues = new Map<string, (() => void)[]>()

  const createRelease = (key: string): (() => void) => {
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
    async acquire(key, signal) {
      throwIfAborted(signal)
      const queue = queues.get(key)
      if (queue === undefined) {
        queues.set(key, [])
        return createRelease(key)
      }
      return new Promise((resolve, reject) => {
        const onTurn = (): void => {
          release?.()
          resolve(createRelease(key))
        }
        queue.push(onTurn)
        const release =
          signal &&
          addAbortListener(signal, () => {
            queue.splice(queue.indexOf(onTurn), 1)
            reject(abortReason(signal))
          })
      })
    },
  }
}
