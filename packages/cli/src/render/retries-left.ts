/** The part of a line that says after how many more attempts a refusal is final; empty if there is no such limit. */
export function retriesLeftText({ retriesLeft }: { readonly retriesLeft: number | undefined }): string {
  if (retriesLeft === undefined) return ''
  return retriesLeft === 0 ? ', for the last time' : `, then ${retriesLeft} more`
}
