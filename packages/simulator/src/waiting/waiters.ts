/** Waits for something to become true, without polling: whoever changes something says so, and each waiter looks again. */
import type { AbortSignalLike } from '@brokerwire/core'
import { abortReason, onAbort, throwIfAborted } from '@brokerwire/core/internal'
import { SimulatorError } from '../simulator-error.ts'

/** How long to wait. */
export interface WaitOptions {
  /** Milliseconds of the host's clock. @defaultValue 10000 */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignalLike | undefined
}

/** What is waited for. */
export interface Wanted<T> {
  /** For the error: `subscribed({"service":"trade"})`. */
  readonly name: string
  /** `undefined`: not yet. */
  readonly find: () => T | undefined
  /** What there is instead, for the error. */
  readonly instead: () => string
}

/** The waiters of a simulator. */
export interface Waiters {
  wait<T>(wanted: Wanted<T>, options: WaitOptions & { readonly timeoutMs: number }): Promise<T>
  /** Something has changed. */
  changed(): void
  /** Ends all of them. */
  close(): void
}

/** Makes them. */
export function createWaiters(): Waiters {
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
            new SimulatorError('SIMULATOR_CLOSED', `${wanted.name}: the simulator was closed`, {
              details: { method: wanted.name },
            }),
          )
        }
        const timer = setTimeout(() => {
          end()
          const message = `${wanted.name}: nothing like it within ${timeoutMs} ms; ${wanted.instead()}`
          const details = { waitedFor: wanted.name, timeoutMs }
          reject(new SimulatorError('SIMULATOR_WAIT_TIMEOUT', message, { details }))
        }, timeoutMs)
        const release =
          signal &&
          onAbort(signal, () => {
            end()
            reject(abortReason(signal))
          })
        looking.add(look)
        closing.add(close)
      })
    },
    changed() {
      for (const look of looking) look()
    },
    close() {
      for (const close of closing) close()
    },
  }
}
