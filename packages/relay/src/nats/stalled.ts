/**
 * Whether a consumer delivers nothing though its stream has more: its server lags behind the stream's leader in silence, and
 * says that nothing is pending. Seen with followers of nats-server 2.9.10 that had been killed and restarted.
 */

/** A look at a consumer that has been quiet for a while. */
export interface Look {
  /** The last message of the consumer's filter that the stream's leader has; 0: none. */
  readonly last: number
  /** What the consumer says that it has delivered. */
  readonly delivered: number
  /** What it says that it has still to deliver. */
  readonly pending: number
}

/** What was stored a moment ago may be on its way: only what was there at the look before counts. */
export function isStalled(before: Look | undefined, now: Look): boolean {
  if (before === undefined || before.pending > 0 || now.pending > 0) return false
  return now.delivered === before.delivered && now.delivered < before.last
}
