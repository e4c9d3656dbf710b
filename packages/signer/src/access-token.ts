/** The check of an access token before it becomes a header. */
import { outerSpace, revealSecret, typeName } from '@brokerwire/core/internal'
import { optionFailure } from './signer-error.ts'

const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/

/** Whether every host sends a token unchanged as a header: visible ASCII, with spaces only between other characters. */
export const isTokenText = (text: string): boolean => HEADER_VALUE.test(text)

/**
 * Returns the string of an access token. Messages never contain it.
 *
 * @param alternative - Another accepted value, for the message.
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function readToken(value: unknown, field: string, alternative: string): string {
  const text = revealSecret(value) ?? ''
  if (isTokenText(text)) return text
  const space = outerSpace(text)
  if (space !== undefined) throw optionFailure(field, 'without white space at its ends', space)
  const expected = `a non-empty string or a Secret of visible ASCII, or ${alternative}`
  const message = text ? `${field} must be ${expected}` : undefined
  throw optionFailure(field, expected, typeName(value), message)
}
