/**
 * Reads the secrets of a relay's configuration. They are removed from all log lines, and files must not be writable by
 * others.
 */
import { stat } from 'node:fs/promises'
import type { Secret } from '@brokerwire/core'
import { readSecretPlace, type SecretPlace } from '@brokerwire/relay'
import { CliError } from '../cli-error.ts'
import type { GuardedIo } from '../io.ts'
import type { RelayLog } from './log.ts'

/** @param field - Its name in errors. */
export type ReadSecret = (field: string, place: SecretPlace) => Promise<Secret>

/** Permission bits of other users. */
const OTHERS = 0o007
const OTHERS_WRITE = 0o022

/** Creates the reader. It logs a warning about files that other users can read. */
export function secretReader(
  log: RelayLog,
  { env, keepSecret }: Pick<GuardedIo, 'env' | 'keepSecret'>,
): ReadSecret {
  return async (field, place) => {
    const secret = await readSecretPlace(field, place, env)
    log.keepSecret(secret.reveal())
    keepSecret(secret.reveal())
    if ('file' in place) {
      const { mode } = await stat(place.file)
      if ((mode & OTHERS_WRITE) !== 0)
        throw new CliError(
          'CLI_SECRET_EXPOSED',
          `${place.file} must not be writable by other users. Run chmod 600 on it`,
          {
            details: { file: place.file },
          },
        )
      if ((mode & OTHERS) !== 0) log.say('warn', 'secret.readable', { field, todo: 'chmod 600, or 400' })
    }
    return secret
  }
}
