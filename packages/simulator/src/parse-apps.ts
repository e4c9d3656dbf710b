/**
 * Reads the apps of a simulator: one app with the options of the simulator, or several apps that override
 * these options.
 */
import { randomBytes } from 'node:crypto'
import { Secret } from '@brokerwire/core'
import type { Region } from '@brokerwire/core/endpoints'
import {
  array,
  boolean,
  custom,
  type FieldsOf,
  type InferFields,
  integer,
  isRecord,
  type OptionFailure,
  oneOf,
  optional,
  readOptions,
  received,
  revealSecret,
  type Schema,
  secret,
  string,
  typeName,
  unchecked,
} from '@brokerwire/core/internal'
import { DAY_MS, milliseconds } from './durations.ts'
import type { EmittedModuleEvent } from './events/emitted.ts'
import { type AppOptions, type AppSettings, PER_APP_OPTIONS, type SimulatorOptions } from './options.ts'
import { optionFailure } from './simulator-error.ts'
import type { SimulatorState } from './state/simulator-state.ts'
import type { RateLimitSettings } from './tokens/rate-limit.ts'
import { randomAccountId } from './wire/identifiers.ts'
import {
  generateInstrument,
  INSTRUMENT_STRINGS,
  type Instrument,
  MARKETS,
  type Market,
} from './wire/instruments.ts'
import { createWireRandom, deriveSeed } from './wire/random.ts'

const HISTORY_STRINGS = ['id', 'eventType', 'position', 'timestamp', 'version', 'payload'] as const
const MAX_APPS = 1000

/** App keys and secrets in a state file, by app name. */
type StoredApps = SimulatorState['apps']

const accounts: Schema<readonly string[]> = (value, path, fail) => {
  const read = array(string(), { expected: 'a non-empty array of non-empty strings' })(value, path, fail)
  requireUnique(fail, path, read)
  return read
}

const RATE_LIMIT_OPTIONS = {
  requests: integer({ min: 1, max: 1_000_000, default: 10 }),
  windowMs: milliseconds(30_000, 1),
  clientRequests: integer({ min: 1, max: 1_000_000, default: 600 }),
  clientWindowMs: milliseconds(60_000, 1),
}
const rateLimit: Schema<RateLimitSettings | false> = (value, path, fail) => {
  if (value === false) return false
  if (value === undefined) return readOptions(fail, {}, RATE_LIMIT_OPTIONS, path)
  if (isRecord(value) && Object.keys(value).length > 0)
    return readOptions(fail, value, RATE_LIMIT_OPTIONS, path)
  throw fail(
    path,
    'false or an object with requests, windowMs, clientRequests or clientWindowMs',
    received(value),
  )
}

const moduleHistory = custom<readonly EmittedModuleEvent[]>(
  'an array of module events that moduleEvents() returned',
  (value) =>
    Array.isArray(value) &&
    value.every(
      (item: unknown) =>
        isRecord(item) &&
        HISTORY_STRINGS.every((name) => typeof item[name] === 'string') &&
        typeof item.invented === 'boolean',
    ),
)

/** Schemas of {@link AppOptions}, except the name. */
export const APP_OPTIONS = {
  environment: oneOf(['sandbox', 'production'], 'production'),
  region: oneOf(['hk', 'us'], 'us'),
  // The app key is sent in an HTTP header, so only characters that a header value allows are accepted.
  appKey: optional(string({ pattern: /^[\x21-\x7e]+$/, expected: 'printable ASCII without spaces' })),
  appSecret: optional(secret),
  accounts: optional(accounts),
  symbols: unchecked<AppOptions['symbols']>(),
  secondFactor: oneOf(['manual', 'automatic'], 'manual'),
  secondFactorDelayMs: milliseconds(1, 1),
  verificationWindowMs: milliseconds(300_000, 1),
  tokenValidityMs: milliseconds(15 * DAY_MS, 1),
  tokenIdleMs: milliseconds(15 * DAY_MS, 1),
  tokenRenewal: oneOf(['second-factor', 'normal'], 'second-factor'),
  revokePreviousOnCreate: boolean(false),
  tokenCheckEnabled: boolean(true),
  clientTokenLifetimeMs: milliseconds(7_200_000, 1),
  refreshTokenLifetimeMs: milliseconds(15 * DAY_MS, 1),
  rateLimit,
  maxConnections: integer({ min: 1, max: 1_000_000, default: 5 }),
  slotLingerMs: milliseconds(0),
  oneTradeSubscription: boolean(false),
  moduleHistory: optional(moduleHistory),
} satisfies FieldsOf<Omit<AppOptions, 'name'>>

const NAMED_APP_OPTIONS = { name: optional(string()), ...APP_OPTIONS } satisfies FieldsOf<AppOptions>

type ParsedAppOptions = InferFields<typeof APP_OPTIONS>

/**
 * Reads the apps.
 *
 * @param options - Options of the simulator, which are the defaults of each app.
 * @throws SimulatorError `SIMULATOR_OPTION_INVALID`; names of an app's options start with `apps[0].` and so on.
 */
export function readApps(
  options: ParsedAppOptions & Pick<SimulatorOptions, 'apps'>,
  seed: number,
  known: StoredApps,
): readonly [AppSettings, ...AppSettings[]] {
  const { apps: given } = options
  const names = Object.keys(APP_OPTIONS) as (keyof ParsedAppOptions)[]
  const common = Object.fromEntries(names.map((name) => [name, options[name]])) as unknown as ParsedAppOptions
  if (given === undefined) return [readApp(common, '', { seed, name: 'app-1', known })]
  const all = Array.isArray(given) ? (given as readonly unknown[]) : []
  if (all.length === 0 || all.length > MAX_APPS) {
    throw optionFailure('apps', `an array of 1 to ${MAX_APPS} apps`, typeName(given))
  }
  for (const name of PER_APP_OPTIONS) {
    if (options[name] === undefined) continue
    const message = `${name} must not be set together with apps; set apps[0].${name}`
    throw optionFailure(name, 'undefined', 'a value', message)
  }
  const [first, ...rest] = all.map((value, index) => {
    const path = `apps[${index}]`
    if (!isRecord(value)) throw optionFailure(path, 'an object', received(value))
    const set = Object.entries(value).filter(([, option]) => option !== undefined)
    const app = readOptions(optionFailure, { ...common, ...Object.fromEntries(set) }, NAMED_APP_OPTIONS, path)
    const appSeed = index === 0 ? seed : deriveSeed(seed, 4096 + index)
    return readApp(app, `${path}.`, { seed: appSeed, name: app.name ?? `app-${index + 1}`, known })
  }) as [AppSettings, ...AppSettings[]]
  requireUniqueApps('appKey', [first, ...rest])
  requireUniqueApps('name', [first, ...rest])
  return [first, ...rest]
}

function requireUniqueApps(name: 'appKey' | 'name', apps: readonly AppSettings[]): void {
  const seen = new Map<string, number>()
  for (const [index, app] of apps.entries()) {
    const earlier = seen.get(app[name])
    if (earlier !== undefined) {
      throw optionFailure(`apps[${index}].${name}`, 'different for each app', `that of apps[${earlier}]`)
    }
    seen.set(app[name], index)
  }
}

/** @param parent - Prefix of option names in messages. */
function readApp(
  options: ParsedAppOptions,
  parent: string,
  { seed, name, known }: { readonly seed: number; readonly name: string; readonly known: StoredApps },
): AppSettings {
  const earlier = known.get(name)
  const appKey = options.appKey ?? earlier?.appKey ?? randomBytes(16).toString('hex')
  if (earlier !== undefined && earlier.appKey !== appKey) {
    throw optionFailure(`${parent}appKey`, `the app key of ${name} in the state file`, 'another one')
  }
  const appSecret = options.appSecret ?? earlier?.appSecret ?? randomBytes(16).toString('hex')
  return {
    ...options,
    name,
    seed,
    market: readMarket(`${parent}symbols`, options.symbols, options.region, seed),
    appKey,
    appSecret: new Secret(revealSecret(appSecret) ?? ''),
    accounts: resolveAccounts(options.accounts, seed),
    moduleHistory: options.moduleHistory ?? [],
  }
}

function resolveAccounts(given: readonly string[] | undefined, seed: number): readonly [string, ...string[]] {
  const [first, ...rest] = given ?? []
  if (first !== undefined) return [first, ...rest]
  const random = createWireRandom(deriveSeed(seed, 0))
  return [randomAccountId(random), randomAccountId(random)]
}

function requireUnique(fail: OptionFailure, option: string, names: readonly string[]): void {
  if (new Set(names).size < names.length) throw fail(option, 'a list of different names', 'a duplicate name')
}

const text = custom<string>('a string', (value) => typeof value === 'string')
const INSTRUMENT_OPTIONS: Readonly<Record<string, Schema<unknown>>> = {
  ...Object.fromEntries(INSTRUMENT_STRINGS.map((name) => [name, optional(text)])),
  symbol: string(),
  priceCents: optional(integer({ min: 200, max: 1_000_000_000 })),
}

function readMarket(path: string, value: unknown, region: Region, seed: number): Market {
  const market = MARKETS[region]
  if (value === undefined) return market
  if (!Array.isArray(value) || value.length === 0) {
    throw optionFailure(path, 'a non-empty array of symbols', received(value))
  }
  const random = createWireRandom(deriveSeed(seed, 4))
  const [first, ...rest] = value.map((item: unknown, index): Instrument => {
    const given = isRecord(item) ? item : { symbol: item }
    const fields = readOptions(optionFailure, given, INSTRUMENT_OPTIONS, `${path}[${index}]`)
    const set = Object.entries(fields).filter(([, field]) => field !== undefined)
    return { ...generateInstrument(random, region, String(fields.symbol)), ...Object.fromEntries(set) }
  }) as [Instrument, ...Instrument[]]
  requireUnique(
    optionFailure,
    path,
    [first, ...rest].map(({ symbol }) => symbol),
  )
  return { ...market, instruments: [first, ...rest] }
}
