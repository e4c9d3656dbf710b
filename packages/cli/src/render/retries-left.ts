/**
 * Returns the number of retries before a rejection is final, as a text for the end of a line. The text is
 * empty if there is no such limit.
 */
export function retriesLeftText({ retriesLeft }: { readonly retriesLeft: number | undefined }): string {
  if (retriesLeft === undefined) return ''
  return retriesLeft === 0 ? ', the last retry' : `, then ${retriesLeft} more`
}
