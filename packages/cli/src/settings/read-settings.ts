/** Reads the settings of a command: flags, environment, profile, and a prompt for the secret. */
import { type ProxyOption, Secret } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import { type MissingValue, optionError } from '../cli-error.ts'
import { readSecret } from '../input.ts'
import type { GuardedIo } from '../io.ts'
import { receivedText, suggestion } from '../suggestion.ts'
import { checkValue, parseOffset } from './check-value.ts'
import { settingTerm } from './library-options.ts'
import { MIN_SECRET_LENGTH } from './min-secret-length.ts'
import { missingError, missingSetting } from './missing.ts'
import { configFile, defaultStore } from './paths.ts'
import { checkProfileName, DEFAULT_PROFILE, readProfiles } from './profiles.ts'
import { readProxyVariables } from './read-proxy.ts'
import {
  getForms,
  getSetting,
  KNOWN_VARIABLES,
  OTHER_VARIABLES,
  resolveSettings,
  SETTINGS,
  type SettingName,
  type Settings,
} from './settings.ts'

/** The flags of settings, if the command has them. */
export type SettingFlags = { readonly [K in SettingName]?: string | undefined } & {
  readonly profile?: string | undefined
  readonly allowInsecure?: boolean | undefined
}

/** Values that a signature needs. */
export interface Credentials {
  readonly appKey: string
  readonly appSecret: Secret
}

/** Values that `createBrokerage` needs. */
export interface Connection extends Credentials {
  readonly region: Region
  readonly environment: Environment
  readonly overrides: {
    readonly baseUrl: string | undefined
    readonly eventsUrl: string | undefined
    readonly moduleEventsUrl: string | undefined
    readonly mqttUrl: string | undefined
  }
  readonly allowInsecure: boolean
  readonly maxClockOffsetMs: number | undefined
  /** Proxy from `HTTPS_PROXY` and similar variables. */
  readonly proxy: ProxyOption | undefined
}

/** Returns the name of the selected profile: from the flag, from the variable, or the default name. */
export function selectProfile(
  flags: Pick<SettingFlags, 'profile'>,
  env: GuardedIo['env'],
): { readonly name: string; readonly isNamed: boolean } {
  const named = flags.profile ?? (env[OTHER_VARIABLES.profile] || undefined)
  return { name: checkProfileName(named ?? DEFAULT_PROFILE), isNamed: named !== undefined }
}

/**
 * Reads every setting with its source. Warns about unknown variables that start with `BROKERWIRE_`.
 *
 * @throws CliError `CLI_OPTION_INVALID`, `CLI_CONFIG_INVALID`, `CLI_SECRET_EXPOSED`
 */
export async function readSettings(flags: SettingFlags, io: GuardedIo): Promise<Settings> {
  for (const name of Object.keys(io.env)) {
    if (name.startsWith(PREFIX) && !KNOWN_VARIABLES.includes(name))
      io.err(`unknown environment variable ${name}${suggestVariable(name)}`)
  }
  const { name, isNamed } = selectProfile(flags, io.env)
  const profiles = await readProfiles(configFile(io.env))
  const values = profiles[name]
  if (values === undefined && isNamed) {
    const names = Object.keys(profiles)
    const known = names.length === 0 ? 'there is none yet' : `known are ${names.join(', ')}`
    throw optionError('--profile', `must be the name of a profile (${known})${receivedText(name, names)}`)
  }
  return resolveSettings({
    flags,
    env: io.env,
    profile: values && { name, values },
    defaults: { store: defaultStore(io.env) },
  })
}

const PREFIX = 'BROKERWIRE_'

/** Suggests a variable for an unknown one. All names have the same prefix, so only the rest is compared. */
function suggestVariable(name: string): string {
  const endings = KNOWN_VARIABLES.map((known) => known.slice(PREFIX.length))
  return suggestion(name.slice(PREFIX.length), endings).replace('mean "', `mean "${PREFIX}`)
}

/** Values that a command requires. */
export interface Requirements {
  readonly settings?: readonly SettingName[] | undefined
  /** Missing flags of the command itself. */
  readonly missing?: readonly MissingValue[] | undefined
}

/**
 * Checks that no required value is missing.
 * @throws CliError `CLI_VALUE_MISSING`, which lists all missing values.
 */
function requireAll(settings: Settings, names: readonly SettingName[], others: Requirements): void {
  const missing = [...names, ...(others.settings ?? [])].filter((name) =>
    getForms(name).every((form) => settings[form] === undefined),
  )
  const all = [...missing.map(missingSetting), ...(others.missing ?? [])]
  if (all.length > 0) throw missingError(all)
}

/**
 * Returns the valid value of a setting.
 * @throws CliError `CLI_OPTION_INVALID`, which names the source of the value.
 */
function requireValue(settings: Settings, name: SettingName): string {
  const { value = '', source = '' } = settings[name] ?? {}
  if (value === '')
    throw optionError(describeSource(name, source), 'must be a non-empty string; received an empty string')
  return checkValue(name, value, { source: describeSource(name, source), allowInsecure: true })
}

/** Describes the source of a value. For a profile, the description includes the key. */
const describeSource = (name: SettingName, source: string): string =>
  source.startsWith('profile ') ? `${getSetting(name).key} in the ${source}` : source

const CREDENTIALS: readonly SettingName[] = ['appKey', 'appSecret']

/** Returns the credentials that must be set. On a terminal the user can enter the secret instead. */
const requiredCredentials = ({ prompt }: GuardedIo): readonly SettingName[] =>
  prompt === undefined ? CREDENTIALS : ['appKey']

/**
 * Reads app key and app secret. On a terminal, the user is asked for a missing secret.
 *
 * @throws CliError `CLI_VALUE_MISSING`, `CLI_OPTION_INVALID`; see {@link readSecret}.
 */
export async function readCredentials(settings: Settings, io: GuardedIo): Promise<Credentials> {
  requireAll(settings, requiredCredentials(io), {})
  const appKey = requireValue(settings, 'appKey')
  const { appSecret: inText, appSecretFile: inFile } = SETTINGS
  if (settings.appSecret?.source === inText.variable && io.env[inFile.variable])
    throw optionError(inText.variable, `must not be set together with ${inFile.variable}`)
  const appSecret =
    settings.appSecretFile === undefined
      ? (settings.appSecret?.value ?? (await io.prompt?.secret('App secret')))
      : await readSecret(settings.appSecretFile.value)
  if (appSecret === undefined) throw missingError([missingSetting('appSecret')])
  if (appSecret === '') {
    const { source = 'the app secret' } = settings.appSecretFile ?? settings.appSecret ?? {}
    throw optionError(source, 'must be an app secret; received an empty string')
  }
  io.keepSecret(appSecret)
  const source = settings.appSecretFile?.value ?? settings.appSecret?.source ?? 'the app secret'
  checkValue('appSecret', appSecret, { source, allowInsecure: true })
  if (appSecret.length < MIN_SECRET_LENGTH)
    io.err(
      `${source} should have at least ${MIN_SECRET_LENGTH} characters; a shorter app secret is probably incomplete`,
    )
  return { appKey, appSecret: new Secret(appSecret) }
}

/**
 * Reads endpoint and credentials. Region and environment have no default, so that a sandbox key is never sent
 * to production because of a forgotten flag.
 *
 * @throws CliError `CLI_VALUE_MISSING`, `CLI_OPTION_INVALID`
 */
export async function readConnection(
  flags: SettingFlags,
  settings: Settings,
  io: GuardedIo,
  requirements: Requirements = {},
): Promise<Connection> {
  requireAll(settings, [...requiredCredentials(io), 'region', 'environment'], requirements)
  const { allowInsecure = false } = flags
  const readUrl = (name: 'baseUrl' | 'eventsUrl' | 'moduleEventsUrl' | 'mqttUrl'): string | undefined => {
    const setting = settings[name]
    return (
      setting &&
      checkValue(name, setting.value, { source: describeSource(name, setting.source), allowInsecure })
    )
  }
  const { maxClockOffset } = settings
  // Validated before the user is asked for the secret.
  const checked = {
    region: requireValue(settings, 'region') as Region,
    environment: requireValue(settings, 'environment') as Environment,
    overrides: {
      baseUrl: readUrl('baseUrl'),
      eventsUrl: readUrl('eventsUrl'),
      moduleEventsUrl: readUrl('moduleEventsUrl'),
      mqttUrl: readUrl('mqttUrl'),
    },
    allowInsecure,
    proxy: readProxyVariables(io),
    maxClockOffsetMs:
      maxClockOffset &&
      parseOffset(maxClockOffset.value, describeSource('maxClockOffset', maxClockOffset.source)),
  }
  return { ...(await readCredentials(settings, io)), ...checked }
}

/** Parses a comma-separated list. */
export const parseList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Returns the accounts to use. @throws CliError `CLI_VALUE_MISSING`, `CLI_OPTION_INVALID` */
export function requireAccounts(settings: Settings): readonly string[] {
  if (settings.accounts === undefined) throw missingError([missingSetting('accounts')])
  const { value, source } = settings.accounts
  const accounts = parseList(value)
  if (accounts.length > 0) return accounts
  throw optionError(describeSource('accounts', source), 'must have at least one account; received none')
}

/** Returns the directory of tokens. @throws CliError `CLI_OPTION_INVALID` */
export function requireStore(settings: Settings): string {
  if (settings.store !== undefined) return settings.store.value
  throw optionError(settingTerm('store'), 'must be set, because HOME is not an absolute path')
}
