/** Secrets of a configuration, from where they stand. */
import { readFile } from 'node:fs/promises'
import { Secret } from '@brokerwire/core'
import type { SecretPlace } from '../config/shape.ts'
import { optionFailure } from '../relay-error.ts'

/**
 * Reads a secret out of the environment, or out of a file; a line end behind it is none of it.
 *
 * @param field - Names it in errors, which never show what was read.
 * @param env - Where variables are. @defaultValue those of the process
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { readSecretPlace } from '@brokerwire/relay'
 *
 * const secret = await readSecretPlace('keys[0].appSecret', { env: 'APP_SECRET' })
 * console.log(secret.reveal().length)
 * ```
 */
export async function readSecretPlace(
  field: string,
  place: SecretPlace,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Secret> {
  const where = 'env' in place ? `the environment variable ${place.env}` : `the file ${place.file}`
  const text = 'env' in place ? env[place.env] : await readFile(place.file, 'utf8').catch(() => undefined)
  const value = text?.replace(/\r?\n$/, '')
  if (value === undefined || value === '')
    throw optionFailure(
      field,
      `a text in ${where}`,
      value === undefined ? 'nothing that can be read' : 'an empty one',
    )
  return new Secret(value)
}
