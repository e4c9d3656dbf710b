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
import { type StreamAddress, streamAddress } from '../wire/subjects.ts'
import type { NatsConnectionLike } from './api/jetstream-api.ts'
import type { StreamLimits } from './api/stream-limits.ts'

/** Options of `createJetStreamSink`. Read once. */
export interface JetStreamSinkOptions {
  /** The caller's, which stays the caller's: closing the sink leaves it open. */
  readonly connection: NatsConnectionLike
  readonly address: StreamAddress
  /** Makes the stream where it is missing. @defaultValue a missing stream is an error */
  readonly createStream?: StreamLimits | undefined
  /** Takes a stream in memory, which its server forgets. @defaultValue false */
  readonly allowMemory?: boolean | undefined
  /** JetStream's domain. @defaultValue that of the connection */
  readonly domain?: string | undefined
  /** Messages that wait for their acknowledgement at once. @defaultValue 256 */
  readonly maxInFlight?: number | undefined
  /** Bytes of them. @defaultValue 8 MiB */
  readonly maxInFlightBytes?: number | undefined
  /** Without an acknowledgement for so long, the stream is asked what it has. @defaultValue 1000 */
  readonly publishTimeoutMs?: number | undefined
  /** Of a request to JetStream's API. @defaultValue 2000 */
  readonly requestTimeoutMs?: number | undefined
  readonly clock?: Clock | undefined
  /** Told when the stream cannot be written for now, and when it can again. */
  readonly onState?: ((state: JetStreamSinkState) => void) | undefined
}

/** Whether the stream can be written. */
export type JetStreamSinkState =
  | { readonly state: 'writing' }
  /** It is tried again, for as long as it takes. */
  | { readonly state: 'waiting'; readonly reason: string }

const OPTIONS = {
  connection: port<NatsConnectionLike>(['publish', 'request', 'subscribe']),
  address: streamAddress,
  createStream: optional(custom<StreamLimits>('an object', isRecord)),
  allowMemory: boolean(false),
  domain: optional(string()),
  maxInFlight: integer({ min: 1, max: 100_000, default: 256 }),
  maxInFlightBytes: integer({ min: 1024, max: 1024 ** 3, default: 8 * 1024 * 1024 }),
  publishTimeoutMs: integer({ min: 10, max: 600_000, default: 1000 }),
  requestTimeoutMs: integer({ min: 10, max: 600_000, default: 2000 }),
  clock,
  onState: optional(func<NonNullable<JetStreamSinkOptions['onState']>>()),
} satisfies FieldsOf<JetStreamSinkOptions>

/** @throws RelayError `RELAY_OPTION_INVALID`. */
export function readJetStreamSinkOptions(options: JetStreamSinkOptions) {
  return readOptions(optionFailure, options, OPTIONS)
}
