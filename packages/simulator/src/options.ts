/** The options of `startSimulator`. What reads them, with every default, is `read-options.ts`. */
import type { Clock, Secret, SecretInput } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'
import type { HeaderCollision, NameOrder, SignatureAlgorithm } from '@brokerwire/signer'
import type { EmittedModuleEvent } from './events/emitted.ts'
import type { QuotesSimulation, QuotesSimulationOptions } from './quotes/quotes-options.ts'
import type { Scenario, ScenarioName } from './scenario/scenario.ts'
import type { TlsOptions } from './tls/tls-options.ts'
import type { RateLimit, RateLimitSettings } from './tokens/rate-limit.ts'
import type { Instrument, Market } from './wire/instruments.ts'
import type { Sloppiness } from './wire/sloppiness.ts'

/** A symbol that can be traded. What is left out is made up, the same for the same seed. */
export type TradableSymbol = Pick<Instrument, 'symbol'> & Partial<Instrument>

/** Options that each app of a simulator may set for itself. */
const SHARED_OPTIONS = [
  'environment',
  'region',
  'appKey',
  'appSecret',
  'accounts',
  'symbols',
  'secondFactor',
  'secondFactorDelayMs',
  'verificationWindowMs',
  'tokenValidityMs',
  'tokenIdleMs',
  'tokenRenewal',
  'createEndsEarlier',
  'tokenCheckEnabled',
  'clientTokenLifetimeMs',
  'refreshTokenLifetimeMs',
  'rateLimit',
  'maxConnections',
  'slotLingerMs',
  'oneTradeSubscription',
  'moduleHistory',
] as const satisfies readonly (keyof SimulatorOptions)[]

/** Options that two apps never share. */
export const OWN_OPTIONS = ['appKey', 'appSecret', 'accounts', 'moduleHistory'] as const

/** Options of one of several apps. What is left out is as the simulator's own options say. */
export type AppOptions = Pick<SimulatorOptions, (typeof SHARED_OPTIONS)[number]> & {
  /** How `simulator.app(name)`, scenarios and other processes call it. @defaultValue `app-1`, `app-2`, ... */
  readonly name?: string | undefined
}

/** Options of {@link startSimulator}. Read once: changing the object later changes nothing. */
export interface SimulatorOptions {
  /**
   * Several apps in one simulator, each with its own key, region, environment, accounts, limits, slots, tokens, customers
   * and events. What an app leaves out is as the options beside it say. `appKey`, `appSecret`, `accounts` and
   * `moduleHistory` then stand in the apps alone. @defaultValue one, of the options beside it
   */
  readonly apps?: readonly AppOptions[] | undefined
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
  /**
   * Time of everything: tokens, limits, pings, scenarios, timestamps.
   * @defaultValue the host's, which `advance()` moves on
   */
  readonly clock?: Clock | undefined
  /** Accounts of the app. @defaultValue two, drawn from the seed */
  readonly accounts?: readonly string[] | undefined
  /**
   * What can be traded: symbols, or instruments of which `symbol` alone is needed. @defaultValue a few of the region
   */
  readonly symbols?: readonly (string | TradableSymbol)[] | undefined

  /** 0: any free port. @defaultValue 0 */
  readonly httpPort?: number | undefined
  /** Of the trade and position streams. @defaultValue 0 */
  readonly eventsPort?: number | undefined
  /** Of the module stream; `'shared'`: the same port as `eventsPort`. @defaultValue 0 */
  readonly moduleEventsPort?: number | 'shared' | undefined
  /** Serves HTTPS and HTTP/2 over TLS. @defaultValue clear text */
  readonly tls?: TlsOptions | undefined
  /**
   * Defaults of other options: `'official-clients'` takes what the public clients of the service send beyond the
   * specification, and answers as they read. It sets `nonceForm: 'any'`, `hostPort: 'optional'`, `expiryField: 'both'`
   * and `subscribeTypeSums: true`; what is given beside it goes before. @defaultValue 'specification'
   */
  readonly compatibility?: 'specification' | 'official-clients' | undefined
  /**
   * An IP address to listen on, such as `0.0.0.0`. One beyond this machine needs `tls` or `allowInsecure`; control stays
   * on the loopback interface in any case. @defaultValue '127.0.0.1'
   */
  readonly listen?: string | undefined
  /** Serves clear text beyond this machine: whoever listens there reads app keys and tokens. @defaultValue false */
  readonly allowInsecure?: boolean | undefined
  /** Lets other processes on this machine steer it, at `controlUrl` with `controlToken`. @defaultValue false */
  readonly control?: boolean | undefined
  /** 0: any free port. @defaultValue 0 */
  readonly controlPort?: number | undefined

  /**
   * Serves a page at `consoleUrl`, on the loopback interface, that shows what happens and steers it, for whoever has the
   * `consoleToken`. Every verdict on a signature is then explained, which costs a second digest of each body.
   *
   * @defaultValue false
   */
  readonly console?: boolean | undefined
  /** 0: the last one of `stateFile` or `consoleFile` where it is free, else any free port. @defaultValue 0 */
  readonly consolePort?: number | undefined
  /**
   * A file, mode 600, in which token and port of the console are kept: a page that is open comes back by itself after a
   * restart. A file that others can read is replaced, with a new token. Where it cannot be written, nothing is kept.
   *
   * @defaultValue none
   */
  readonly consoleFile?: string | undefined

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
  /**
   * Serves `POST /openapi/auth/token/refresh`, which the public clients define and never call: a NORMAL token gives a
   * new one without a second factor. @defaultValue false
   */
  readonly tokenRefresh?: boolean | undefined
  /** What `GET /openapi/config` says, and whether a token is needed. @defaultValue true */
  readonly tokenCheckEnabled?: boolean | undefined
  /** Lifetime of a client access token. @defaultValue 2 hours (specification) */
  readonly clientTokenLifetimeMs?: number | undefined
  /** Lifetime of a refresh token. @defaultValue 15 days (specification) */
  readonly refreshTokenLifetimeMs?: number | undefined
  /**
   * Of the token endpoints, per app key; `false`: none. @defaultValue 10 requests in 30000 ms for the calls about access
   * tokens together (specification); 600 in 60000 ms for creates of client tokens, and as many refreshes (published)
   */
  readonly rateLimit?: RateLimit | false | undefined

  /** Tolerance of timestamps, and how long nonces are remembered. @defaultValue 300000 */
  readonly signatureWindowMs?: number | undefined
  /** Algorithms that are accepted. @defaultValue both */
  readonly algorithms?: readonly SignatureAlgorithm[] | undefined
  /** As in the signer. @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** As in the signer. @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
  /**
   * Form of nonces: the specification's 32 lower-case hexadecimal digits, or any visible text.
   * @defaultValue 'hex32'
   */
  readonly nonceForm?: 'hex32' | 'any' | undefined
  /**
   * Whether the port of a `Host` must have been signed, where it is no default one: the official Python client leaves
   * it out. @defaultValue 'signed' (specification)
   */
  readonly hostPort?: 'signed' | 'optional' | undefined
  /** Longest request body. @defaultValue 1048576 */
  readonly maxRequestBytes?: number | undefined

  /** Event connections of an app key, over both services. @defaultValue 5 (facts) */
  readonly maxConnections?: number | undefined
  /** How long a lost connection keeps its slot; seen on the service: about a minute. @defaultValue 0 */
  readonly slotLingerMs?: number | undefined
  /**
   * Allows an app key one open trade subscription (orders, positions, or both). A second one ends with the gRPC status
   * RESOURCE_EXHAUSTED, takes no connection slot, and leaves the first one open. One client reports this of the `us`
   * sandbox. @defaultValue false
   */
  readonly oneTradeSubscription?: boolean | undefined
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
  /** Events that each log keeps. @defaultValue 200000 */
  readonly retainedEvents?: number | undefined
  /** Fewer where they are large: the bytes that each log keeps; the newest event in any case. @defaultValue 256 MiB */
  readonly retainedBytes?: number | undefined
  /**
   * Module events of an earlier simulator with the same seed, as its `moduleEvents()` gave them from the first one on:
   * its cursors stay good. @defaultValue none
   */
  readonly moduleHistory?: readonly EmittedModuleEvent[] | undefined

  /**
   * Market data: an MQTT broker over TCP and WebSocket, and the subscribe calls. `true`: as `{}`. Its parts are at
   * `simulator.quotes`. @defaultValue none
   */
  readonly quotes?: boolean | QuotesSimulationOptions | undefined

  /**
   * A file in which tokens, customers, events, cursors, used nonces and the clock's offset are kept, so that a restart, or
   * a SIGKILL, loses nothing that was answered. It is made with mode 0600, because it holds the app secrets and tokens,
   * and refused where others can read it. App keys that are not given are those of the file. @defaultValue none
   */
  readonly stateFile?: string | undefined

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

/** The options of one app with their defaults. */
export type AppSettings = Omit<Read<AppOptions>, 'appSecret' | 'accounts' | 'symbols' | 'rateLimit'> & {
  readonly rateLimit: RateLimitSettings | false
  readonly appSecret: Secret
  readonly accounts: readonly [string, ...string[]]
  readonly market: Market
  /** Seed of its wire data. */
  readonly seed: number
}

/** Options with their defaults. `tls`, `quotes`, `scenario` and `consoleFile` may be absent. */
export type SimulatorSettings = Omit<
  Read<SimulatorOptions>,
  'apps' | 'tls' | 'scenario' | 'stateFile' | 'quotes' | 'consoleFile' | (typeof SHARED_OPTIONS)[number]
> & {
  readonly apps: readonly [AppSettings, ...AppSettings[]]
  readonly tls: TlsOptions | undefined
  readonly quotes: QuotesSimulation | undefined
  readonly scenario: ScenarioName | Scenario | undefined
  readonly consoleFile: string | undefined
}
