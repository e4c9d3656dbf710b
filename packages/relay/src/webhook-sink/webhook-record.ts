/**
 * The record of a webhook stream in the store. A receiver of webhooks cannot be read, so the record has what the next
 * writer needs: the sequence, the last messages, and the last message of each subject that the relay requests.
 * Bodies of events are not stored. The record is changed by compare-and-set, which also fences an earlier writer.
 */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import { stateInvalid } from '../relay-error.ts'
import type { SinkEntry, SinkTail, StoredEntry, TailRequest } from '../sink/event-sink.ts'
import { HEADER } from '../wire/headers.ts'
import { matchesSubject } from '../wire/subjects.ts'

const VERSION = 1
/** Limits of the last messages. */
const MAX_MESSAGES = 100
const MAX_BYTES = 64 * 1024
/** A longer body of a notice is not stored. */
const MAX_BODY_LENGTH = 16 * 1024

/** Returns the store key of the record. */
export function webhookRecordKey(stream: string): string {
  return `relay/webhook/${encodeURIComponent(stream)}`
}

export class WebhookRecord {
  /** A random id of the writer; empty if there was no writer. */
  readonly writer: string
  /** The sequence of the last message. */
  readonly sequence: number
  /** The last messages as JSON, oldest first. */
  readonly #recent: readonly string[]
  /** The last message of each requested subject, by the filter. */
  readonly #lastOf: ReadonlyMap<string, StoredEntry>

  constructor(
    writer = '',
    sequence = 0,
    recent: readonly string[] = [],
    lastOf: ReadonlyMap<string, StoredEntry> = new Map(),
  ) {
    this.writer = writer
    this.sequence = sequence
    this.#recent = recent
    this.#lastOf = lastOf
  }

  /** Returns the end of the stream. */
  tail({ maxEntries, lastOf = [] }: TailRequest): SinkTail {
    const recent = this.#recent.map((text) => JSON.parse(text) as StoredEntry)
    const findLast = (filter: string): StoredEntry | undefined =>
      this.#lastOf.get(filter) ?? recent.filter(({ subject }) => matchesSubject(filter, subject)).at(-1)
    return {
      sequence: this.sequence,
      entries: maxEntries === 0 ? [] : recent.slice(-maxEntries),
      lastOf: lastOf.map(findLast),
    }
  }

  /** Returns the record of another writer. @param lastOf - The filters whose last message is kept from now on. */
  withWriter(writer: string, lastOf: readonly string[]): WebhookRecord {
    const found = new Map<string, StoredEntry>()
    for (const [at, entry] of this.tail({ maxEntries: 0, lastOf }).lastOf.entries())
      if (entry !== undefined) found.set(lastOf[at] as string, entry)
    return new WebhookRecord(writer, this.sequence, this.#recent, found)
  }

  /** Returns the record after further messages. @param lastOf - The filters whose last message is kept. */
  append(entries: readonly SinkEntry[], lastOf: readonly string[]): WebhookRecord {
    const found = new Map(this.#lastOf)
    const recent = [...this.#recent]
    let { sequence } = this
    for (const entry of entries) {
      sequence += 1
      const stored = withoutEventBody(entry, sequence)
      recent.push(JSON.stringify(stored))
      for (const filter of lastOf) if (matchesSubject(filter, entry.subject)) found.set(filter, stored)
    }
    return new WebhookRecord(this.writer, sequence, newest(recent), found)
  }

  /** Returns the last notice of a writer among the stored messages. */
  get lastWriterNotice(): StoredEntry | undefined {
    const { entries } = this.tail({ maxEntries: MAX_MESSAGES })
    return [...this.#lastOf.values(), ...entries]
      .sort((one, other) => one.sequence - other.sequence)
      .filter(({ headers }) => headers[HEADER.kind] === 'writer-changed')
      .at(-1)
  }

  serialize(): string {
    const { writer, sequence } = this
    const head = JSON.stringify({ v: VERSION, writer, sequence, lastOf: Object.fromEntries(this.#lastOf) })
    return `${head.slice(0, -1)},"entries":[${this.#recent.join(',')}]}`
  }

  /** Parses a record. @throws RelayError `RELAY_STATE_INVALID`. */
  static parse(storeKey: string, text: string): WebhookRecord {
    const value = parseJsonObject(text)
    const { v, writer, sequence, lastOf, entries } = value ?? {}
    const isValid =
      v === VERSION &&
      typeof writer === 'string' &&
      Number.isSafeInteger(sequence) &&
      isRecord(lastOf) &&
      Object.values(lastOf).every(isStoredEntry) &&
      Array.isArray(entries) &&
      entries.every(isStoredEntry)
    if (!isValid) throw stateInvalid(storeKey, 'not a record of webhooks', v)
    return new WebhookRecord(
      writer,
      Number(sequence),
      entries.map((entry) => JSON.stringify(entry)),
      new Map(Object.entries(lastOf as Record<string, StoredEntry>)),
    )
  }
}

function withoutEventBody({ subject, key, headers, body }: SinkEntry, sequence: number): StoredEntry {
  const isKept = headers[HEADER.type] === 'notice' || headers[HEADER.kind] === 'writer-changed'
  return { sequence, subject, key, headers, body: isKept && body.length <= MAX_BODY_LENGTH ? body : '' }
}

/** Returns the newest messages within the limits. */
function newest(recent: readonly string[]): readonly string[] {
  let start = recent.length
  let bytes = 0
  while (start > 0 && recent.length - start < MAX_MESSAGES) {
    bytes += (recent[start - 1] as string).length
    if (bytes > MAX_BYTES) break
    start -= 1
  }
  return recent.slice(start)
}

function isStoredEntry(value: unknown): value is StoredEntry {
  if (!isRecord(value)) return false
  const { sequence, subject, key, headers, body } = value
  return (
    Number.isSafeInteger(sequence) &&
    typeof subject === 'string' &&
    typeof key === 'string' &&
    typeof body === 'string' &&
    isRecord(headers) &&
    Object.values(headers).every((header) => typeof header === 'string')
  )
}
