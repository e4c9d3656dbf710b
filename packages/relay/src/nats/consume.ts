/** A relay's stream, read with a durable consumer of JetStream: the same items as those of `@brokerwire/streams`. */
import type { Clock } from '@brokerwire/core'
import {
  array,
  clock,
  createConsumer,
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
  subjectRoot,
  subjectsOf,
  subjectToken,
} from '../wire/subjects.ts'
import type { JetStreamClientLike } from './consumer/durable-consumer.ts'
import { RelayProducer } from './consumer/relay-producer.ts'

/** Options of {@link consumeRelay}. Read once. */
export interface ConsumeRelayOptions<Event = ModuleEvent> {
  /** `jetstream(connection)` of `@nats-io/jetstream`. */
  readonly js: JetStreamClientLike
  readonly address: StreamAddress
  /** Name of the consumer: where it stopped, one of the same name goes on. */
  readonly durable: string
  /** @defaultValue everything in the stream */
  readonly filter?:
    | {
        /** One of the subscriptions: its events and notices. */
        readonly stream?: Subscription | undefined
        /** Events whose payload names one of these, and all notices. Events without a readable account are left out. */
        readonly accounts?: readonly string[] | undefined
      }
    | undefined
  /** Where a consumer that does not exist yet begins. @defaultValue 'all' */
  readonly from?: 'all' | 'new' | undefined
  /**
   * `auto`: asking for the next item acknowledges the one before, at the end of the turn of the event loop; one process at a
   * time. `manual`: `item.ack()` does, at once; several processes may share the work. Fixed when the consumer is made. @defaultValue 'auto'
   */
  readonly ack?: 'auto' | 'manual' | undefined
  /** With `ack: 'manual'`: how many may wait for `ack()`. @defaultValue 10_000 */
  readonly maxUnacked?: number | undefined
  /** Messages that are fetched, and may wait here. @defaultValue 256 */
  readonly maxMessages?: number | undefined
  /**
   * Bytes of them: no more messages are fetched at once than fit where each is as long as the server's `max_payload` allows,
   * 1 MiB if nobody changed it, or as the longest one that has come. One message is always fetched. @defaultValue 128 MiB
   */
  readonly maxBytes?: number | undefined
  /**
   * Without a message for so long, the stream's leader is asked whether there is one: a consumer's server that lags in silence
   * delivers nothing. Where that is so at two looks, `auto` makes the consumer anew behind what was handled, and `manual` ends with
   * `RELAY_SINK_UNAVAILABLE`, which says what to do. Milliseconds. @defaultValue 30_000
   */
  readonly stallMs?: number | undefined
  /** @defaultValue `payloads` of `@brokerwire/payloads` */
  readonly payloads?: StreamDecoders<Event> | undefined
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
}

const FILTER_OPTIONS = {
  stream: optional(oneOf(['module', 'trade', 'position'])),
  accounts: optional(array(string(), { expected: 'a non-empty array of accounts' })),
}
const OPTIONS = {
  js: port<JetStreamClientLike>(['jetstreamManager']),
  address: streamAddress,
  durable: string({ pattern: /^[\w-]{1,128}$/, expected: '1 to 128 letters, digits, _ and -', isName: true }),
  filter: object(FILTER_OPTIONS, {}),
  from: oneOf(['all', 'new'], 'all'),
  ack: oneOf(['auto', 'manual'], 'auto'),
  maxUnacked: integer({ min: 1, max: 10_000_000, default: 10_000 }),
  maxMessages: integer({ min: 1, max: 100_000, default: 256 }),
  maxBytes: integer({ min: 1024 * 1024, max: 64 * 1024 ** 3, default: 128 * 1024 * 1024 }),
  stallMs: integer({ min: 1000, max: 600_000, default: 30_000 }),
  payloads: optional(custom<StreamDecoders<unknown>>('an object of decoders', isRecord)),
  signal,
  clock,
} satisfies FieldsOf<ConsumeRelayOptions>

/**
 * Reads a relay's stream: events and notices in the order in which they stand there.
 *
 * At least once: what was not acknowledged comes again to the next consumer of the same name, never twice to one. Messages that the
 * stream no longer has are reported as a `gap` notice: see `ReaderGap`.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`. `next()` rejects with `RELAY_SINK_UNFIT` where stream or consumer are not as
 * they have to be, `RELAY_SCHEMA_UNKNOWN` and `RELAY_MESSAGE_INVALID`, where the message stays in the stream.
 *
 * @example
 * ```ts
 * import { consumeRelay } from '@brokerwire/relay/nats'
 * import { jetstream } from '@nats-io/jetstream'
 * import { connect } from '@nats-io/transport-node'
 *
 * const connection = await connect({ servers: 'nats://127.0.0.1:4222' })
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', key: 'desk-a' } as const
 * for await (const item of consumeRelay({ js: jetstream(connection), address, durable: 'billing' })) {
 *   if (item.type === 'event') console.log(item.kind, item.decode())
 *   else console.log(item.kind)
 * }
 * ```
 */
export function consumeRelay<Event = ModuleEvent>(
  given: ConsumeRelayOptions<Event>,
): EventStream<RelayItem<Event>> {
  const options = readOptions(optionFailure, given, OPTIONS)
  const { js, address, filter, payloads = standardPayloads, ...rest } = options
  const { stream, accounts } = filter
  const producer = new RelayProducer<Event>({
    ...rest,
    js,
    stream: streamName(address),
    isFiltered: stream !== undefined,
    subject: stream === undefined ? subjectsOf(address) : `${subjectRoot(address)}.${stream}.>`,
    accounts: accounts && new Set(accounts.map(subjectToken)),
    decoders: payloads as StreamDecoders<Event>,
    maxPayload: () => getMaxPayload(js),
  })
  return createConsumer(producer.queue, producer, readerErrors(streamName(address)))
}

/** A client of JetStream gives its connection to the client's other packages, so its type does not say so. */
interface WithConnection {
  getConnection?(): { readonly info?: { readonly max_payload?: unknown } | undefined }
}

/** The longest message that the server takes, which it says when it is connected to. */
function getMaxPayload(js: JetStreamClientLike & WithConnection): number | undefined {
  const bytes = js.getConnection?.().info?.max_payload
  return typeof bytes === 'number' && bytes > 0 ? bytes : undefined
}
