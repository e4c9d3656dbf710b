/** Options of a Postgres sink, with their defaults. */
import type { Clock } from '@brokerwire/core'
import {
  boolean,
  clock,
  type FieldsOf,
  func,
  type InferFields,
  integer,
  object,
  optional,
  port,
  readOptions,
} from '@brokerwire/core/internal'
import type { PostgresClientLike } from '@brokerwire/stores/postgres'
import { optionFailure } from '../relay-error.ts'
import type { SinkState } from '../sink/event-sink.ts'
import { type StreamAddress, streamAddress } from '../wire/subjects.ts'
import type { PostgresRetention } from './retention.ts'
import { eventsTable } from './schema.ts'

/** Options of `createPostgresSink`. They are read once. */
export interface PostgresSinkOptions {
  /**
   * Runs the statements: `Pool` of pg fits directly, others with a small adapter. Closing the sink leaves it open. Set its own time
   * limits too, such as `query_timeout` of pg, because a server that does not respond keeps a connection.
   */
  readonly client: PostgresClientLike
  /** The address of the stream that is written. */
  readonly address: StreamAddress
  /**
   * The table of the events of all streams, with or without its schema. Its name without the schema has at most
   * 55 characters. @defaultValue 'brokerwire_events'
   */
  readonly table?: string | undefined
  /** Fills the columns `ce_id`, `ce_source`, `ce_type` and so on with the attributes of CloudEvents 1.0. @defaultValue false */
  readonly cloudEvents?: boolean | undefined
  /** The limits beyond which the oldest events are deleted. @defaultValue nothing is deleted */
  readonly retention?: PostgresRetention | undefined
  /** Maximum number of events of one statement. @defaultValue 1000 */
  readonly maxBatchMessages?: number | undefined
  /** The length of an event that is still accepted, bytes. @defaultValue 64 MiB */
  readonly maxMessageBytes?: number | undefined
  /** Time limit of one statement, milliseconds. @defaultValue 5000 */
  readonly requestTimeoutMs?: number | undefined
  /** The clock of timers. @defaultValue the system clock */
  readonly clock?: Clock | undefined
  /** Called when the stream temporarily cannot be written, and when it can be written again. */
  readonly onState?: ((state: SinkState) => void) | undefined
}

const DAY_MS = 86_400_000

const RETENTION_OPTIONS = {
  maxAgeMs: optional(integer({ min: 60_000, max: 3650 * DAY_MS })),
  maxMessages: optional(integer({ min: 1000, max: Number.MAX_SAFE_INTEGER })),
  deletes: boolean(true),
} satisfies FieldsOf<PostgresRetention>

const OPTIONS = {
  client: port<PostgresClientLike>(['query']),
  address: streamAddress,
  table: eventsTable,
  cloudEvents: boolean(false),
  retention: object(RETENTION_OPTIONS, {}),
  maxBatchMessages: integer({ min: 1, max: 100_000, default: 1000 }),
  maxMessageBytes: integer({ min: 1024, max: 256 * 1024 * 1024, default: 64 * 1024 * 1024 }),
  requestTimeoutMs: integer({ min: 100, max: 600_000, default: 5000 }),
  clock,
  onState: optional(func<NonNullable<PostgresSinkOptions['onState']>>()),
} satisfies FieldsOf<PostgresSinkOptions>

/** The options with their defaults. */
export type PostgresSettings = InferFields<typeof OPTIONS>

/** Checks the options. @throws RelayError `RELAY_OPTION_INVALID`. */
export function readPostgresSinkOptions(options: PostgresSinkOptions): PostgresSettings {
  return readOptions(optionFailure, options, OPTIONS)
}
