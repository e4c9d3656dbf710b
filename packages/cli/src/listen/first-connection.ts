/** Watches the way to the first subscription: whether there ever is one, and what is in its way. */
import type { QuotesItem } from '@brokerwire/quotes'
import { CliError } from '../cli-error.ts'
import type { StreamItem } from '../stream-item.ts'

/** What an item says of that way. */
export type Progress =
  | { readonly kind: 'subscribed' }
  /** An attempt failed. @see connection - Market data has several, and each has attempts of its own. */
  | { readonly kind: 'failed'; readonly connection: number; readonly reason: string }
  | undefined

/** Takes what every item says; throws where the first connection has failed too often. */
export type FirstConnection = (progress: Progress) => void

/**
 * Makes a watch.
 *
 * @param maxAttempts - 0: never gives up.
 * @throws CliError `CLI_UNREACHABLE`, when it is called.
 */
export function watchFirstConnection(maxAttempts: number, host: string): FirstConnection {
  const failures = new Map<number, number>()
  let isDone = maxAttempts === 0
  return (progress) => {
    if (isDone || progress === undefined) return
    if (progress.kind === 'subscribed') {
      isDone = true
      return
    }
    const { connection, reason } = progress
    const failed = (failures.get(connection) ?? 0) + 1
    failures.set(connection, failed)
    if (failed < maxAttempts) return
    const advice = '`brokerwire doctor` says what is in the way, --max-attempts 0 goes on'
    throw new CliError('CLI_UNREACHABLE', `${host}: ${failed} attempts failed: ${reason}; ${advice}`, {
      details: { reason },
      retryable: true,
    })
  }
}

/** Of a stream of events. */
export function progressOf(item: StreamItem): Progress {
  if (item.type === 'event' || item.kind === 'subscribed') return { kind: 'subscribed' }
  if (item.kind !== 'reconnecting') return undefined
  return { kind: 'failed', connection: 0, reason: item.message ?? item.status ?? item.reason }
}

/** Of market data. A subscribe call that failed is an attempt, too: nothing comes on the connection until one succeeds. */
export function progressOfQuotes(item: QuotesItem): Progress {
  if (item.type === 'message' || item.type === 'filled') return { kind: 'subscribed' }
  switch (item.kind) {
    case 'subscribed':
      return { kind: 'subscribed' }
    case 'reconnecting': {
      const { connection, message, connackName, fault, systemCode, reason } = item
      return { kind: 'failed', connection, reason: message ?? connackName ?? fault ?? systemCode ?? reason }
    }
    case 'subscribe-failed':
      return { kind: 'failed', connection: item.connection, reason: item.message ?? item.code }
    default:
      return undefined
  }
}
