/** Where a command connects to: flags and environment variables, the same for every command that connects. */
import { readOrigin } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import type { Command } from 'commander'
import { optionError } from './cli-error.ts'
import {
  addCredentialOptions,
  type CredentialFlags,
  type Credentials,
  readCredentials,
} from './credentials.ts'
import type { GuardedIo } from './io.ts'

/** Names of the environment variables. */
export const CONNECTION_ENV = {
  region: 'BROKERWIRE_REGION',
  environment: 'BROKERWIRE_ENVIRONMENT',
  httpUrl: 'BROKERWIRE_HTTP_URL',
  eventsUrl: 'BROKERWIRE_EVENTS_URL',
  moduleEventsUrl: 'BROKERWIRE_MODULE_EVENTS_URL',
  accounts: 'BROKERWIRE_ACCOUNTS',
} as const

/** Flags of {@link addConnectionOptions}. */
export interface ConnectionFlags extends CredentialFlags {
  readonly region?: string
  readonly environment?: string
  readonly httpUrl?: string
  readonly eventsUrl?: string
  readonly moduleEventsUrl?: string
  readonly allowInsecure?: boolean
}

/** What `createBrokerage` needs to connect. */
export interface Connection extends Credentials {
  readonly region: Region
  readonly environment: Environment
  readonly overrides: {
    readonly httpUrl: string | undefined
    readonly eventsUrl: string | undefined
    readonly moduleEventsUrl: string | undefined
  }
  readonly allowInsecure: boolean
}

/** Adds the flags to a command. */
export function addConnectionOptions(command: Command): Command {
  return addCredentialOptions(command)
    .option('--region <region>', `hk or us; otherwise ${CONNECTION_ENV.region}`)
    .option('--environment <name>', `sandbox or production; otherwise ${CONNECTION_ENV.environment}`)
    .option('--http-url <url>', `instead of the region's; otherwise ${CONNECTION_ENV.httpUrl}`)
    .option('--events-url <url>', `instead of the region's; otherwise ${CONNECTION_ENV.eventsUrl}`)
    .option(
      '--module-events-url <url>',
      `instead of the region's; otherwise ${CONNECTION_ENV.moduleEventsUrl}`,
    )
    .option(
      '--allow-insecure',
      'takes http: URLs beyond this machine: whoever is on the way reads tokens',
      false,
    )
}

/**
 * Reads what the flags and the environment say. Region and environment have no default: a sandbox key must not
 * reach production because somebody left a flag out.
 *
 * @throws CliError `CLI_OPTION_INVALID`
 */
export async function readConnection(flags: ConnectionFlags, io: GuardedIo): Promise<Connection> {
  const read = (name: Exclude<keyof typeof CONNECTION_ENV, 'accounts'>): string | undefined =>
    flags[name] ?? io.env[CONNECTION_ENV[name]]
  const { allowInsecure = false } = flags
  const readUrl = (flag: string, name: 'httpUrl' | 'eventsUrl' | 'moduleEventsUrl'): string | undefined => {
    const value = read(name)
    if (value === undefined) return undefined
    return readOrigin(urlFailure, flags[name] === undefined ? CONNECTION_ENV[name] : flag, value, {
      allowInsecure,
    })
  }
  return {
    ...(await readCredentials(flags, io)),
    region: oneOf('--region', read('region'), ['hk', 'us']),
    environment: oneOf('--environment', read('environment'), ['sandbox', 'production']),
    overrides: {
      httpUrl: readUrl('--http-url', 'httpUrl'),
      eventsUrl: readUrl('--events-url', 'eventsUrl'),
      moduleEventsUrl: readUrl('--module-events-url', 'moduleEventsUrl'),
    },
    allowInsecure,
  }
}

const urlFailure = (option: string, expected: string, received: string): Error =>
  optionError(option, `${expected.replace('allowInsecure: true', '--allow-insecure')}, got ${received}`)

function oneOf<const T extends string>(option: string, value: string | undefined, allowed: readonly T[]): T {
  const found = allowed.find((name) => name === value)
  if (found === undefined) throw optionError(option, allowed.join(' or '))
  return found
}
