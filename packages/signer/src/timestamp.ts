/** `x-timestamp`: UTC, `YYYY-MM-DDThh:mm:ssZ`. Specification, "Headers on signed requests". */

/**
 * The timestamp of an instant, without its fraction of a second.
 *
 * @param atMs - Milliseconds since the Unix epoch.
 * @returns An empty text where that is no instant of the years 0 to 9999.
 */
export function timestampText(atMs: number): string {
  const text = new Date(atMs).toJSON()
  return text?.length === 24 ? `${text.slice(0, 19)}Z` : ''
}
