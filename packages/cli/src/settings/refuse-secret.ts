/**
 * The app secret is never sent and never shown, also where somebody has put it into the request themselves: into a
 * parameter, because other services want it there, or into a file by mistake.
 */
import { createRedactor, type Secret } from '@brokerwire/core'
import { optionError } from '../cli-error.ts'
import { MIN_SECRET_LENGTH } from './min-secret-length.ts'

const NAME = /^x-app-secret$/i

/**
 * @param texts - What a person has given, each with the name of its option.
 * @throws CliError `CLI_OPTION_INVALID`, which names the option and not the text.
 */
export function refuseSecret(
  secret: Secret,
  texts: readonly (readonly [option: string, text: string])[],
): void {
  const value = secret.reveal()
  // A shorter one would be found in ordinary words: it is refused as a whole text alone.
  // The name of a header is sent in small letters.
  const small = value.toLowerCase()
  const redact = createRedactor([value, small])
  const holds = (text: string): boolean => value.length >= MIN_SECRET_LENGTH && redact(text) !== text
  for (const [option, text] of texts) {
    const inSmall = text.toLowerCase()
    if (inSmall === small || holds(text) || holds(inSmall) || NAME.test(text))
      throw optionError(option, 'must not contain the app secret: it signs requests and is never sent')
  }
}
