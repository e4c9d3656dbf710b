/**
 * App key and app secret of a command.
 *
 * The secret comes from the environment or from a file, never from a flag: a process list shows flags to everyone.
 */
import { Secret } from '@brokerwire/core'
import type { Command } from 'commander'
import { optionError } from './cli-error.ts'
import { readSecret } from './input.ts'
import type { GuardedIo } from './io.ts'

/** Names of the environment variables. */
export const ENV = {
  appKey: 'BROKERWIRE_APP_KEY',
  appSecret: 'BROKERWIRE_APP_SECRET',
} as const

/** Flags of {@link addCredentialOptions}. */
export interface CredentialFlags {
  readonly appKey?: string
  readonly appSecretFile?: string
}

/** What a signature needs. */
export interface Credentials {
  readonly appKey: string
  readonly appSecret: Secret
}

/** Adds the flags to a command. */
export function addCredentialOptions(command: Command): Command {
  return command
    .option('--app-key <key>', `app key; otherwise ${ENV.appKey}`)
    .option(
      '--app-secret-file <file>',
      `file with the app secret, readable by its owner alone; otherwise ${ENV.appSecret}`,
    )
}

/**
 * Reads what the flags and the environment say.
 *
 * @throws CliError `CLI_OPTION_INVALID` where something is missing; see {@link readSecret}.
 */
export async function readCredentials(flags: CredentialFlags, io: GuardedIo): Promise<Credentials> {
  const appKey = flags.appKey ?? io.env[ENV.appKey]
  if (appKey === undefined || appKey === '')
    throw optionError('--app-key', `a value, or ${ENV.appKey} in the environment`)
  const appSecret =
    flags.appSecretFile === undefined ? io.env[ENV.appSecret] : await readSecret(flags.appSecretFile)
  if (appSecret === undefined || appSecret === '') {
    throw optionError('--app-secret-file', `a file with the secret, or ${ENV.appSecret} in the environment`)
  }
  io.keepSecret(appSecret)
  return { appKey, appSecret: new Secret(appSecret) }
}
