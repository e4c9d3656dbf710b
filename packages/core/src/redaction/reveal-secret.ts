/**
 * The way to a secret's text, from whichever copy of `Secret` it came.
 *
 * Apart from the class, so that a bundle which only reads secrets does not carry it.
 */

/** The text of a secret input, from whichever copy of `Secret` it came. `undefined` where it is neither. */
export function revealSecret(input: unknown): string | undefined {
  const secret = input as { readonly reveal?: unknown } | null | undefined
  const text: unknown = typeof secret?.reveal === 'function' ? secret.reveal() : input
  return typeof text === 'string' ? text : undefined
}
