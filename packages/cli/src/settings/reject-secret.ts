/**
 * Rejects requests that contain the app secret. It must never be sent or shown, even if the user put it into
 * a parameter, as other services require, or into a file by mistake.
 */
import { createRedactor, type Secret } from '@brokerwire/core'
import { optionError } from '../cli-error.ts'
import { MIN_SECRET_LENGTH } from './min-secret-length.ts'

const NAME = /^x-app-secret$/i

/**
 * @param texts - Values from the user, with the names of their options.
 * @throws CliError `CLI_OPTION_INVALID`, which names the option but not the value.
 */
export function rejectSecret(
  secret: Secret,
  texts: readonly (readonly [option: string, text: string])[],
): void {
  const value = secret.reveal()
  // A shorter secret is rejected only if it is the whole value, because it would also match ordinary words.
  // Names of headers are sent in lower case.
  const lowerCaseSecret = value.toLowerCase()
  const redact = createRedactor([value, lowerCaseSecret])
  const containsSecret = (text: string): boolean => value.length >= MIN_SECRET_LENGTH && redact(text) !== text
  for (const [option, text] of texts) {
    const lowerCase = text.toLowerCase()
    if (lowerCase === lowerCaseSecret || containsSecret(text) || containsSecret(lowerCase) || NAME.test(text))
      throw optionError(option, 'must not contain the app secret: it signs requests and is never sent')
  }
}
