/**
 * The number of retries before a rejection is final, for the end of a line. Empty if there is no such limit.
 */
export function retriesLeftText({ retriesLeft }: { readonly retriesLeft: number | undefined }): string {
  if (retriesLeft === undefined) return ''
  return retriesLeft === 0 ? ', the last retry' : `, then ${retriesLeft} more`
}
