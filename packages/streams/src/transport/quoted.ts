/** Somebody else's text within a message of ours. */

const MAX_LENGTH = 100

/**
 * The text, or how long it is where that is too much: whole or not at all, because who knows the secrets that it may
 * quote does not recognize one that was cut.
 */
export function quoted(text: string): string {
  return text.length <= MAX_LENGTH ? text : `one of ${text.length} characters`
}
