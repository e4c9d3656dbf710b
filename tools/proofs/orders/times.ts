/**
 * Times of the proof. The delay of queries is always shorter than the journals assume, because a journal
 * cannot notice a longer delay.
 */

/** Maximum delay of the results of queries. */
export const MAX_LAG_MS = 500
/** Time limit of a request in the journals. */
export const TIMEOUT_MS = 600
/** The delay of queries that the journals assume. It is longer than the maximum, because a busy machine delays requests too. */
export const SETTLE_MS = 3000
