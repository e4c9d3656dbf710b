/**
 * Whether an operation failed because it was stopped. An error caused by a defect of this program is never a
 * stop.
 */
import { isBrokerwireError } from '@brokerwire/core'

/** @param signal - The signal that stopped the operation. */
export function isStopError(error: unknown, signal: AbortSignal): boolean {
  return (
    error === signal.reason ||
    isBrokerwireError(error) ||
    (error instanceof Error && error.name === 'AbortError')
  )
}
