/** Watches the way to the first subscription: whether there ever is one, and what is in its way. */
import { CliError } from '../cli-error.ts'
import type { StreamItem } from '../stream-item.ts'

/** Takes every item; throws where the first connection has failed too often. */
export type FirstConnection = (item: StreamItem) => void

/**
 * Makes a watch.
 *
 * @param maxAttempts - 0: never gives up.
 * @throws CliError `CLI_UNREACHABLE`, when it is called.
 */
export function watchFirstConnection(maxAttempts: number, host: string): FirstConnection {
  let failed = 0
  let isDone = maxAttempts === 0
  return (item) => {
    if (isDone) return
    if (item.type === 'event' || item.kind === 'subscribed') isDone = true
    else if (item.kind === 'reconnecting') {
      failed += 1
      if (failed < maxAttempts) return
      const reason = item.message ?? item.status ?? item.reason
      const advice = '`brokerwire doctor` says what is in the way, --max-attempts 0 goes on'
      throw new CliError('CLI_UNREACHABLE', `${host}: ${failed} attempts failed: ${reason}; ${advice}`, {
        details: { reason },
        retryable: true,
      })
    }
  }
}
