/** The options of `startSimulator`, and their one reading. */
import { randomBytes } from 'node:crypto'
import {
  type Clock,
  describe,
  isRecord,
  readInteger,
  readOneOf,
  requireSecret,
  requireText,
  Secret,
  type SecretInput,
  systemClock,
} from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import type { HeaderCollision, NameOrder, SignatureAlgorithm } from '@brokerwire/signer'
import type { EmittedModuleEvent } from './events/emitted.ts'
import type { TlsOptions } from './grpc/server.ts'
import { SCENARIO_NAMES, type Scenario, type ScenarioName } from './scenario/scenario.ts'
import { optionFailure } from './simulator-error.ts'
import type { RateLimit } from './tokens/rate-limit.ts'
import { accountId } from './wire/identifiers.ts'
import { createWireRandom, deriveSeed } from './wire/random.ts'
import type { Sloppiness } from './wire/sloppiness.ts'

/** Options of {@link startSimulator}. Read once: changing the object later changes nothing. */
export interface SimulatorOptions {
  /** Production makes a second factor part of every new token. @defaultValue 'production' */
  readonly environment?: Environment | undefined
  /** Decides instruments, currency and offsets. @defaultValue 'us' */
  readonly region?: Region | undefined
  /** @defaultValue drawn by the host's cryptographic source */
  readonly appKey?: string | undefined
  /** @defaultValue drawn by the host's cryptographic source */
  readonly appSecret?: SecretInput | undefined
  /** Seed of all wire data. @defaultValue 1 */
  readonly seed?: number | undefined
  /** Time of everything: tokens, limits, pings, scenarios, timestamps. @defaultValue the host's */
  readonly clock?: Clock | undefined
  /** Accounts of the app. @defaultValue two, drawn from the seed */
  readonly accounts?: readonly string[] | undefined

  /** 0: any free port. @defaultValue 0 */
  readonly httpPort?: number | undefined
  /** Of the trade and position streams. @defaultValue 0 */
  readonly eventsPort?: number | undefined
  /** Of the module stream; `'shared'`: the same port as `eventsPort`. @defaultValue 0 */
  readonly moduleEventsPort?: number | 'shared' | undefined
  /** Serves HTTPS and HTTP/2 over TLS. @defaultValue clear text */
  readonly tls?: TlsOptions | undefined
  /** Opens `/_simulator/*` for other processes on this machine. @defaultValue false */
  readonly control?: boolean | undefined

  /** Who completes the second factor: `approveSecondFactor()`, or the simulator. @defaultValue 'manual' */
  readonly secondFactor?: 'manual' | 'automatic' | undefined
  /** Automatic: how long after the create, at least 1. @defaultValue 1 */
  readonly secondFactorDelayMs?: number | undefined
  /** Time for the second factor. @defaultValue 300000 (specification) */
  readonly verificationWindowMs?: number | undefined
  /** Validity of an access token. @defaultValue 15 days (specification) */
  readonly tokenValidityMs?: number | undefined
  /** A token without a call for this long is INVALID. @defaultValue 15 days (facts) */
  readonly tokenIdleMs?: number | undefined
  /** What a create with a usable previous token gives in production. @defaultValue 'second-factor' */
  readonly tokenRenewal?: 'second-factor' | 'normal' | undefined
  /** Whether a create ends the earlier tokens: not published. @defaultValue false */
  readonly createEndsEarlier?: boolean | undefined
  /** Name of the expiry in access token records. @defaultValue 'expires_at' (specification) */
  readonly expiryField?: 'expires_at' | 'expires' | 'both' | undefined
  /** Writes expiries as text. @defaultValue false */
  readonly expiryAsText?: boolean | undefined
  /** What `GET /openapi/config` says, and whether a token is needed. @defaultValue true */
  readonly tokenCheckEnabled?: boolean | undefined
  /** Lifetime of a client access token. @defaultValue 2 hours (specification) */
  readonly clientTokenLifetimeMs?: number | undefined
  /** Lifetime of a refresh token. @defaultValue 15 days (specification) */
  readonly refreshTokenLifetimeMs?: number | undefined
  /** Of the token endpoints, per app key. @defaultValue 10 requests per 30000 ms (specification) */
  readonly rateLimit?: RateLimit | false | undefined

  /** Tolerance of timestamps, and how long nonces are remembered. @defaultValue 300000 */
  readonly signatureWindowMs?: number | undefined
  /** Algorithms that are accepted. @defaultValue both */
  readonly algorithms?: readonly SignatureAlgorithm[] | undefined
  /** As in the signer. @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** As in the signer. @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
  /** Longest request body. @defaultValue 1048576 */
  readonly maxRequestBytes?: number | undefined

  /** Event connections of an app key, over both services. @defaultValue 5 (facts) */
  readonly maxConnections?: number | undefined
  /** How long a lost connection keeps its slot; seen on the service: about a minute. @defaultValue 0 */
  readonly slotLingerMs?: number | undefined
  /** 0: no pings. @defaultValue 60000 (facts) */
  readonly pingIntervalMs?: number | undefined
  /** A subscription ends with SubscribeExpired after this long. 0: never. @defaultValue 0 */
  readonly subscriptionLifetimeMs?: number | undefined
  /** Accepts sums of subscribeTypes, as the public clients send. @defaultValue false */
  readonly subscribeTypeSums?: boolean | undefined
  /** Whether streams need `x-access-token`. @defaultValue 'ignored' */
  readonly streamAccessToken?: 'ignored' | 'required' | undefined
  /** Whether a cursor's own event is replayed: not published. @defaultValue 'exclusive' */
  readonly cursor?: 'exclusive' | 'inclusive' | undefined
  /** What a cursor that is unknown or too old gives. @defaultValue 'refuse': gRPC OUT_OF_RANGE */
  readonly unknownCursor?: 'refuse' | 'from-now' | 'from-start' | undefined
  /** Events that each log keeps at least. @defaultValue 200000 */
  readonly retainedEvents?: number | undefined
  /**
   * Module events of an earlier simulator with the same seed, as its `moduleEvents()` gave them from the first one on:
   * its cursors stay good. @defaultValue none
   */
  readonly moduleHistory?: readonly EmittedModuleEvent[] | undefined

  /**
   * Whether an accepted order is announced. The specification has no scene type for it: the event carries
   * `order_status: SUBMITTED` and no `scene_type`, and is marked `invented`. @defaultValue true
   */
  readonly placedEvents?: boolean | undefined
  /** Puts the deviations of published examples into payloads. @defaultValue 'none' */
  readonly sloppiness?: Sloppiness | undefined
  /** Event type of SOD events: not published. @defaultValue 'SOD' */
  readonly sodEventType?: string | undefined
  /** What runs from the start. @defaultValue nothing */
  readonly scenario?: ScenarioName | Scenario | undefined
  /** Between two steps of a named scenario. @defaultValue 250 */
  readonly scenarioIntervalMs?: number | undefined
}

type Read<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> }

/** Options with their defaults. `tls` and `scenario` may be absent. */
export type SimulatorSettings = Omit<
  Read<SimulatorOptions>,
  'appSecret' | 'accounts' | 'tls' | 'scenario'
> & {
  readonly appSecret: Secret
  readonly accounts: readonly [string, ...string[]]
  readonly tls: TlsOptions | undefined
  readonly scenario: ScenarioName | Scenario | undefined
}

const HISTORY_TEXTS = ['id', 'eventType', 'position', 'timestamp', 'version', 'payload'] as const
const DAY_MS = 86_400_000
const LONGEST_MS = 10_000 * DAY_MS
const fail = optionFailure

/**
 * Reads the options.
 *
 * @throws SimulatorError `SIMULATOR_OPTION_INVALID`
 */
export function readOptions(options: SimulatorOptions): SimulatorSettings {
  const seed = integer('seed', options.seed, 0, 4_294_967_295, 1)
  return {
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

    moduleHistory: readHistory(options.moduleHistory),

    placedEvents: flag('placedEvents', options.placedEvents, true),
    sloppiness: readOneOf(fail, 'sloppiness', options.sloppiness, ['none', 'as-seen'], 'none'),
    sodEventType: requireText(fail, 'sodEventType', options.sodEventType ?? 'SOD'),
    scenario: readScenario(options.scenario),
    scenarioIntervalMs: duration('scenarioIntervalMs', options.scenarioIntervalMs, 250, 0),
  }
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
  if (value === undefined) return fallback
  if (typeof value === 'boolean') return value
  throw fail(name, 'true or false', describe(value))
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
