/** The end of a stream, as a writer reads it before it publishes. */
import type { SinkTail, StoredEntry, TailRequest } from '../sink/event-sink.ts'
import {
  type JetStreamApi,
  JetStreamApiError,
  type RawMessage,
  type StreamConfig,
} from './api/jetstream-api.ts'
import { getRetention } from './api/stream-limits.ts'
import { MESSAGE_ID } from './publish-message.ts'

/** Requests for single messages at the same time. */
const READ_AHEAD = 64
/** For each of them. */
const READ_ATTEMPTS = 3

/** The end of a stream, and the values that the next message expects. */
export interface StreamEnd {
  readonly tail: SinkTail
  /** The id of the last message; empty if it has none, `undefined` if the message is no longer there. */
  readonly lastId: string | undefined
  /** When the stream was made. */
  readonly created: string
  readonly config: StreamConfig
}

/** @param isClosed - Nothing more is read then. */
export async function readStreamEnd(
  api: JetStreamApi,
  { maxEntries, lastOf = [] }: TailRequest,
  isClosed: () => boolean,
): Promise<StreamEnd> {
  // The sequence is read first, and the first message expects it: a message of another writer after that is noticed.
  const { lastSequence: sequence, messages, created, config } = await api.info()
  const found = await inParallel(lastOf, (filter) => api.message({ last_by_subj: filter }))
  const last = messages === 0 ? undefined : await api.message({ seq: sequence })
  const count = Math.min(maxEntries, messages, sequence)
  const sequences = Array.from({ length: count }, (_, index) => sequence - count + 1 + index)
  const entries = await inParallel(sequences, (seq) => readMessage(api, seq, isClosed))
  return {
    tail: {
      sequence,
      entries: entries.filter((entry) => entry !== undefined).map(storedEntry),
      lastOf: found.map((entry) => entry && storedEntry(entry)),
      streamId: created,
      retention: getRetention(config),
    },
    lastId: last && messageId(last),
    created,
    config,
  }
}

/** The id under which a message was published; empty if it has none. */
export function messageId({ headers }: RawMessage): string {
  return headers[MESSAGE_ID] ?? ''
}

const NATS_HEADERS = /^Nats-/

export function storedEntry(message: RawMessage): StoredEntry {
  const { subject, sequence, headers, body } = message
  const id = messageId(message)
  const at = id.lastIndexOf('@')
  const ownHeaders = Object.entries(headers).filter(([name]) => !NATS_HEADERS.test(name))
  return {
    subject,
    sequence,
    headers: Object.fromEntries(ownHeaders),
    body,
    key: at === -1 ? id : id.slice(0, at),
  }
}

/** One of thousands: if a busy server answers one late, the others are not requested again. */
async function readMessage(
  api: JetStreamApi,
  seq: number,
  isClosed: () => boolean,
): Promise<RawMessage | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await api.message({ seq })
    } catch (error) {
      if (attempt === READ_ATTEMPTS || error instanceof JetStreamApiError || isClosed()) throw error
    }
  }
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += READ_AHEAD)
    results.push(...(await Promise.all(items.slice(at, at + READ_AHEAD).map(work))))
  return results
}
