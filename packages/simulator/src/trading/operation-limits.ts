/** Rate limits of operations: one counter for each app key and operation. */
import { createWindow } from '../tokens/rate-limit.ts'
import type { OperationLimit } from './operations.ts'

export interface OperationLimiter {
  /** Counts a call if it is allowed. @returns Whether the call is allowed. */
  take(counter: string, limit: OperationLimit, nowMs: number): boolean
}

export function createOperationLimiter(): OperationLimiter {
  const windows = new Map<string, ReturnType<typeof createWindow>>()
  return {
    take(counter, { requests, windowMs }, nowMs) {
      const window = windows.get(counter) ?? createWindow(requests, windowMs, () => undefined)
      windows.set(counter, window)
      return window.take(nowMs) === 0
    },
  }
}
