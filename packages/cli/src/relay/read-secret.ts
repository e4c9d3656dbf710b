/**
 * Reads the secrets of a relay's configuration. They are removed from all log lines, and files must not be writable by
 * others.
 */
import { stat } from 'node:fs/promises'
import type { Secret } from '@brokerwire/core'
import { resolveSecret, type SecretRef } from '@brokerwire/relay'
import { CliError } from '../cli-error.ts'
import type { GuardedIo } from '../io.ts'
import type { RelayLog } from './log.ts'

/** @param field - Name of the secret's field, for errors. */
export type ReadSecret = (field: string, ref: SecretRef) => Promise<Secret>

/** Permission bits of other users. */
const OTHERS = 0o007
const OTHERS_WRITE = 0o022

/** Creates the reader. It logs one warning about each file that other users can read. */
export function createSecretReader(
  log: RelayLog,
  { env, keepSecret }: Pick<GuardedIo, 'env' | 'keepSecret'>,
): ReadSecret {
  /** Names of files. A file may be the secret of several fields. */
  const warned = new Set<string>()
  return async (field, ref) => {
    const secret = await resolveSecret(field, ref, env)
    log.keepSecret(secret.reveal())
    keepSecret(secret.reveal())
    if ('file' in ref) {
      const { mode } = await stat(ref.file)
      if ((mode & OTHERS_WRITE) !== 0)
        throw new CliError(
          'CLI_SECRET_EXPOSED',
          `${ref.file} must not be writable by other users. Run chmod 600 on it`,
          {
            details: { file: ref.file },
          },
        )
      if ((mode & OTHERS) !== 0 && !warned.has(ref.file)) {
        warned.add(ref.file)
        log.write('secret.readable', { field, file: ref.file, action: 'chmod 600, or 400' })
      }
    }
    return secret
  }
}
