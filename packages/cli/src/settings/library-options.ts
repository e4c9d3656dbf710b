/**
 * Translates messages of the libraries to the names of the command line. A library names its own options
 * (`overrides.mqttUrl`). On the command line they are flags, variables or keys of a profile. Only this table
 * contains both names.
 */
import type { BrokerwireError } from '@brokerwire/core'
import { getFlag, SIMULATE_OPTIONS } from '../simulate/options.ts'
import { flagName, getSetting, type SettingName } from './settings.ts'

/** Options of the libraries that are settings of the command line: flag, variable and key of a profile. */
const OPTION_SETTINGS: Readonly<Record<string, SettingName>> = {
  region: 'region',
  environment: 'environment',
  appKey: 'appKey',
  appSecret: 'appSecretFile',
  'overrides.baseUrl': 'baseUrl',
  'overrides.eventsUrl': 'eventsUrl',
  'overrides.moduleEventsUrl': 'moduleEventsUrl',
  'overrides.mqttUrl': 'mqttUrl',
  baseUrl: 'baseUrl',
  eventsUrl: 'eventsUrl',
  moduleEventsUrl: 'moduleEventsUrl',
  mqttUrl: 'mqttUrl',
  maxClockOffsetMs: 'maxClockOffset',
  accounts: 'accounts',
  directory: 'store',
}

/** Options of the libraries that are flags or arguments of the command line. */
const OPTION_FLAGS: Readonly<Record<string, string>> = {
  allowInsecure: '--allow-insecure',
  'tokens.pollIntervalMs': '--poll-interval',
  'tokens.pollTimeoutMs': '--timeout',
  pollIntervalMs: '--poll-interval',
  pollTimeoutMs: '--timeout',
  'http.timeoutMs': '--timeout',
  timeoutMs: '--timeout',
  apiVersion: '--api-version',
  pathFamily: '--path-family',
  allowGuessed: '--allow-guessed',
  algorithm: '--algorithm',
  streamAlgorithm: '--algorithm',
  modules: '--modules',
  from: '--from',
  symbols: '--symbols',
  'selection.symbols': '--symbols',
  'selection.types': '--types',
  'selection.category': '--category',
  types: '--types',
  category: '--category',
  query: '--query',
  headers: '--header',
  body: '--body',
  requestBytes: '--body-file',
  path: '<path>',
  url: '<url>',
  clientUserId: '<user>',
  app: '--app',
  token: '<token>',
}

/** Phrases with another wording on the command line. */
const PHRASES: readonly (readonly [library: string, here: string])[] = [
  ['Set "allowGuessed: true" to send it', 'Use --allow-guessed to send it'],
  ['try pathFamily: "', 'try --path-family "'],
  ['set pathFamily: "', 'use --path-family "'],
  ['set the option paths, and check the host of http', 'check baseUrl'],
  ['set the option accessToken', 'the stored token is sent unless you give --no-token'],
  ['which are the client\'s "baseUrl"', 'which are set by baseUrl'],
  ['unless tls or', 'unless --tls or'],
]

/** Describes a setting with all ways to set it: `--region (BROKERWIRE_REGION, region in a profile)`. */
export function settingTerm(name: SettingName): string {
  const { flag = '', variable, key } = getSetting(name)
  return `${flagName(flag)} (${variable}, ${key} in a profile)`
}

/**
 * Returns the term for an option; `undefined` if the command line has no such term, or if the option is a
 * field of a file.
 */
function findTerm(option: string, code: string): string | undefined {
  if (code.startsWith('SIMULATOR_OPTION')) {
    const found = SIMULATE_OPTIONS.find(({ name }) => name === option)
    const flag = found && getFlag(found)
    return flag && `--${flag}`
  }
  const setting = Object.hasOwn(OPTION_SETTINGS, option) ? OPTION_SETTINGS[option] : undefined
  if (setting !== undefined) return settingTerm(setting)
  return Object.hasOwn(OPTION_FLAGS, option) ? OPTION_FLAGS[option] : undefined
}

/** Names that are not ordinary words. They are replaced at any position of a message. */
const DISTINCTIVE_NAMES = [...Object.keys(OPTION_SETTINGS), ...Object.keys(OPTION_FLAGS)]
  .filter((name) => /[A-Z.]/.test(name))
  // Longer names come first, because `overrides.baseUrl` contains `baseUrl`.
  .sort((one, other) => other.length - one.length)

const escapeRegExp = (name: string): string => name.replace(/[.[\]]/g, '\\$&')
const ANYWHERE = new RegExp(
  `(?<![\\w.])(?:the option )?(${DISTINCTIVE_NAMES.map(escapeRegExp).join('|')})(: true)?(?![\\w.])`,
  'g',
)
/** Phrases such as `use the "query" option` and `use "query"`. */
const QUOTED = /use (?:the )?"(\w+)"(?: option)?/g

const ADDRESS_NAMES: Readonly<Record<string, string>> = {
  'overrides.baseUrl': 'requests',
  'overrides.eventsUrl': 'trade and position events',
  'overrides.moduleEventsUrl': 'module events',
  'overrides.mqttUrl': 'market data',
}

/** Returns the message of a library's error, with flags, variables and keys instead of options. */
export function translateMessage({ code, message, details }: BrokerwireError): string {
  const {
    option,
    argument = option,
    field = argument,
    header,
    region,
    environment,
  } = details as Readonly<Record<string, unknown>>
  const named = header === undefined ? field : `headers.${String(header)}`
  const path = typeof named === 'string' ? named : ''
  const address = ADDRESS_NAMES[path]
  if (code === 'ENDPOINT_UNKNOWN' && address !== undefined) {
    const local = path === 'overrides.mqttUrl' ? '. `brokerwire simulate --quotes` serves market data' : ''
    const place = `${region} ${environment}`
    const problem = message.includes(' is not taken ')
      ? `the address for ${address} of ${place} is not taken from the table, because another address is set`
      : `no address for ${address} of ${place} is known`
    return `${problem}; set ${findTerm(path, code)}${local}`
  }
  let text = translateStart(message, path, code)
  for (const [library, here] of PHRASES) text = text.replace(library, here)
  return text
    .replace(QUOTED, (found, name: string) => {
      const term = findTerm(name, code)
      return term === undefined ? found : `use ${term}`
    })
    .replace(ANYWHERE, (found, name: string) => findTerm(name, code) ?? found)
}

/** Translates an option at the start of a message: `headers.x must be` becomes `--header x must be`. */
function translateStart(message: string, path: string, code: string): string {
  if (path === '' || !message.startsWith(`${path} `)) return message
  const rest = message.slice(path.length)
  const whole = findTerm(path, code)
  if (whole !== undefined) return `${whole}${rest}`
  const [, name = '', part = ''] = /^(\w+)([.[].*)$/s.exec(path) ?? []
  const term = findTerm(name, code)
  if (term === undefined) return message
  const index = /^\[(\d+)\]$/.exec(part)?.[1]
  return index === undefined
    ? `${term} ${part.slice(1)}${rest}`
    : `item ${Number(index) + 1} of ${term}${rest}`
}
