/** Reads the settings of a command: its flags, the environment, the profile, and at last a person. */
import { Secret } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import { optionError } from '../cli-error.ts'
import { readSecret } from '../input.ts'
import type { GuardedIo } from '../io.ts'
import { suggestion } from '../suggestion.ts'
import { checkValue, readOffset } from './check-value.ts'
import { MIN_SECRET_LENGTH } from './min-secret-length.ts'
import { configFile, defaultStore } from './places.ts'
import { checkProfileName, DEFAULT_PROFILE, readProfiles } from './profiles.ts'
import {
  flagName,
  KNOWN_VARIABLES,
  OTHER_VARIABLES,
  resolveSettings,
  SETTINGS,
  type SettingName,
  type Settings,
  settingOf,
} from './settings.ts'

/** The flags of settings, where a command has them. */
export type SettingFlags = { readonly [K in SettingName]?: string | undefined } & {
  readonly profile?: string | undefined
  readonly allowInsecure?: boolean | undefined
}

/** What a signature needs. */
export interface Credentials {
  readonly appKey: string
  readonly appSecret: Secret
}

/** What `createBrokerage` needs to connect. */
export interface Connection extends Credentials {
  readonly region: Region
  readonly environment: Environment
  readonly overrides: {
    readonly httpUrl: string | undefined
    readonly eventsUrl: string | undefined
    readonly moduleEventsUrl: string | undefined
    readonly mqttUrl: string | undefined
  }
  readonly allowInsecure: boolean
  readonly maxClockOffsetMs: number | undefined
}

/** The profile that is meant: the flag's, the variable's, else the default one. */
export function chosenProfile(
  flags: Pick<SettingFlags, 'profile'>,
  env: GuardedIo['env'],
): { readonly name: string; readonly isNamed: boolean } {
  const named = flags.profile ?? (env[OTHER_VARIABLES.profile] || undefined)
  return { name: checkProfileName(named ?? DEFAULT_PROFILE), isNamed: named !== undefined }
}

/**
 * Reads every setting with its source. A variable that begins with `BROKERWIRE_` and has another name is remarked on.
 *
 * @throws CliError `CLI_OPTION_INVALID`, `CLI_CONFIG_INVALID`, `CLI_SECRET_EXPOSED`
 */
export async function readSettings(flags: SettingFlags, io: GuardedIo): Promise<Settings> {
  for (const name of Object.keys(io.env)) {
    if (name.startsWith(PREFIX) && !KNOWN_VARIABLES.includes(name))
      io.err(`${name}: no variable that this program reads${variableMeant(name)}`)
  }
  const { name, isNamed } = chosenProfile(flags, io.env)
  const profiles = await readProfiles(configFile(io.env))
  const values = profiles[name]
  if (values === undefined && isNamed) {
    const names = Object.keys(profiles)
    const known = names.length === 0 ? 'there is none yet' : `known are ${names.join(', ')}`
    throw optionError('--profile', `the name of a profile (${known})${suggestion(name, names)}`)
  }
  return resolveSettings({
    flags,
    env: io.env,
    profile: values && { name, values },
    defaults: { store: defaultStore(io.env) },
  })
}

const PREFIX = 'BROKERWIRE_'

/** All begin alike: what follows decides which one is near. */
function variableMeant(name: string): string {
  const endings = KNOWN_VARIABLES.map((known) => known.slice(PREFIX.length))
  return suggestion(name.slice(PREFIX.length), endings).replace('mean ', `mean ${PREFIX}`)
}

/** How to set it, for whoever has not. */
function waysToSet(name: SettingName): string {
  const { key, variable } = settingOf(name)
  return `here, in ${variable}, or with \`brokerwire config set ${key}\``
}

/** @throws CliError `CLI_OPTION_INVALID` where it is missing, or no value that it may have. */
function requireSetting(settings: Settings, name: SettingName): string {
  const { flag = name, choices } = settingOf(name)
  const setting = settings[name]
  if (setting !== undefined && (choices?.includes(setting.value) ?? true)) return setting.value
  const expected = choices?.join(' or ') ?? 'a value'
  if (setting === undefined) throw optionError(flagName(flag), `${expected}, ${waysToSet(name)}`)
  throw optionError(flagName(flag), `${expected}, got something else from ${setting.source}`)
}

/**
 * App key and app secret. A missing secret is asked for where somebody sits at a terminal.
 *
 * @throws CliError `CLI_OPTION_INVALID` where something is missing; see {@link readSecret}.
 */
export async function readCredentials(settings: Settings, io: GuardedIo): Promise<Credentials> {
  const appKey = requireSetting(settings, 'appKey')
  if (appKey === '') throw optionError('--app-key', 'a value')
  checkValue('appKey', appKey, { source: settings.appKey?.source ?? '--app-key', allowInsecure: true })
  const { appSecret: inText, appSecretFile: inFile } = SETTINGS
  if (settings.appSecret?.source === inText.variable && io.env[inFile.variable])
    throw optionError(inText.variable, `no ${inFile.variable} beside it`)
  const appSecret =
    settings.appSecretFile === undefined
      ? (settings.appSecret?.value ?? (await io.prompt?.secret('App secret')))
      : await readSecret(settings.appSecretFile.value)
  if (appSecret === undefined || appSecret === '') {
    const ways = 'in BROKERWIRE_APP_SECRET, or with `brokerwire config set app-secret`'
    throw optionError('--app-secret-file', `a file with the app secret; it may also stand ${ways}`)
  }
  io.keepSecret(appSecret)
  const source = settings.appSecretFile?.value ?? settings.appSecret?.source ?? 'the app secret'
  checkValue('appSecret', appSecret, { source, allowInsecure: true })
  if (appSecret.length < MIN_SECRET_LENGTH)
    io.err(`${source}: shorter than ${MIN_SECRET_LENGTH} characters, too short for an app secret`)
  return { appKey, appSecret: new Secret(appSecret) }
}

/**
 * Where a command connects to, and as whom. Region and environment have no default: a sandbox key must not reach
 * production because somebody left a flag out.
 *
 * @throws CliError `CLI_OPTION_INVALID`
 */
export async function readConnection(
  flags: SettingFlags,
  settings: Settings,
  io: GuardedIo,
): Promise<Connection> {
  const { allowInsecure = false } = flags
  const readUrl = (name: 'httpUrl' | 'eventsUrl' | 'moduleEventsUrl'): string | undefined => {
    const setting = settings[name]
    return setting && checkValue(name, setting.value, { source: setting.source, allowInsecure })
  }
  return {
    ...(await readCredentials(settings, io)),
    region: requireSetting(settings, 'region') as Region,
    environment: requireSetting(settings, 'environment') as Environment,
    overrides: {
      httpUrl: readUrl('httpUrl'),
      eventsUrl: readUrl('eventsUrl'),
      moduleEventsUrl: readUrl('moduleEventsUrl'),
      // Who connects there reads it.
      mqttUrl: settings.mqttUrl?.value,
    },
    allowInsecure,
    maxClockOffsetMs:
      settings.maxClockOffset && readOffset(settings.maxClockOffset.value, settings.maxClockOffset.source),
  }
}

/** A list as people write it: separated by commas. */
export const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** The accounts. @throws CliError `CLI_OPTION_INVALID` where there is none. */
export function requireAccounts(settings: Settings): readonly string[] {
  const accounts = listOf(settings.accounts?.value ?? '')
  if (accounts.length > 0) return accounts
  throw optionError('--accounts', `at least one account, ${waysToSet('accounts')}`)
}

/** The directory that keeps tokens. @throws CliError `CLI_OPTION_INVALID` */
export function requireStore(settings: Settings): string {
  if (settings.store !== undefined) return settings.store.value
  const why = 'because HOME, which names the usual one, is no absolute path'
  throw optionError('--store', `a directory, ${waysToSet('store')}, ${why}`)
}
