/**
 * Where events go: the stream of one app key, with one writer at a time.
 *
 * A writer reads the tail first, and what it publishes then stands directly behind that tail or is refused: whoever wrote
 * in between is found out, and what was there before is known to the writer.
 */
import type { Closable } from '@brokerwire/core'
import type { SinkEntry } from '../wire/entries.ts'

export type { SinkEntry }

/** A message as it is stored. */
export interface StoredEntry extends SinkEntry {
  /** From 1, without a hole as long as nobody deletes. */
  readonly sequence: number
}

/** What is read of the end of a stream. */
export interface TailRequest {
  /** How many messages, at most. */
  readonly maxEntries: number
  /**
   * Subjects, with `*` for any one token, of each of which the last message is read besides, however far back it stands.
   */
  readonly lastOf?: readonly string[] | undefined
}

/** Limits beyond which a stream deletes its oldest messages; `undefined`: no such limit. */
export interface Retention {
  readonly maxAgeMs?: number | undefined
  readonly maxBytes?: number | undefined
  readonly maxMessages?: number | undefined
}

/** The end of a stream. */
export interface SinkTail {
  /** Of the last message; 0 where nothing was ever stored. */
  readonly sequence: number
  /** The last messages, oldest first. */
  readonly entries: readonly StoredEntry[]
  /** For each subject that was asked for, its last message; `undefined` where there is none. */
  readonly lastOf: readonly (StoredEntry | undefined)[]
  /** The identity of the stream: one that was made anew under the same name has another. `undefined` if it has none. */
  readonly streamId?: string | undefined
  /** @defaultValue nothing is deleted */
  readonly retention?: Retention | undefined
}

/** What was stored. */
export interface Acknowledged {
  /** Of the last message of the batch; of the one before it, where the batch was empty. */
  readonly sequence: number
}

/** Why a sink does not take a message. */
export interface Oversize {
  /** Length of the message in the sink. */
  readonly bytes: number
  readonly maxBytes: number
  /** The setting that limits it, as `max_payload`. */
  readonly setting: string
}

/** The stream of one app key. */
export interface EventSink extends Closable {
  /**
   * Reads the end of the stream. What is published next is expected to stand behind it.
   *
   * @throws RelayError `RELAY_SINK_UNAVAILABLE`, `RELAY_SINK_UNFIT`, `RELAY_CLOSED`.
   */
  tail(request: TailRequest): Promise<SinkTail>
  /**
   * Stores messages in their order, each once, behind what this writer published before. Calls may overlap: they are
   * stored in the order of the calls. A sink that is away is waited for.
   *
   * @returns As soon as all of them are stored.
   * @throws RelayError `RELAY_FENCED`, `RELAY_STREAM_REWOUND`, `RELAY_SINK_UNFIT`, `RELAY_EVENT_TOO_LARGE` or
   * `RELAY_CLOSED`. After any of them nothing more is stored until {@link tail} was read again; of what was not
   * acknowledged by then, a part may be in the stream.
   */
  publish(batch: readonly SinkEntry[]): Promise<Acknowledged>
  /** Whether a message is larger than the sink takes. @returns `undefined` if it is not. */
  oversize?(entry: SinkEntry): Oversize | undefined
  /**
   * Finds out whether the stream could be written now, without a message. Called every few seconds, one call at a time.
   *
   * @returns The limits of the stream, which may have been changed.
   * @throws RelayError `RELAY_SINK_UNAVAILABLE` if it cannot be written for now; any other error ends this writer.
   */
  probe?(): Promise<Retention>
}

/** Bytes that a message holds while it waits: two for each UTF-16 unit of its texts, and so many for the objects. */
export function entryBytes({ subject, key, headers, body, data }: SinkEntry): number {
  let units = subject.length + key.length + body.length
  for (const name in headers) units += name.length + (headers[name] as string).length
  return 1024 + 2 * units + (data?.length ?? 0)
}
