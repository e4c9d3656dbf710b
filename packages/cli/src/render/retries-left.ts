/** Number of retries before a rejection is final, as the end of a line; empty without such a limit. */
export function retriesLeftText({ retriesLeft }: { readonly retriesLeft: number | undefined }): string {
  if (retriesLeft === undefined) return ''
  return retriesLeft === 0 ? ', the last retry' : `, then ${retriesLeft} more`
}
