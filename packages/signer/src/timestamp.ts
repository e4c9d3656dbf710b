/** `x-timestamp`: UTC, `YYYY-MM-DDThh:mm:ssZ`. Specification, "Headers on signed requests". */

/**
 * The timestamp of an instant, without its fraction of a second.
 *
 * @param atMs - Milliseconds since the Unix epoch.
 * @returns `undefined` if that is no instant of the years 0 to 9999.
 */
export function timestampText(atMs: number): string | undefined {
  const text = new Date(atMs).toJSON()
  // `null` for no date, and longer for a year of more than four digits.
  return text?.length === 24 ? `${text.slice(0, 19)}Z` : undefined
}
