/**
 * Waits for conditions. No timer checks them: `poll()` is called after each change, and every waiter then
 * checks its condition again.
 */
import type { AbortSignalLike } from '@brokerwire/core'
import { abortReason, addAbortListener, throwIfAborted } from '@brokerwire/core/internal'
import { SimulatorError } from '../simulator-error.ts'

/** Options of a wait. */
export interface WaitOptions {
  /** Time limit, in milliseconds of the host's clock. @defaultValue 10000 */
  readonly timeoutMs?: number | undefined
  /** Aborts the wait. Its promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignalLike | undefined
}

/** A condition to wait for. */
export interface Condition<T> {
  /** The call, for the error. Example: `waitForSubscriptions({"service":"trade"})`. */
  readonly name: string
  /** Returns the result of the wait. `undefined` while the condition is not met. */
  readonly find: () => T | undefined
  /** Describes the current state, for the error. */
  readonly describeState: () => string
}

/** The waiters of a simulator. */
export interface WaiterRegistry {
  wait<T>(condition: Condition<T>, options: WaitOptions & { readonly timeoutMs: number }): Promise<T>
  /** Must be called after each change, so that the waiters check their conditions. */
  poll(): void
  /** Rejects all waiters. */
  close(): void
}

/** Creates the waiters. */
export function createWaiterRegistry(): WaiterRegistry {
  const looking = new Set<() => void>()
  const closing = new Set<() => void>()
  return {
    async wait(wanted, { timeoutMs, signal }) {
      throwIfAborted(signal)
      const found = wanted.find()
      if (found !== undefined) return found
      return new Promise((resolve, reject) => {
        const end = (): void => {
          looking.delete(look)
          closing.delete(close)
          clearTimeout(timer)
          release?.()
        }
        const look = (): void => {
          const value = wanted.find()
          if (value === undefined) return
          end()
          resolve(value)
        }
        const close = (): void => {
          end()
          reject(
            new SimulatorError('SIMULATOR_CLOSED', `${wanted.name} ended because the simulator was closed`, {
              details: { method: wanted.name },
            }),
          )
        }
        const timer = setTimeout(() => {
          end()
          const message = `${wanted.name} had no result within ${timeoutMs} ms; ${wanted.describeState()}`
          const details = { waitedFor: wanted.name, timeoutMs }
          reject(new SimulatorError('SIMULATOR_WAIT_TIMEOUT', message, { details }))
        }, timeoutMs)
        const release =
          signal &&
          addAbortListener(signal, () => {
            end()
            reject(abortReason(signal))
          })
        looking.add(look)
        closing.add(close)
      })
    },
    poll() {
      for (const look of looking) look()
    },
    close() {
      for (const close of closing) close()
    },
  }
}
