/** A reader of a relay's stream: a durable consumer of JetStream that yields the items of `@brokerwire/streams`. */
import type { Clock } from '@brokerwire/core'
import {
  array,
  clock,
  createAsyncStream,
  custom,
  type FieldsOf,
  integer,
  isRecord,
  object,
  oneOf,
  optional,
  port,
  readOptions,
  signal,
  string,
} from '@brokerwire/core/internal'
import { type ModuleEvent, payloads as standardPayloads } from '@brokerwire/payloads'
import type { EventStream, StreamDecoders } from '@brokerwire/streams'
import { optionFailure, readerErrors } from '../relay-error.ts'
import type { RelayItem } from '../wire/items.ts'
import {
  type StreamAddress,
  type Subscription,
  streamAddress,
  streamName,
  streamSubjects,
  subjectRoot,
  subjectToken,
} from '../wire/subjects.ts'
import type { JetStreamClientLike } from './consumer/durable-consumer.ts'
import { RelayProducer } from './consumer/relay-producer.ts'

/** Options of {@link consumeRelay}. They are read once. */
export interface ConsumeRelayOptions<Event = ModuleEvent> {
  /** The JetStream client: `jetstream(connection)` of `@nats-io/jetstream`. */
  readonly js: JetStreamClientLike
  /** The address of the stream that is read. */
  readonly address: StreamAddress
  /** Name of the durable consumer. The next reader of the same name continues after the acknowledged messages. */
  readonly durableName: string
  /** Selects a part of the stream. @defaultValue the whole stream */
  readonly filter?:
    | {
        /** The events and notices of one subscription. */
        readonly subscription?: Subscription | undefined
        /**
         * The events of these accounts, all notices and undecodable messages. Events without a readable
         * account are not delivered.
         */
        readonly accounts?: readonly string[] | undefined
      }
    | undefined
  /** The start of a consumer that does not exist yet: all stored messages, or new ones only. @defaultValue 'all' */
  readonly deliver?: 'all' | 'new' | undefined
  /**
   * How items are acknowledged. This is fixed when the consumer is created.
   *
   * - `auto`: asking for the next item acknowledges the previous item. One process at a time may read.
   * - `manual`: you call `item.ack()`. Asking for the next item acknowledges an item that has no `ack()`.
   *   Several processes may share one consumer.
   *
   * @defaultValue 'auto'
   */
  readonly ack?: 'auto' | 'manual' | undefined
  /** With `ack: 'manual'`: the maximum number of messages that wait for `ack()`. @defaultValue 10_000 */
  readonly maxUnacked?: number | undefined
  /** Limits of the buffer of this reader. */
  readonly buffer?:
    | {
        /** Maximum number of messages. @defaultValue 256 */
        readonly maxItems?: number | undefined
        /**
         * Maximum number of bytes. A fetch assumes that each message has the length of the server's
         * `max_payload` (1 MiB by default), or of the longest message received if that is longer. One message
         * is always fetched.
         * @defaultValue 128 MiB
         */
        readonly maxBytes?: number | undefined
      }
    | undefined
  /**
   * If the reader receives no message for this long, it checks whether its consumer has stalled. A stalled
   * consumer's server lags behind the stream's leader and delivers nothing. If two checks in a row find that,
   * the result depends on `ack`. Milliseconds.
   *
   * - `auto`: the reader creates the consumer again after the last handled message.
   * - `manual`: the reader ends with `RELAY_SINK_UNAVAILABLE`, whose message has the command to run.
   *
   * @defaultValue 30_000
   */
  readonly stallTimeoutMs?: number | undefined
  /** The decoders of `item.decode()`. @defaultValue `payloads` of `@brokerwire/payloads` */
  readonly payloads?: StreamDecoders<Event> | undefined
  /** Ends the reader when it aborts. */
  readonly signal?: AbortSignal | undefined
  /** The clock of timers and timestamps. @defaultValue the system clock */
  readonly clock?: Clock | undefined
}

const FILTER_OPTIONS = {
  subscription: optional(oneOf(['module', 'trade', 'position'])),
  accounts: optional(array(string(), { expected: 'a non-empty array of accounts' })),
}
const BUFFER_OPTIONS = {
  maxItems: integer({ min: 1, max: 100_000, default: 256 }),
  maxBytes: integer({ min: 1024 * 1024, max: 64 * 1024 ** 3, default: 128 * 1024 * 1024 }),
}
const OPTIONS = {
  js: port<JetStreamClientLike>(['jetstreamManager']),
  address: streamAddress,
  durableName: string({
    pattern: /^[\w-]{1,128}$/,
    expected: '1 to 128 letters, digits, _ and -',
    isName: true,
  }),
  filter: object(FILTER_OPTIONS, {}),
  deliver: oneOf(['all', 'new'], 'all'),
  ack: oneOf(['auto', 'manual'], 'auto'),
  maxUnacked: integer({ min: 1, max: 10_000_000, default: 10_000 }),
  buffer: object(BUFFER_OPTIONS, {}),
  stallTimeoutMs: integer({ min: 1000, max: 600_000, default: 30_000 }),
  payloads: optional(custom<StreamDecoders<unknown>>('an object of decoders', isRecord)),
  signal,
  clock,
} satisfies FieldsOf<ConsumeRelayOptions>

/**
 * Reads a relay's stream: events and notices in the order of the stream.
 *
 * Delivery is at least once: the next reader of the same name receives unacknowledged messages again. One
 * reader never yields a message twice. Messages that the stream no longer has are reported as a `gap` notice:
 * see `ReaderGap`.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`. `next()` rejects with `RELAY_SINK_MISCONFIGURED` if the stream
 * or the consumer has wrong settings, and with `RELAY_SCHEMA_UNSUPPORTED` or `RELAY_MESSAGE_INVALID` if a
 * message cannot be read; the message stays in the stream.
 *
 * @example
 * ```ts
 * import { consumeRelay } from '@brokerwire/relay/nats'
 * import { jetstream } from '@nats-io/jetstream'
 * import { connect } from '@nats-io/transport-node'
 *
 * const connection = await connect({ servers: 'nats://127.0.0.1:4222' })
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' } as const
 * for await (const item of consumeRelay({ js: jetstream(connection), address, durableName: 'billing' })) {
 *   if (item.type === 'event') console.log(item.kind, item.decode())
 *   else console.log(item.kind)
 * }
 * ```
 */
export function consumeRelay<Event = ModuleEvent>(
  given: ConsumeRelayOptions<Event>,
): EventStream<RelayItem<Event>> {
  const options = readOptions(optionFailure, given, OPTIONS)
  const { js, address, filter, buffer, payloads = standardPayloads, ...rest } = options
  const { subscription, accounts } = filter
  const producer = new RelayProducer<Event>({
    ...rest,
    ...buffer,
    js,
    stream: streamName(address),
    isFiltered: subscription !== undefined,
    subject:
      subscription === undefined ? streamSubjects(address) : `${subjectRoot(address)}.${subscription}.>`,
    accounts: accounts && new Set(accounts.map(subjectToken)),
    decoders: payloads as StreamDecoders<Event>,
    maxPayload: () => getMaxPayload(js),
  })
  return createAsyncStream(producer.queue, producer, readerErrors(streamName(address)))
}

/** A method that a JetStream client has, but that its type does not declare. */
interface WithConnection {
  getConnection?(): { readonly info?: { readonly max_payload?: unknown } | undefined }
}

/** Returns the length of the longest message that the server accepts, from the INFO of the connection. */
function getMaxPayload(js: JetStreamClientLike & WithConnection): number | undefined {
  const bytes = js.getConnection?.().info?.max_payload
  return typeof bytes === 'number' && bytes > 0 ? bytes : undefined
}
