/**
 * The table of settings, and a pure function that resolves each value. Flags override variables, and variables override
 * the profile.
 */
import { stripLineEnd } from '@brokerwire/core/internal'

/** Flag, variable and profile key of a setting. */
export interface SettingDefinition {
  /** Key in `config set` and profiles. */
  readonly key: string
  /**
   * Flag with its placeholder. The app secret has no flag, because all users can read flags in the process
   * list.
   */
  readonly flag?: string | undefined
  readonly variable: string
  readonly help: string
  readonly choices?: readonly string[] | undefined
  /** Whether the value is never shown. */
  readonly secret?: boolean | undefined
}

/** All settings, by their names in the program. */
export const SETTINGS = {
  region: {
    key: 'region',
    flag: '--region <region>',
    variable: 'BROKERWIRE_REGION',
    help: 'region, required',
    choices: ['hk', 'us'],
  },
  environment: {
    key: 'environment',
    flag: '--environment <name>',
    variable: 'BROKERWIRE_ENVIRONMENT',
    help: 'environment, required',
    choices: ['sandbox', 'production'],
  },
  appKey: {
    key: 'app-key',
    flag: '--app-key <key>',
    variable: 'BROKERWIRE_APP_KEY',
    help: 'app key',
  },
  appSecret: {
    key: 'app-secret',
    variable: 'BROKERWIRE_APP_SECRET',
    help: 'app secret',
    secret: true,
  },
  appSecretFile: {
    key: 'app-secret-file',
    flag: '--app-secret-file <file>',
    variable: 'BROKERWIRE_APP_SECRET_FILE',
    help: 'file with the app secret, readable only by its owner',
  },
  baseUrl: {
    key: 'base-url',
    flag: '--base-url <url>',
    variable: 'BROKERWIRE_BASE_URL',
    help: 'origin for requests; default: that of the region',
  },
  eventsUrl: {
    key: 'events-url',
    flag: '--events-url <url>',
    variable: 'BROKERWIRE_EVENTS_URL',
    help: 'origin for trade and position events; default: that of the region',
  },
  moduleEventsUrl: {
    key: 'module-events-url',
    flag: '--module-events-url <url>',
    variable: 'BROKERWIRE_MODULE_EVENTS_URL',
    help: 'origin for module events; default: that of the region',
  },
  mqttUrl: {
    key: 'mqtt-url',
    flag: '--mqtt-url <url>',
    variable: 'BROKERWIRE_MQTT_URL',
    help: 'address for market data, mqtts://host:port or wss://host:port/mqtt; default: that of the region',
  },
  maxClockOffset: {
    key: 'max-clock-offset',
    flag: '--max-clock-offset <duration>',
    variable: 'BROKERWIRE_MAX_CLOCK_OFFSET',
    help: "largest difference between the service's clock and this machine's, at most 3650d; default: 1d",
  },
  accounts: {
    key: 'accounts',
    flag: '--accounts <ids>',
    variable: 'BROKERWIRE_ACCOUNTS',
    help: 'comma-separated accounts of the trade and position streams',
  },
  store: {
    key: 'store',
    flag: '--store <directory>',
    variable: 'BROKERWIRE_STORE',
    help: 'directory of stored tokens, shared with running programs; default: $XDG_STATE_HOME/brokerwire/store or ~/.local/state/brokerwire/store',
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>

/** Name of a setting in the program. */
export type SettingName = keyof typeof SETTINGS

/** Names in the order of the table. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** Returns a row of the table, without the literal types. */
export const getSetting = (name: SettingName): SettingDefinition => SETTINGS[name]

/** Variables that are not settings. */
export const OTHER_VARIABLES = {
  profile: 'BROKERWIRE_PROFILE',
  accessToken: 'BROKERWIRE_ACCESS_TOKEN',
  controlUrl: 'BROKERWIRE_CONTROL_URL',
  controlToken: 'BROKERWIRE_CONTROL_TOKEN',
} as const

/** All variables of the program. */
export const KNOWN_VARIABLES: readonly string[] = [
  ...SETTING_NAMES.map((name) => SETTINGS[name].variable),
  ...Object.values(OTHER_VARIABLES),
]

/** A value and its source. */
export interface Setting {
  readonly value: string
  readonly source: string
}

/** Values by name. Unset settings are missing. */
export type Settings = { readonly [K in SettingName]?: Setting | undefined }

/** Sources of values. */
export interface SettingSources {
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly profile?: { readonly name: string; readonly values: Readonly<Record<string, string>> } | undefined
  readonly defaults?: { readonly [K in SettingName]?: string | undefined } | undefined
}

/** Returns the name of a flag without its placeholder. */
export const flagName = (flag: string): string => flag.replace(/[ ,].*/, '')

const SECRET_FORMS: readonly SettingName[] = ['appSecret', 'appSecretFile']

/** Returns all ways to set a setting. The secret can be set as a value or as a file. */
export const getForms = (name: SettingName): readonly SettingName[] =>
  SECRET_FORMS.includes(name) ? SECRET_FORMS : [name]

/** Resolves every setting. An empty variable is ignored. A final line break of a variable is removed. */
export function resolveSettings({ flags, env, profile, defaults = {} }: SettingSources): Settings {
  const sources: readonly ((name: SettingName) => Setting | undefined)[] = [
    (name) => {
      const { flag } = getSetting(name)
      const value = flags[name]
      return flag === undefined || typeof value !== 'string' ? undefined : { value, source: flagName(flag) }
    },
    (name) => {
      const { variable } = SETTINGS[name]
      const value = stripLineEnd(env[variable] ?? '')
      return value === '' ? undefined : { value, source: variable }
    },
    (name) => {
      const value = profile?.values[SETTINGS[name].key]
      return value === undefined ? undefined : { value, source: `profile ${profile?.name}` }
    },
    (name) => {
      const value = defaults[name]
      return value === undefined ? undefined : { value, source: 'default' }
    },
  ]
  const found = new Map<SettingName, Setting>()
  for (const readSource of sources) {
    for (const name of SETTING_NAMES) {
      const setting = readSource(name)
      // The first source that has the setting has precedence.
      if (setting !== undefined && !getForms(name).some((form) => found.has(form))) found.set(name, setting)
    }
  }
  return Object.fromEntries(found)
}
