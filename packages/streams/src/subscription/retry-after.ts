/** The wait that a failed call asks for: `grpc-retry-pushback-ms` of gRPC (proposal A6), or `Retry-After` of HTTP. */
import { parseRetryAfter } from '@brokerwire/core/internal'
import { ConnectError } from '@connectrpc/connect'

/**
 * Reads it from the headers and trailers of a failed call.
 *
 * @param nowMs - For a date in a response without `Date`. Milliseconds since the Unix epoch.
 * @returns Milliseconds; infinite if the server asks for no other attempt; `undefined` if it asks for nothing.
 */
export function retryAfterOf(error: unknown, nowMs: number): number | undefined {
  if (!(error instanceof ConnectError)) return undefined
  const { metadata } = error
  const pushback = metadata.get('grpc-retry-pushback-ms')
  if (pushback === null) return parseRetryAfter(metadata, nowMs)
  // A6: any other value asks for no other attempt.
  return /^\d{1,10}$/.test(pushback) ? Number(pushback) : Number.POSITIVE_INFINITY
}
