/** Options of a JetStream sink, with their defaults. */
import type { Clock } from '@brokerwire/core'
import {
  boolean,
  clock,
  custom,
  type FieldsOf,
  func,
  integer,
  isRecord,
  optional,
  port,
  readOptions,
  string,
} from '@brokerwire/core/internal'
import { optionFailure } from '../relay-error.ts'
import type { SinkState } from '../sink/event-sink.ts'
import { type StreamAddress, streamAddress } from '../wire/subjects.ts'
import type { NatsConnectionLike } from './api/jetstream-api.ts'
import type { StreamLimits } from './api/stream-limits.ts'

/** Options of `createJetStreamSink`. They are read once. */
export interface JetStreamSinkOptions {
  /** Your connection to NATS. Closing the sink leaves it open. */
  readonly connection: NatsConnectionLike
  /** The address of the stream that is written. */
  readonly address: StreamAddress
  /** Creates the stream with these limits if it is missing. @defaultValue a missing stream is an error */
  readonly createStream?: StreamLimits | undefined
  /** Accepts a stream in memory, which is lost when its server restarts. @defaultValue false */
  readonly allowMemory?: boolean | undefined
  /** Adds the attributes of CloudEvents 1.0 as headers `ce-id`, `ce-source`, `ce-type` and so on. @defaultValue false */
  readonly cloudEvents?: boolean | undefined
  /** The JetStream domain of the stream. @defaultValue the domain of the connection */
  readonly domain?: string | undefined
  /** Maximum number of messages that wait for their acknowledgement. @defaultValue 256 */
  readonly maxInFlight?: number | undefined
  /** Maximum number of bytes that wait for their acknowledgement. @defaultValue 8 MiB */
  readonly maxInFlightBytes?: number | undefined
  /**
   * If no acknowledgement arrives for this long, the end of the stream is read. Milliseconds.
   * @defaultValue 1000
   */
  readonly publishTimeoutMs?: number | undefined
  /** Time limit of a request to JetStream's API, milliseconds. @defaultValue 2000 */
  readonly requestTimeoutMs?: number | undefined
  /** The clock of timers. @defaultValue the system clock */
  readonly clock?: Clock | undefined
  /** Called when the stream temporarily cannot be written, and when it can be written again. */
  readonly onState?: ((state: SinkState) => void) | undefined
}

const OPTIONS = {
  connection: port<NatsConnectionLike>(['publish', 'request', 'subscribe']),
  address: streamAddress,
  createStream: optional(custom<StreamLimits>('an object', isRecord)),
  allowMemory: boolean(false),
  cloudEvents: boolean(false),
  domain: optional(string()),
  maxInFlight: integer({ min: 1, max: 100_000, default: 256 }),
  maxInFlightBytes: integer({ min: 1024, max: 1024 ** 3, default: 8 * 1024 * 1024 }),
  publishTimeoutMs: integer({ min: 10, max: 600_000, default: 1000 }),
  requestTimeoutMs: integer({ min: 10, max: 600_000, default: 2000 }),
  clock,
  onState: optional(func<NonNullable<JetStreamSinkOptions['onState']>>()),
} satisfies FieldsOf<JetStreamSinkOptions>

/** Checks the options. @throws RelayError `RELAY_OPTION_INVALID`. */
export function readJetStreamSinkOptions(options: JetStreamSinkOptions) {
  return readOptions(optionFailure, options, OPTIONS)
}
