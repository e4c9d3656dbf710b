/** Reader of a configuration's secrets from environment variables and files. */
import { readFile } from 'node:fs/promises'
import { Secret } from '@brokerwire/core'
import { isRecord, stripLineEnd, typeName } from '@brokerwire/core/internal'
import type { SecretRef } from '../config/fields.ts'
import { optionFailure } from '../relay-error.ts'

/**
 * Reads a secret from an environment variable or a file, without a byte order mark at its start and one line end at its end.
 *
 * @param field - The name in errors, which never show the secret.
 * @param env - The environment variables. @defaultValue those of the process
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { resolveSecret } from '@brokerwire/relay'
 *
 * const secret = await resolveSecret('apps[0].appSecret', { env: 'APP_SECRET' })
 * console.log(secret.reveal().length)
 * ```
 */
export async function resolveSecret(
  field: string,
  ref: SecretRef,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Secret> {
  const { env: name, file } = parseSecretRef(field, ref)
  const where = name === undefined ? `the file ${file}` : `the environment variable ${name}`
  const text =
    name === undefined
      ? await readFile(file, 'utf8').catch(() => undefined)
      : // Reads own properties only, because `constructor` is not a variable.
        Object.hasOwn(env, name)
        ? env[name]
        : undefined
  const value = text === undefined ? undefined : stripLineEnd(text)
  if (value === undefined || value === '')
    throw optionFailure(
      field,
      `a text in ${where}`,
      value === undefined ? 'nothing that can be read' : 'an empty one',
    )
  return new Secret(value)
}

type ParsedSecretRef =
  | { readonly env: string; readonly file?: undefined }
  | { readonly env?: undefined; readonly file: string }

function parseSecretRef(field: string, ref: unknown): ParsedSecretRef {
  if (isRecord(ref)) {
    const { env, file } = ref
    if (typeof env === 'string' && file === undefined) return { env }
    if (typeof file === 'string' && env === undefined) return { file }
  }
  throw optionFailure(field, 'an object with env or file', typeName(ref))
}
