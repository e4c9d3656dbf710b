/**
 * The way to a secret's text, from whichever copy of `Secret` it came.
 *
 * Apart from the class, so that a bundle which only reads secrets does not carry it.
 */

/** Whether that is a `Secret` of any copy. */
const isRevealing = (input: unknown): input is { reveal(): unknown } =>
  typeof (input as { reveal?: unknown } | undefined)?.reveal === 'function'

/** The text of a secret input, from whichever copy of `Secret` it came. `undefined` where it is neither. */
export function revealSecret(input: unknown): string | undefined {
  const text = isRevealing(input) ? input.reveal() : input
  return typeof text === 'string' ? text : undefined
}
