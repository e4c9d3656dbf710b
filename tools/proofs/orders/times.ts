/** Times of the proof. Queries never lag as long as the journals assume: a journal cannot know a longer lag. */

/** The longest lag of queries. */
export const MAX_LAG_MS = 500
/** Time limit of a sending in the journals. */
export const TIMEOUT_MS = 600
/** The lag that the journals assume. It is longer, because a busy machine delays requests too. */
export const SETTLE_MS = 3000
