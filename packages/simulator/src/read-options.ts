/** Reads the options of `startSimulator` once, each by name, with its default. */
import { randomBytes } from 'node:crypto'
import {
  type Clock,
  describe,
  isRecord,
  ownOptions,
  requireKnownOptions,
  requireSecret,
  Secret,
  systemClock,
} from '@brokerwire/core'
import type { SignatureAlgorithm } from '@brokerwire/signer'
import { readBoolean, readInteger, readOneOf, requireText } from './checks.ts'
import type { EmittedModuleEvent } from './events/emitted.ts'
import type { TlsOptions } from './grpc/server.ts'
import type { SimulatorOptions, SimulatorSettings } from './options.ts'
import { SCENARIO_NAMES, type Scenario, type ScenarioName } from './scenario/scenario.ts'
import { optionFailure } from './simulator-error.ts'
import type { RateLimit } from './tokens/rate-limit.ts'
import { accountId } from './wire/identifiers.ts'
import { createWireRandom, deriveSeed } from './wire/random.ts'

const HISTORY_TEXTS = ['id', 'eventType', 'position', 'timestamp', 'version', 'payload'] as const
const DAY_MS = 86_400_000
const LONGEST_MS = 10_000 * DAY_MS
const fail = optionFailure

/**
 * Reads the options.
 *
 * @throws SimulatorError `SIMULATOR_OPTION_INVALID`
 */
export function readOptions(all: SimulatorOptions): SimulatorSettings {
  const given = ownOptions(all)
  const compatibility = readOneOf(
    fail,
    'compatibility',
    given.compatibility,
    ['specification', 'official-clients'],
    'specification',
  )
  const options = ownOptions({ ...given, ...presetOf(compatibility, given) })
  const seed = integer('seed', options.seed, 0, 4_294_967_295, 1)
  const settings: SimulatorSettings = {
    environment: readOneOf(fail, 'environment', options.environment, ['sandbox', 'production'], 'production'),
    region: readOneOf(fail, 'region', options.region, ['hk', 'us'], 'us'),
    appKey: requireText(fail, 'appKey', options.appKey ?? randomBytes(16).toString('hex')),
    appSecret: new Secret(
      requireSecret(fail, 'appSecret', options.appSecret ?? randomBytes(16).toString('hex')),
    ),
    seed,
    clock: readClock(options.clock),
    accounts: readAccounts(options.accounts, seed),

    httpPort: port('httpPort', options.httpPort),
    eventsPort: port('eventsPort', options.eventsPort),
    moduleEventsPort:
      options.moduleEventsPort === 'shared' ? 'shared' : port('moduleEventsPort', options.moduleEventsPort),
    tls: readTls(options.tls),
    compatibility,
    control: flag('control', options.control, false),

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
    expiryField: readOneOf(
      fail,
      'expiryField',
      options.expiryField,
      ['expires_at', 'expires', 'both'],
      'expires_at',
    ),
    expiryAsText: flag('expiryAsText', options.expiryAsText, false),
    tokenRefresh: flag('tokenRefresh', options.tokenRefresh, false),
    tokenCheckEnabled: flag('tokenCheckEnabled', options.tokenCheckEnabled, true),
    clientTokenLifetimeMs: duration('clientTokenLifetimeMs', options.clientTokenLifetimeMs, 7_200_000, 1),
    refreshTokenLifetimeMs: duration(
      'refreshTokenLifetimeMs',
      options.refreshTokenLifetimeMs,
      15 * DAY_MS,
      1,
    ),
    rateLimit: readRateLimit(options.rateLimit),

    signatureWindowMs: integer('signatureWindowMs', options.signatureWindowMs, 0, DAY_MS, 300_000),
    algorithms: readAlgorithms(options.algorithms),
    headerCollision: readOneOf(
      fail,
      'headerCollision',
      options.headerCollision,
      ['sorted', 'header-first'],
      'sorted',
    ),
    nameOrder: readOneOf(fail, 'nameOrder', options.nameOrder, ['code-point', 'utf-16'], 'code-point'),
    nonceForm: readOneOf(fail, 'nonceForm', options.nonceForm, ['hex32', 'any'], 'hex32'),
    hostPort: readOneOf(fail, 'hostPort', options.hostPort, ['signed', 'optional'], 'signed'),
    maxRequestBytes: integer('maxRequestBytes', options.maxRequestBytes, 1, 1_073_741_824, 1_048_576),

    maxConnections: integer('maxConnections', options.maxConnections, 1, 1_000_000, 5),
    slotLingerMs: duration('slotLingerMs', options.slotLingerMs, 0, 0),
    pingIntervalMs: duration('pingIntervalMs', options.pingIntervalMs, 60_000, 0),
    subscriptionLifetimeMs: duration('subscriptionLifetimeMs', options.subscriptionLifetimeMs, 0, 0),
    subscribeTypeSums: flag('subscribeTypeSums', options.subscribeTypeSums, false),
    streamAccessToken: readOneOf(
      fail,
      'streamAccessToken',
      options.streamAccessToken,
      ['ignored', 'required'],
      'ignored',
    ),
    cursor: readOneOf(fail, 'cursor', options.cursor, ['exclusive', 'inclusive'], 'exclusive'),
    unknownCursor: readOneOf(
      fail,
      'unknownCursor',
      options.unknownCursor,
      ['refuse', 'from-now', 'from-start'],
      'refuse',
    ),
    retainedEvents: integer('retainedEvents', options.retainedEvents, 1, 10_000_000, 200_000),
    retainedBytes: integer('retainedBytes', options.retainedBytes, 1, 68_719_476_736, 268_435_456),

    moduleHistory: readHistory(options.moduleHistory),

    placedEvents: flag('placedEvents', options.placedEvents, true),
    sloppiness: readOneOf(fail, 'sloppiness', options.sloppiness, ['none', 'as-seen'], 'none'),
    sodEventType: requireText(fail, 'sodEventType', options.sodEventType ?? 'SOD'),
    scenario: readScenario(options.scenario),
    scenarioIntervalMs: duration('scenarioIntervalMs', options.scenarioIntervalMs, 250, 0),
  }
  requireKnownOptions(fail, given, Object.keys(settings))
  return settings
}

/** Facts, "The official Python client as a guest". What the caller gives goes before. */
const OFFICIAL_CLIENTS = {
  nonceForm: 'any',
  hostPort: 'optional',
  expiryField: 'both',
  subscribeTypeSums: true,
} as const satisfies SimulatorOptions

function presetOf(
  compatibility: SimulatorSettings['compatibility'],
  given: SimulatorOptions,
): Partial<typeof OFFICIAL_CLIENTS> {
  if (compatibility === 'specification') return {}
  const names = Object.keys(OFFICIAL_CLIENTS) as (keyof typeof OFFICIAL_CLIENTS)[]
  return Object.fromEntries(
    names.filter((name) => given[name] === undefined).map((name) => [name, OFFICIAL_CLIENTS[name]]),
  )
}

/** A scenario by name or as steps. */
export function readScenario(
  value: ScenarioName | Scenario | undefined,
): ScenarioName | Scenario | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string') return readOneOf(fail, 'scenario', value, SCENARIO_NAMES)
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) return value
  throw fail('scenario', 'the name of a scenario or an iterable of steps', describe(value))
}

function integer(name: string, value: unknown, min: number, max: number, fallback: number): number {
  return readInteger(fail, name, value, { min, max, fallback })
}

function duration(name: string, value: unknown, fallback: number, min: number): number {
  return integer(name, value, min, LONGEST_MS, fallback)
}

function port(name: string, value: unknown): number {
  return integer(name, value, 0, 65_535, 0)
}

function flag(name: string, value: unknown, fallback: boolean): boolean {
  return readBoolean(fail, name, value, fallback)
}

function readClock(value: unknown): Clock {
  if (value === undefined) return systemClock
  if (isRecord(value) && typeof value.now === 'function' && typeof value.setTimer === 'function') {
    return value as unknown as Clock
  }
  throw fail('clock', 'an object with now() and setTimer()', describe(value))
}

function readAccounts(value: unknown, seed: number): readonly [string, ...string[]] {
  if (value === undefined) {
    const random = createWireRandom(deriveSeed(seed, 0))
    return [accountId(random), accountId(random)]
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')) {
    const [first, ...rest] = value as string[]
    if (first !== undefined) return [first, ...rest]
  }
  throw fail('accounts', 'a non-empty array of non-empty strings', describe(value))
}

function readHistory(value: unknown): readonly EmittedModuleEvent[] {
  if (value === undefined) return []
  const isEvent = (item: unknown): boolean =>
    isRecord(item) &&
    HISTORY_TEXTS.every((name) => typeof item[name] === 'string') &&
    typeof item.invented === 'boolean'
  if (Array.isArray(value) && value.every(isEvent)) return [...value]
  throw fail('moduleHistory', 'an array of module events as moduleEvents() gives them', describe(value))
}

function readTls(value: unknown): TlsOptions | undefined {
  if (value === undefined) return undefined
  if (isRecord(value)) requireKnownOptions(fail, value, ['key', 'cert'])
  if (isRecord(value) && typeof value.key === 'string' && typeof value.cert === 'string') {
    return { key: value.key, cert: value.cert }
  }
  throw fail('tls', 'an object with key and cert, both PEM texts', describe(value))
}

function readRateLimit(value: unknown): RateLimit | false {
  if (value === undefined) return { requests: 10, windowMs: 30_000 }
  if (value === false) return false
  if (!isRecord(value))
    throw fail('rateLimit', 'an object with requests and windowMs, or false', describe(value))
  requireKnownOptions(fail, value, ['requests', 'windowMs'])
  return {
    requests: integer('rateLimit.requests', value.requests, 1, 1_000_000, 10),
    windowMs: duration('rateLimit.windowMs', value.windowMs, 30_000, 1),
  }
}

function readAlgorithms(value: unknown): readonly SignatureAlgorithm[] {
  const all = ['HMAC-SHA1', 'HMAC-SHA256'] as const
  if (value === undefined) return all
  if (!Array.isArray(value) || value.length === 0) {
    throw fail('algorithms', 'a non-empty array of algorithms', describe(value))
  }
  return value.map((item) => readOneOf(fail, 'algorithms', item, all))
}
