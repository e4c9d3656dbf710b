/**
 * Returns the text of a secret without the class `Secret`, so that a bundle that only reads secrets does not
 * contain the class.
 */

/**
 * Returns the string of a `Secret` from any copy of this package, or a string itself; `undefined` for other
 * values.
 */
export function revealSecret(input: unknown): string | undefined {
  const secret = input as { readonly reveal?: unknown } | null | undefined
  const text: unknown = typeof secret?.reveal === 'function' ? secret.reveal() : input
  return typeof text === 'string' ? text : undefined
}
