/** Reads the end of a stream before a writer publishes. */
import type { SinkTail, StoredEntry, TailRequest } from '../sink/event-sink.ts'
import { HEADER } from '../wire/headers.ts'
import {
  type JetStreamApi,
  JetStreamApiError,
  type RawMessage,
  type StreamConfig,
} from './api/jetstream-api.ts'
import { getRetention } from './api/stream-limits.ts'
import { MESSAGE_ID } from './publish-message.ts'

/** The number of concurrent requests for single messages. */
const READ_AHEAD = 64
/** The number of attempts to read each message. */
const READ_ATTEMPTS = 3

/** The end of a stream, with the values that the next message expects. */
export interface StreamEnd {
  readonly tail: SinkTail
  /** The id of the last message; empty if it has no id, `undefined` if the message is no longer stored. */
  readonly lastId: string | undefined
  /** The creation time of the stream. */
  readonly created: string
  readonly config: StreamConfig
}

/** Reads the end of a stream. @param isClosed - If it returns `true`, failed requests are not retried. */
export async function readStreamEnd(
  api: JetStreamApi,
  { maxEntries, lastOf = [] }: TailRequest,
  isClosed: () => boolean,
): Promise<StreamEnd> {
  // The sequence is read first, and the first published message expects it. So if another writer stores a
  // message after that, this is noticed.
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

/** Returns the id under which a message was published, or an empty string if it has no id. */
export function messageId({ headers }: RawMessage): string {
  return headers[MESSAGE_ID] ?? ''
}

const NATS_HEADERS = /^Nats-/

export function storedEntry(message: RawMessage): StoredEntry {
  const { subject, sequence, headers, body, bytes } = message
  const id = messageId(message)
  const at = id.lastIndexOf('@')
  const ownHeaders = Object.entries(headers).filter(([name]) => !NATS_HEADERS.test(name))
  const entry = {
    subject,
    sequence,
    headers: Object.fromEntries(ownHeaders),
    body,
    key: at === -1 ? id : id.slice(0, at),
  }
  return headers[HEADER.type] === 'undecodable' ? { ...entry, body: '', data: Uint8Array.from(bytes) } : entry
}

/** Reads one message. If a busy server responds late, only this request of thousands is sent again. */
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
