/** The delay that a failed call asks for: `grpc-retry-pushback-ms` of gRPC (proposal A6), or `Retry-After` of HTTP. */
import { parseRetryAfter } from '@brokerwire/core/internal'
import { ConnectError } from '@connectrpc/connect'

/**
 * Parses the delay from the headers and trailers of a failed call.
 *
 * @param nowMs - The current time in milliseconds since the Unix epoch. It is used if the response has no
 * `Date`.
 * @returns Milliseconds; `Infinity` if the server forbids another attempt; `undefined` without such a header.
 */
export function parseCallRetryAfter(error: unknown, nowMs: number): number | undefined {
  if (!(error instanceof ConnectError)) return undefined
  const { metadata } = error
  const pushback = metadata.get('grpc-retry-pushback-ms')
  if (pushback === null) return parseRetryAfter(metadata, nowMs)
  // A6: any other value forbids another attempt.
  return /^\d{1,10}$/.test(pushback) ? Number(pushback) : Number.POSITIVE_INFINITY
}
