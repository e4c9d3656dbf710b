/** The format of `x-timestamp`: UTC, `YYYY-MM-DDThh:mm:ssZ`. Specification, "Headers on signed requests". */

/**
 * Formats a time, without the fraction of a second.
 *
 * @param atMs - Milliseconds since the Unix epoch.
 * @returns The timestamp, or `undefined` if the time is not in the years 0 to 9999.
 */
export function timestampText(atMs: number): string | undefined {
  const text = new Date(atMs).toJSON()
  // `toJSON()` returns `null` for an invalid date, and a longer string for a year with more than four digits.
  return text?.length === 24 ? `${text.slice(0, 19)}Z` : undefined
}
