/** Validates the options of a simulator. */
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { Clock } from '@brokerwire/core'
import {
  array,
  boolean,
  type FieldsOf,
  filePath,
  func,
  integer,
  isRecord,
  oneOf,
  optional,
  optionMessage,
  ownOption,
  port as portSchema,
  readOptions,
  received,
  receivedName,
  type Schema,
  string,
  typeName,
  unchecked,
} from '@brokerwire/core/internal'
import { DAY_MS, milliseconds } from './durations.ts'
import { isLoopback, LOOPBACK } from './listen.ts'
import type { SimulatorOptions, SimulatorSettings } from './options.ts'
import { APP_OPTIONS, readApps } from './parse-apps.ts'
import { quotesOption } from './quotes/quotes-options.ts'
import { SCENARIO_NAMES, type Scenario, type ScenarioName } from './scenario/scenario.ts'
import { optionFailure } from './simulator-error.ts'
import type { SimulatorState } from './state/simulator-state.ts'
import { createOffsetClock } from './time/offset-clock.ts'
import type { TlsOptions } from './tls/tls-options.ts'
import { tradingOption } from './trading/trading-options.ts'

const portNumber = integer({ min: 0, max: 65_535, default: 0 })

const moduleEventsPort: Schema<number | 'shared'> = (value, path, fail) => {
  if (value === 'shared') return value
  return portNumber(value, path, (option, expected) =>
    fail(option, `"shared" or ${expected}`, receivedName(value)),
  )
}

const tls: Schema<TlsOptions> = (value, path, fail) => {
  const { key, cert } = readOptions(fail, value, { key: string(), cert: string() }, path)
  try {
    createSecureContext({ key, cert })
  } catch {
    // The message of OpenSSL is not used, because it may quote the key.
    throw fail(path, 'a key and its certificate, both in PEM', 'other strings')
  }
  return { key, cert }
}

const listen: Schema<string> = (value = LOOPBACK, path, fail) => {
  if (typeof value === 'string' && isIP(value) !== 0) return value
  throw fail(path, 'an IP address such as "127.0.0.1"', received(value))
}

const scenario: Schema<ScenarioName | Scenario> = (value, path, fail) => {
  if (typeof value === 'string') return oneOf(SCENARIO_NAMES)(value, path, fail)
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) return value as Scenario
  const expected = 'the name of a scenario or an iterable of steps'
  const message = `${optionMessage(path, expected, typeName(value))}. Use readScenarioFile() for a scenario in JSON`
  throw fail(path, expected, typeName(value), isRecord(value) && 'steps' in value ? message : undefined)
}

/** Returns the JSON text of an object. */
const jsonText: Schema<string> = (value, path, fail) => {
  let text: string | undefined
  try {
    text = isRecord(value) ? JSON.stringify(value) : undefined
  } catch {
    // The object contains a value that JSON cannot represent.
  }
  if (text === undefined) throw fail(path, 'an object that JSON can represent', received(value))
  return text
}

const SIMULATOR_OPTIONS = {
  ...APP_OPTIONS,
  seed: integer({ min: 0, max: 4_294_967_295, default: 1 }),
  apps: unchecked<SimulatorOptions['apps']>(),
  clock: optional(portSchema<Clock>(['now', 'setTimer'])),
  stateFile: optional(filePath),

  httpPort: portNumber,
  eventsPort: portNumber,
  moduleEventsPort,
  tls: optional(tls),
  quotes: quotesOption,
  trading: tradingOption,
  openApi: optional(jsonText),
  metrics: optional(func<NonNullable<SimulatorOptions['metrics']>>()),
  profile: oneOf(['specification', 'official-clients'], 'specification'),
  control: boolean(false),
  controlPort: portNumber,
  console: boolean(false),
  consolePort: portNumber,
  consoleFile: optional(filePath),
  allowInsecure: boolean(false),
  listen,

  expiryField: oneOf(['expires_at', 'expires', 'both'], 'expires_at'),
  expiryAsString: boolean(false),
  tokenRefresh: boolean(false),

  signatureWindowMs: integer({ min: 0, max: DAY_MS, default: 300_000 }),
  algorithms: optional(
    array(oneOf(['HMAC-SHA1', 'HMAC-SHA256']), { expected: 'a non-empty array of algorithms' }),
  ),
  headerCollision: oneOf(['sorted', 'header-first'], 'sorted'),
  nameOrder: oneOf(['code-point', 'utf-16'], 'code-point'),
  nonceFormat: oneOf(['hex32', 'any'], 'hex32'),
  hostPort: oneOf(['signed', 'optional'], 'signed'),
  maxRequestBytes: integer({ min: 1, max: 1_073_741_824, default: 1_048_576 }),

  pingIntervalMs: milliseconds(60_000),
  subscriptionLifetimeMs: milliseconds(0),
  combinedSubscribeTypes: boolean(false),
  streamAccessToken: oneOf(['ignored', 'required'], 'ignored'),
  cursor: oneOf(['exclusive', 'inclusive'], 'exclusive'),
  unknownCursor: oneOf(['reject', 'from-now', 'from-start'], 'reject'),
  retainedEvents: integer({ min: 1, max: 10_000_000, default: 200_000 }),
  retainedBytes: integer({ min: 1, max: 68_719_476_736, default: 268_435_456 }),

  emitPlaceEvents: boolean(true),
  quirks: oneOf(['none', 'as-seen'], 'none'),
  sodEventType: string({ default: 'SOD' }),
  scenario: optional(scenario),
  scenarioIntervalMs: milliseconds(250),
} satisfies FieldsOf<SimulatorOptions>

/**
 * Values of the option `profile: 'official-clients'` (facts, "The official Python client as a guest").
 * Options of the caller override them.
 */
const OFFICIAL_CLIENTS = {
  nonceFormat: 'any',
  hostPort: 'optional',
  expiryField: 'both',
  combinedSubscribeTypes: true,
} as const satisfies SimulatorOptions

/**
 * Reads the options.
 *
 * @throws SimulatorError `SIMULATOR_OPTION_INVALID`
 */
export function readSimulatorOptions(given: SimulatorOptions, state: SimulatorState): SimulatorSettings {
  const own = readOptions(optionFailure, given, SIMULATOR_OPTIONS)
  const isPreset = own.profile === 'official-clients'
  const presets = Object.entries(isPreset ? OFFICIAL_CLIENTS : {}).filter(
    ([name]) => ownOption(given, name as keyof typeof OFFICIAL_CLIENTS) === undefined,
  )
  const options = { ...own, ...(Object.fromEntries(presets) as Partial<typeof OFFICIAL_CLIENTS>) }
  if (!isLoopback(options.listen) && options.tls === undefined && !options.allowInsecure)
    throw optionFailure(
      'listen',
      'a loopback address',
      'another address',
      'listen must be a loopback address, unless tls or allowInsecure: true is set',
    )
  return {
    ...options,
    algorithms: options.algorithms ?? ['HMAC-SHA1', 'HMAC-SHA256'],
    apps: readApps(options, options.seed, state.apps),
    clock: options.clock ?? createOffsetClock(state.clockOffsetMs),
  }
}

/**
 * Reads the path of the state file. This option is read before the other options, because the file contains
 * some of their defaults.
 */
export function readStatePath(options: SimulatorOptions): string | undefined {
  return optional(filePath)(ownOption(options, 'stateFile'), 'stateFile', optionFailure)
}

/**
 * Reads a scenario that is given by its name or as steps.
 *
 * @throws SimulatorError `SIMULATOR_OPTION_INVALID`
 */
export function readScenario(
  value: ScenarioName | Scenario | undefined,
): ScenarioName | Scenario | undefined {
  return optional(scenario)(value, 'scenario', optionFailure)
}
