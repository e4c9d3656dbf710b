/**
 * The way to a secret's text, from whichever copy of `Secret` it came.
 *
 * Apart from the class, so that a bundle which only reads secrets does not carry it.
 */

/** A `Secret` of any copy. Asserted twice below, because a name of its own would cost every bundle its bytes. */
type Revealing = { reveal(): unknown } | undefined

/** The text of a secret input, from whichever copy of `Secret` it came. `undefined` where it is neither. */
export function revealSecret(input: unknown): string | undefined {
  const text = typeof (input as Revealing)?.reveal === 'function' ? (input as Revealing)?.reveal() : input
  return typeof text === 'string' ? text : undefined
}
