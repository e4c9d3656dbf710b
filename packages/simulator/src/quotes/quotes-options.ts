/** Options of market data in the simulator. */
import {
  boolean,
  type FieldsOf,
  integer,
  isRecord,
  readOptions,
  received,
  type Schema,
} from '@brokerwire/core/internal'
import { milliseconds } from '../durations.ts'

/** Options of `quotes`. */
export interface QuotesSimulationOptions {
  /** Port of MQTT over TCP. 0: any free port. @defaultValue 0 */
  readonly mqttPort?: number | undefined
  /** Port of MQTT over WebSocket, at the path `/mqtt`. 0: any free port. @defaultValue 0 */
  readonly mqttWebSocketPort?: number | undefined
  /**
   * Maximum number of MQTT connections of an app key; further connections get CONNACK 105.
   *
   * @defaultValue 5 (facts)
   */
  readonly maxConnections?: number | undefined
  /**
   * Milliseconds for which a connection that ended without DISCONNECT still counts towards `maxConnections`.
   * On the service this time is about a minute.
   * @defaultValue 0
   */
  readonly slotLingerMs?: number | undefined
  /** Maximum number of symbols in a session. @defaultValue 100 (facts) */
  readonly maxSymbols?: number | undefined
  /** Milliseconds after CONNACK until subscribe calls find the session. @defaultValue 0 */
  readonly registrationMs?: number | undefined
  /**
   * Whether subscribe calls require `x-access-token` if the app's option tokenCheckEnabled is true.
   *
   * @defaultValue true
   */
  readonly tokenRequired?: boolean | undefined
  /**
   * Maximum number of messages per second on a connection. Messages about prices that exceed it are discarded
   * and counted. 0: no limit.
   * @defaultValue 0
   */
  readonly maxPushesPerSecond?: number | undefined
  /** Milliseconds between two `echo` messages on each connection. 0: none. @defaultValue 0 */
  readonly echoIntervalMs?: number | undefined
  /**
   * Milliseconds between two price moves of subscribed symbols. 0: prices move only with `quotes.step()`.
   * @defaultValue 0
   */
  readonly stepMs?: number | undefined
}

type Resolved<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> }
/** The options with their defaults. */
export type QuotesSettings = Resolved<QuotesSimulationOptions>

const portNumber = integer({ min: 0, max: 65_535, default: 0 })

const QUOTES_OPTIONS = {
  mqttPort: portNumber,
  mqttWebSocketPort: portNumber,
  maxConnections: integer({ min: 1, max: 1000, default: 5 }),
  slotLingerMs: milliseconds(0),
  maxSymbols: integer({ min: 1, max: 100_000, default: 100 }),
  registrationMs: milliseconds(0),
  tokenRequired: boolean(true),
  maxPushesPerSecond: integer({ min: 0, max: 1_000_000, default: 0 }),
  echoIntervalMs: milliseconds(0),
  stepMs: milliseconds(0),
} satisfies FieldsOf<QuotesSimulationOptions>

/** Schema of the option `quotes`. The result is `undefined` if there is no market data. */
export const quotesOption: Schema<QuotesSettings | undefined> = (value = false, path, fail) => {
  if (value === false) return undefined
  if (value !== true && !isRecord(value)) throw fail(path, 'true, false or an object', received(value))
  return readOptions(fail, value === true ? {} : value, QUOTES_OPTIONS, path)
}
