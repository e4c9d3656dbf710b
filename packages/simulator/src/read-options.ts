import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { Clock } from '@brokerwire/core'
import { describe, isRecord, ownOption, ownOptions, requireKnownOptions } from '@brokerwire/core/internal'
import type { SignatureAlgorithm } from '@brokerwire/signer'
import { readBoolean, readOneOf, requireText, shown } from './checks.ts'
import { isLoopback, LOOPBACK } from './listen.ts'
import { APP_OPTION_NAMES, type SimulatorOptions, type SimulatorSettings } from './options.ts'
import { readQuotesOptions } from './quotes/quotes-options.ts'
import { readApps } from './read-apps.ts'
import { DAY_MS, readersOf } from './readers.ts'
import { SCENARIO_NAMES, type Scenario, type ScenarioName } from './scenario/scenario.ts'
import { optionFailure } from './simulator-error.ts'
import type { SimulatorState } from './state/simulator-state.ts'
import { createOffsetClock } from './time/offset-clock.ts'
import type { TlsOptions } from './tls/tls-options.ts'

const fail = optionFailure
const { integer, duration, flag } = readersOf(fail)

/**
 * Reads the options.
 *
 * @throws SimulatorError `SIMULATOR_OPTION_INVALID`
 */
export function readOptions(all: SimulatorOptions, state: SimulatorState): SimulatorSettings {
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
    seed,
    apps: readApps(options, seed, state.apps),
    clock: readClock(options.clock, state.clockOffsetMs),

    httpPort: port('httpPort', options.httpPort),
    eventsPort: port('eventsPort', options.eventsPort),
    moduleEventsPort:
      options.moduleEventsPort === 'shared' ? 'shared' : port('moduleEventsPort', options.moduleEventsPort),
    tls: readTls(options.tls),
    quotes: readQuotesOptions(options.quotes),
    compatibility,
    control: flag('control', options.control, false),
    controlPort: port('controlPort', options.controlPort),
    console: flag('console', options.console, false),
    consolePort: port('consolePort', options.consolePort),
    consoleFile: optionalText('consoleFile', options.consoleFile),
    allowInsecure: flag('allowInsecure', options.allowInsecure, false),
    listen: readListen(options),

    expiryField: readOneOf(
      fail,
      'expiryField',
      options.expiryField,
      ['expires_at', 'expires', 'both'],
      'expires_at',
    ),
    expiryAsText: flag('expiryAsText', options.expiryAsText, false),
    tokenRefresh: flag('tokenRefresh', options.tokenRefresh, false),

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

    placedEvents: flag('placedEvents', options.placedEvents, true),
    sloppiness: readOneOf(fail, 'sloppiness', options.sloppiness, ['none', 'as-seen'], 'none'),
    sodEventType: requireText(fail, 'sodEventType', options.sodEventType ?? 'SOD'),
    scenario: readScenario(options.scenario),
    scenarioIntervalMs: duration('scenarioIntervalMs', options.scenarioIntervalMs, 250, 0),
  }
  requireKnownOptions(fail, given, [...Object.keys(settings), 'stateFile', ...APP_OPTION_NAMES.slice(1)])
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

/** Read before the others: the file says what some of them are where they are not given. */
export function readStatePath(options: SimulatorOptions): string | undefined {
  const path = ownOption(options, 'stateFile')
  return optionalText('stateFile', path)
}

function optionalText(name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : requireText(fail, name, value)
}

function readListen({ listen = LOOPBACK, tls, allowInsecure }: SimulatorOptions): string {
  if (typeof listen !== 'string' || isIP(listen) === 0) {
    throw fail('listen', 'an IP address such as 0.0.0.0', shown(listen))
  }
  const isAllowed = readBoolean(fail, 'allowInsecure', allowInsecure, false)
  if (isLoopback(listen) || tls !== undefined || isAllowed) return listen
  throw fail('listen', 'tls or allowInsecure: true beside an address beyond this machine', 'neither')
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

function port(name: string, value: unknown): number {
  return integer(name, value, 0, 65_535, 0)
}

function readClock(value: unknown, offsetMs: number): Clock {
  if (value === undefined) return createOffsetClock(offsetMs)
  if (isRecord(value) && typeof value.now === 'function' && typeof value.setTimer === 'function') {
    return value as unknown as Clock
  }
  throw fail('clock', 'an object with now() and setTimer()', describe(value))
}

function readTls(value: unknown): TlsOptions | undefined {
  if (value === undefined) return undefined
  if (isRecord(value)) requireKnownOptions(fail, value, ['key', 'cert'], 'tls.')
  if (isRecord(value) && typeof value.key === 'string' && typeof value.cert === 'string') {
    const { key, cert } = value
    try {
      createSecureContext({ key, cert })
      return { key, cert }
    } catch {
      // What it says of them may quote them.
      throw fail('tls', 'a key and its certificate, both PEM texts', 'texts that are no such pair')
    }
  }
  throw fail('tls', 'an object with key and cert, both PEM texts', describe(value))
}

function readAlgorithms(value: unknown): readonly SignatureAlgorithm[] {
  const all = ['HMAC-SHA1', 'HMAC-SHA256'] as const
  if (value === undefined) return all
  if (!Array.isArray(value) || value.length === 0) {
    throw fail('algorithms', 'a non-empty array of algorithms', describe(value))
  }
  return value.map((item) => readOneOf(fail, 'algorithms', item, all))
}
