/**
 * The tokens of a command, in the file store that running programs share. Opening the store never creates a
 * token. Only `token create`, `token renew` and `--create` create one.
 */
import { type Brokerage, type BrokerageOptions, createBrokerage, rateLimiter } from '@brokerwire/client'
import type { Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { createFileStore } from '@brokerwire/stores/file'
import type { TokenWait } from '@brokerwire/tokens'
import { CliError } from '../cli-error.ts'
import type { GuardedIo } from '../io.ts'
import {
  type Connection,
  type Requirements,
  readConnection,
  readSettings,
  requireStore,
  type SettingFlags,
} from '../settings/read-settings.ts'

/** A brokerage and its store. */
export interface OpenTokens extends AsyncDisposable {
  readonly brokerage: Brokerage
  readonly connection: Connection
  readonly store: Store
  readonly directory: string
  readonly identity: ServiceIdentity
}

/** Opens the brokerage and its store. @throws CliError `CLI_VALUE_MISSING`, `CLI_OPTION_INVALID` */
export async function openTokens(
  flags: SettingFlags,
  io: GuardedIo,
  options: Pick<BrokerageOptions, 'tokens' | 'http' | 'observer'> = {},
  requirements: Requirements = {},
): Promise<OpenTokens> {
  const settings = await readSettings(flags, io)
  const connection = await readConnection(flags, settings, io, requirements)
  const directory = requireStore(settings)
  const store = createFileStore({ directory })
  const onTokenWait = ({ call, atLeastMs }: TokenWait): void => {
    const seconds = Math.max(1, Math.ceil(atLeastMs / 1000))
    const rate = call.startsWith('client-')
      ? '600 calls about client tokens in 60 s'
      : '10 calls about access tokens in 30 s'
    io.err(`waiting ${seconds} s or more: the service allows ${rate} (Ctrl-C stops waiting)`)
  }
  const brokerage = createBrokerage({
    ...connection,
    ...options,
    plugins: [rateLimiter()],
    observer: { ...options.observer, onTokenWait },
    store,
  })
  return {
    brokerage,
    connection,
    store,
    directory,
    identity: brokerage.identity,
    [Symbol.asyncDispose]: () => brokerage.close(),
  }
}

/** Creates the error of a command that needs a token. */
export function tokenMissing(why: string): CliError<'CLI_TOKEN_MISSING'> {
  return new CliError('CLI_TOKEN_MISSING', `${why}: run \`brokerwire token create --wait\``, { details: {} })
}
