/** Watches the first connection, and reports why it fails. */
import type { QuotesItem } from '@brokerwire/quotes'
import { CliError } from '../cli-error.ts'
import type { StreamItem } from '../stream-item.ts'

/** The state of the connection that an item shows. */
export type ConnectionProgress =
  | { readonly kind: 'subscribed' }
  /**
   * An attempt has failed.
   *
   * @see connection - Market data has several connections, each with its own attempts.
   */
  | { readonly kind: 'failed'; readonly connection: number; readonly reason: string }
  | undefined

/** Evaluates an item. Throws after too many failed attempts. */
export type FirstConnection = (progress: ConnectionProgress) => void

/**
 * Creates the watch.
 *
 * @param maxAttempts - Maximum number of attempts. 0 means no limit.
 * @throws CliError `CLI_UNREACHABLE`, when the result is called.
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
    const hint = 'run `brokerwire doctor` to find the cause; --max-attempts 0 retries without a limit'
    throw new CliError('CLI_UNREACHABLE', `${host}: ${failed} attempts failed: ${reason}; ${hint}`, {
      details: { reason },
      retryable: true,
    })
  }
}

/** Returns the progress that an item of an event stream shows. */
export function getProgress(item: StreamItem): ConnectionProgress {
  if (item.type === 'event' || item.kind === 'subscribed') return { kind: 'subscribed' }
  if (item.kind !== 'reconnecting') return undefined
  return { kind: 'failed', connection: 0, reason: item.message ?? item.status ?? item.reason }
}

/**
 * Returns the progress that an item of market data shows. A failed subscribe call counts as an attempt,
 * because without the subscription no message is sent.
 */
export function getQuotesProgress(item: QuotesItem): ConnectionProgress {
  if (item.type === 'message' || item.type === 'backfilled') return { kind: 'subscribed' }
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
