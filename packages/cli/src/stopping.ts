/** Whether something failed because it was told to stop: only then is that no error. A defect of this program is one always. */
import { isBrokerwireError } from '@brokerwire/core'

/** @param signal - That it was told to stop with. */
export function isOfStopping(error: unknown, signal: AbortSignal): boolean {
  return (
    error === signal.reason ||
    isBrokerwireError(error) ||
    (error instanceof Error && error.name === 'AbortError')
  )
}
