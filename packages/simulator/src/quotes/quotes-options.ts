/** Options of market data in the simulator. */
import { describe, isRecord, ownOptions, requireKnownOptions } from '@brokerwire/core/internal'
import { readersOf } from '../readers.ts'
import { optionFailure } from '../simulator-error.ts'

/** Options of `quotes`. */
export interface QuotesSimulationOptions {
  /** Of MQTT over TCP. 0: any free port. @defaultValue 0 */
  readonly mqttPort?: number | undefined
  /** Of MQTT over WebSocket, at the path `/mqtt`. 0: any free port. @defaultValue 0 */
  readonly mqttWebSocketPort?: number | undefined
  /** MQTT connections of an app key; one more gets CONNACK 105. @defaultValue 5 (facts) */
  readonly maxConnections?: number | undefined
  /** How long a connection that ended without DISCONNECT keeps its slot. On the service: about a minute. @defaultValue 0 */
  readonly slotLingerMs?: number | undefined
  /** Symbols of a session. @defaultValue 100 (facts) */
  readonly maxSymbols?: number | undefined
  /** How long after CONNACK a session is unknown to the subscribe calls. @defaultValue 0 */
  readonly registrationMs?: number | undefined
  /** Whether the subscribe calls need `x-access-token`. @defaultValue true, where the app's tokenCheckEnabled is */
  readonly tokenRequired?: boolean | undefined
  /** Messages a second that a connection is sent; the rest is dropped and counted. 0: no limit. @defaultValue 0 */
  readonly maxPushesPerSecond?: number | undefined
  /** Between two `echo` messages on each connection. 0: none. @defaultValue 0 */
  readonly echoIntervalMs?: number | undefined
  /** Between two moves of a price, where somebody listens. 0: prices move when `quotes.step()` is called. @defaultValue 0 */
  readonly stepMs?: number | undefined
}

type Read<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> }
/** The options with their defaults. */
export type QuotesSimulation = Read<QuotesSimulationOptions>

const { integer, duration, flag } = readersOf(optionFailure)

/** @returns `undefined` where there is no market data. @throws SimulatorError `SIMULATOR_OPTION_INVALID` */
export function readQuotesOptions(value: unknown): QuotesSimulation | undefined {
  if (value === undefined || value === false) return undefined
  if (value !== true && !isRecord(value)) {
    throw optionFailure('quotes', 'true, false or an object', describe(value))
  }
  const given: QuotesSimulationOptions = value === true ? {} : ownOptions(value)
  const port = (name: string, number: unknown): number => integer(`quotes.${name}`, number, 0, 65_535, 0)
  const settings: QuotesSimulation = {
    mqttPort: port('mqttPort', given.mqttPort),
    mqttWebSocketPort: port('mqttWebSocketPort', given.mqttWebSocketPort),
    maxConnections: integer('quotes.maxConnections', given.maxConnections, 1, 1000, 5),
    slotLingerMs: duration('quotes.slotLingerMs', given.slotLingerMs, 0, 0),
    maxSymbols: integer('quotes.maxSymbols', given.maxSymbols, 1, 100_000, 100),
    registrationMs: duration('quotes.registrationMs', given.registrationMs, 0, 0),
    tokenRequired: flag('quotes.tokenRequired', given.tokenRequired, true),
    maxPushesPerSecond: integer('quotes.maxPushesPerSecond', given.maxPushesPerSecond, 0, 1_000_000, 0),
    echoIntervalMs: duration('quotes.echoIntervalMs', given.echoIntervalMs, 0, 0),
    stepMs: duration('quotes.stepMs', given.stepMs, 0, 0),
  }
  requireKnownOptions(optionFailure, given, Object.keys(settings), 'quotes.')
  return settings
}
