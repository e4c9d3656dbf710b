/**
 * The port of a stream for the events of one app, with one writer at a time.
 *
 * A writer reads the tail first. Its messages are stored directly after that tail, or rejected. So the writer
 * notices any other writer, and knows all messages before its own.
 */
import type { Closable } from '@brokerwire/core'
import type { SinkEntry } from '../wire/entries.ts'
import type { Oversize } from '../wire/headers.ts'

export type { Oversize, SinkEntry }

/** A stored message with its sequence. */
export interface StoredEntry extends SinkEntry {
  /** The sequence in the stream, from 1 on, without gaps. */
  readonly sequence: number
}

/** A request for the end of a stream. */
export interface TailRequest {
  /** Maximum number of messages to return. */
  readonly maxEntries: number
  /**
   * Subjects with `*` for any one token. The last message of each subject is returned too, however old it is.
   */
  readonly lastOf?: readonly string[] | undefined
}

/** The limits beyond which a stream deletes its oldest messages; `undefined` if there is no such limit. */
export interface Retention {
  /** Maximum age of a message, milliseconds. */
  readonly maxAgeMs?: number | undefined
  /** Maximum number of bytes of all messages. */
  readonly maxBytes?: number | undefined
  /** Maximum number of messages in the stream. */
  readonly maxMessages?: number | undefined
}

/** The end of a stream. */
export interface SinkTail {
  /** The sequence of the last message; 0 if nothing was ever stored. */
  readonly sequence: number
  /** The last messages, oldest first. */
  readonly entries: readonly StoredEntry[]
  /** The last message of each requested subject; `undefined` if there is none. */
  readonly lastOf: readonly (StoredEntry | undefined)[]
  /** The identity of the stream, which changes if it is deleted and created again. `undefined` if it has none. */
  readonly streamId?: string | undefined
  /** The limits of the stream. @defaultValue nothing is deleted */
  readonly retention?: Retention | undefined
}

/** The result of storing a batch. */
export interface PublishAck {
  /**
   * The sequence of the last message of the batch. For an empty batch, the sequence of the message before it.
   */
  readonly sequence: number
}

/** The state of a sink, for its option `onState`. */
export type SinkState =
  /** The stream can be written. */
  | { readonly state: 'writing' }
  /** The stream cannot be written for now. The sink retries without a limit. */
  | { readonly state: 'waiting'; readonly reason: string }

/** A writer of an app's stream. */
export interface EventSink extends Closable {
  /**
   * Reads the end of the stream. The next published message must be stored directly after it.
   *
   * @throws RelayError `RELAY_SINK_UNAVAILABLE`, `RELAY_SINK_MISCONFIGURED`, `RELAY_CLOSED`.
   */
  tail(request: TailRequest): Promise<SinkTail>
  /**
   * Stores messages in order, each once, after the messages that this writer published before. Calls may
   * overlap. Their messages are stored in the order of the calls. While the sink is unavailable, a call
   * waits.
   *
   * @returns Resolves when all messages of the batch are stored.
   * @throws RelayError `RELAY_FENCED`, `RELAY_STREAM_TRUNCATED`, `RELAY_SINK_MISCONFIGURED`,
   * `RELAY_SINK_UNAVAILABLE`, `RELAY_EVENT_OVERSIZED` or `RELAY_CLOSED`. After any of these errors, nothing
   * is stored until {@link tail} is called again. Some of the unacknowledged messages may be in the stream.
   */
  publish(batch: readonly SinkEntry[]): Promise<PublishAck>
  /**
   * Checks whether a message is larger than the sink accepts.
   *
   * @returns The limit that it exceeds; `undefined` if it is not larger.
   */
  checkSize?(entry: SinkEntry): Oversize | undefined
  /**
   * Checks whether the stream can be written, without writing a message. The relay calls it every few
   * seconds, one call at a time.
   *
   * @returns The current limits of the stream.
   * @throws RelayError `RELAY_SINK_UNAVAILABLE` if the stream temporarily cannot be written; any other error
   * ends this writer.
   */
  probe?(): Promise<Retention>
}

/**
 * Returns the memory of a waiting message in bytes: two for each UTF-16 unit of its strings, and 1024 for the
 * objects.
 *
 * @example
 * ```ts
 * import { entryBytes } from '@brokerwire/relay'
 *
 * console.log(entryBytes({ subject: 'a.b', key: '1', headers: {}, body: 'text' })) // 1040
 * ```
 */
export function entryBytes({ subject, key, headers, body, data }: SinkEntry): number {
  let units = subject.length + key.length + body.length
  for (const name in headers) units += name.length + (headers[name] as string).length
  return 1024 + 2 * units + (data?.length ?? 0)
}
