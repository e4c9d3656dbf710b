/**
 * The way to a secret's text, from whichever copy of `Secret` it came.
 *
 * Apart from the class, so that a bundle which only reads secrets does not carry it.
 */

/** The text of a secret input, from whichever copy of `Secret` it came. `undefined` where it is neither. */
export function revealSecret(input: unknown): string | undefined {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return undefined
  const reveal = (input as { reveal?: unknown }).reveal
  if (typeof reveal !== 'function') return undefined
  const text: unknown = reveal.call(input)
  return typeof text === 'string' ? text : undefined
}
