/** Reads the apps of a simulator: one of the options themselves, or several that differ from them. */
import { randomBytes } from 'node:crypto'
import { Secret } from '@brokerwire/core'
import type { Region } from '@brokerwire/core/endpoints'
import {
  describe,
  isRecord,
  type OptionFailure,
  ownOptions,
  requireKnownOptions,
  requireSecret,
} from '@brokerwire/core/internal'
import { readOneOf, requireText, shown } from './checks.ts'
import type { EmittedModuleEvent } from './events/emitted.ts'
import {
  APP_OPTION_NAMES,
  type AppOptions,
  type AppSettings,
  OWN_OPTIONS,
  type SimulatorOptions,
} from './options.ts'
import { DAY_MS, readersOf } from './readers.ts'
import { optionFailure } from './simulator-error.ts'
import type { SimulatorState } from './state/simulator-state.ts'
import type { RateLimit } from './tokens/rate-limit.ts'
import { accountId } from './wire/identifiers.ts'
import {
  INSTRUMENT_TEXTS,
  type Instrument,
  MARKETS,
  type Market,
  madeUpInstrument,
} from './wire/instruments.ts'
import { createWireRandom, deriveSeed } from './wire/random.ts'

const HISTORY_TEXTS = ['id', 'eventType', 'position', 'timestamp', 'version', 'payload'] as const
const MAX_APPS = 1000

/** Keys of apps that a state file knows, by name. */
type KnownApps = SimulatorState['apps']

/** @throws SimulatorError `SIMULATOR_OPTION_INVALID`; names of options begin with `apps[0].` and so on. */
export function readApps(
  options: SimulatorOptions,
  seed: number,
  known: KnownApps,
): readonly [AppSettings, ...AppSettings[]] {
  const { apps: given } = options
  if (given === undefined) return [readApp(options, optionFailure, { seed, name: 'app-1', known })]
  const all = Array.isArray(given) ? (given as readonly unknown[]) : []
  if (all.length === 0 || all.length > MAX_APPS) {
    throw optionFailure('apps', `an array of 1 to ${MAX_APPS} apps`, describe(given))
  }
  for (const name of OWN_OPTIONS) {
    if (options[name] === undefined) continue
    throw optionFailure(name, `it in one of apps, as apps[0].${name}`, 'it beside apps')
  }
  const common = Object.fromEntries(
    Object.entries(options).filter(([name]) => name !== 'name' && APP_OPTION_NAMES.includes(name)),
  )
  const [first, ...rest] = all.map((value, index) => {
    const fail: OptionFailure = (name, expected, received, message) =>
      optionFailure(`apps[${index}].${name}`, expected, received, message && `apps[${index}]: ${message}`)
    if (!isRecord(value)) throw optionFailure(`apps[${index}]`, 'an object', shown(value))
    const own = ownOptions(value)
    requireKnownOptions(fail, own, APP_OPTION_NAMES)
    const appSeed = index === 0 ? seed : deriveSeed(seed, 4096 + index)
    const set = Object.entries(own).filter(([, option]) => option !== undefined)
    return readApp({ ...common, ...Object.fromEntries(set) }, fail, {
      seed: appSeed,
      name: `app-${index + 1}`,
      known,
    })
  }) as [AppSettings, ...AppSettings[]]
  requireDistinct('appKey', [first, ...rest])
  requireDistinct('name', [first, ...rest])
  return [first, ...rest]
}

function requireDistinct(name: 'appKey' | 'name', apps: readonly AppSettings[]): void {
  const seen = new Map<string, number>()
  for (const [index, app] of apps.entries()) {
    const earlier = seen.get(app[name])
    if (earlier !== undefined) {
      throw optionFailure(`apps[${index}].${name}`, 'one that no other app has', `that of apps[${earlier}]`)
    }
    seen.set(app[name], index)
  }
}

/** @param fail - Names the option, with the app's place where there are several. */
function readApp(
  options: AppOptions,
  fail: OptionFailure,
  { seed, name: usual, known }: { readonly seed: number; readonly name: string; readonly known: KnownApps },
): AppSettings {
  const { integer, duration, flag } = readersOf(fail)
  const name = requireText(fail, 'name', options.name ?? usual)
  const earlier = known.get(name)
  const appKey = requireText(
    fail,
    'appKey',
    options.appKey ?? earlier?.appKey ?? randomBytes(16).toString('hex'),
  )
  // It is the value of a header.
  if (!/^[\x21-\x7e]+$/.test(appKey)) {
    throw fail('appKey', 'printable ASCII without spaces, as a header carries it', 'something else')
  }
  if (earlier !== undefined && earlier.appKey !== appKey) {
    throw fail('appKey', `that of ${name} in the state file`, 'another one')
  }
  const region = readOneOf(fail, 'region', options.region, ['hk', 'us'], 'us')
  return {
    name,
    seed,
    market: readMarket(fail, options.symbols, region, seed),
    environment: readOneOf(fail, 'environment', options.environment, ['sandbox', 'production'], 'production'),
    region,
    appKey,
    appSecret: new Secret(
      requireSecret(
        fail,
        'appSecret',
        options.appSecret ?? earlier?.appSecret ?? randomBytes(16).toString('hex'),
      ),
    ),
    accounts: readAccounts(fail, options.accounts, seed),
    secondFactor: readOneOf(fail, 'secondFactor', options.secondFactor, ['manual', 'automatic'], 'manual'),
    secondFactorDelayMs: duration('secondFactorDelayMs', options.secondFactorDelayMs, 1, 1),
    verificationWindowMs: duration('verificationWindowMs', options.verificationWindowMs, 300_000, 1),
    tokenValidityMs: duration('tokenValidityMs', options.tokenValidityMs, 15 * DAY_MS, 1),
    tokenIdleMs: duration('tokenIdleMs', options.tokenIdleMs, 15 * DAY_MS, 1),
    tokenRenewal: readOneOf(
      fail,
      'tokenRenewal',
      options.tokenRenewal,
      ['second-factor', 'normal'],
      'second-factor',
    ),
    createEndsEarlier: flag('createEndsEarlier', options.createEndsEarlier, false),
    tokenCheckEnabled: flag('tokenCheckEnabled', options.tokenCheckEnabled, true),
    clientTokenLifetimeMs: duration('clientTokenLifetimeMs', options.clientTokenLifetimeMs, 7_200_000, 1),
    refreshTokenLifetimeMs: duration(
      'refreshTokenLifetimeMs',
      options.refreshTokenLifetimeMs,
      15 * DAY_MS,
      1,
    ),
    rateLimit: readRateLimit(fail, options.rateLimit),
    maxConnections: integer('maxConnections', options.maxConnections, 1, 1_000_000, 5),
    slotLingerMs: duration('slotLingerMs', options.slotLingerMs, 0, 0),
    moduleHistory: readHistory(fail, options.moduleHistory),
  }
}

function readAccounts(fail: OptionFailure, value: unknown, seed: number): readonly [string, ...string[]] {
  if (value === undefined) {
    const random = createWireRandom(deriveSeed(seed, 0))
    return [accountId(random), accountId(random)]
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')) {
    const [first, ...rest] = value as string[]
    requireNoRepeat(fail, 'accounts', value as string[])
    if (first !== undefined) return [first, ...rest]
  }
  throw fail('accounts', 'a non-empty array of non-empty strings', describe(value))
}

function requireNoRepeat(fail: OptionFailure, option: string, names: readonly string[]): void {
  if (new Set(names).size < names.length) throw fail(option, 'each one once', 'one twice')
}

function readMarket(fail: OptionFailure, value: unknown, region: Region, seed: number): Market {
  const market = MARKETS[region]
  if (value === undefined) return market
  if (!Array.isArray(value) || value.length === 0) {
    throw fail('symbols', 'a non-empty array of symbols', shown(value))
  }
  const random = createWireRandom(deriveSeed(seed, 4))
  const [first, ...rest] = value.map((item: unknown, index): Instrument => {
    const place = `symbols[${index}]`
    const fields = isRecord(item) ? ownOptions(item) : { symbol: item }
    const named: OptionFailure = (name, expected, received, message) =>
      fail(`${place}.${name}`, expected, received, message && `${place}: ${message}`)
    requireKnownOptions(named, fields, [...INSTRUMENT_TEXTS, 'priceCents'])
    const symbol = requireText(named, 'symbol', fields.symbol)
    for (const name of INSTRUMENT_TEXTS) {
      const text = fields[name]
      if (text !== undefined && typeof text !== 'string') throw named(name, 'a string', shown(text))
    }
    const { integer } = readersOf(named)
    const drawn = madeUpInstrument(random, region, symbol)
    const priceCents = integer('priceCents', fields.priceCents, 200, 1_000_000_000, drawn.priceCents)
    const set = Object.entries(fields).filter(([, text]) => text !== undefined)
    return { ...drawn, ...Object.fromEntries(set), priceCents }
  }) as [Instrument, ...Instrument[]]
  requireNoRepeat(
    fail,
    'symbols',
    [first, ...rest].map(({ symbol }) => symbol),
  )
  return { ...market, instruments: [first, ...rest] }
}

function readHistory(fail: OptionFailure, value: unknown): readonly EmittedModuleEvent[] {
  if (value === undefined) return []
  const isEvent = (item: unknown): boolean =>
    isRecord(item) &&
    HISTORY_TEXTS.every((name) => typeof item[name] === 'string') &&
    typeof item.invented === 'boolean'
  if (Array.isArray(value) && value.every(isEvent)) return [...value]
  throw fail('moduleHistory', 'an array of module events as moduleEvents() gives them', describe(value))
}

function readRateLimit(fail: OptionFailure, value: unknown): RateLimit | false {
  const { integer, duration } = readersOf(fail)
  if (value === undefined) return { requests: 10, windowMs: 30_000 }
  if (value === false) return false
  if (!isRecord(value))
    throw fail('rateLimit', 'an object with requests and windowMs, or false', describe(value))
  const own = ownOptions(value)
  requireKnownOptions(fail, own, ['requests', 'windowMs'], 'rateLimit.')
  if (own.requests === undefined && own.windowMs === undefined) {
    throw fail('rateLimit', 'requests, windowMs or both, or false', 'neither')
  }
  return {
    requests: integer('rateLimit.requests', own.requests, 1, 1_000_000, 10),
    windowMs: duration('rateLimit.windowMs', own.windowMs, 30_000, 1),
  }
}
