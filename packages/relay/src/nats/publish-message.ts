/** The wire form of a published message: its id, its headers, and the subject of its acknowledgement. */
import { headers as createHeaders, type MsgHdrs } from '@nats-io/nats-core'
import type { Oversize, SinkEntry } from '../sink/event-sink.ts'
import { MAX_KEY_LENGTH } from '../wire/entries.ts'
import type { StreamConfig } from './api/jetstream-api.ts'
import type { Expected, Ticket } from './publish-pipeline.ts'

/** A message in the pipeline. */
export interface QueuedEntry extends SinkEntry {
  readonly id: string
  readonly bytes: number
}

export const MESSAGE_ID = 'Nats-Msg-Id'

/**
 * The maximum number of bytes of the headers that are added to those of an entry, without the keys in the
 * added headers.
 */
const ADDED_HEADER_BYTES = 512

export function messageHeaders(entry: QueuedEntry, expected: Expected): MsgHdrs {
  const headers = createHeaders()
  for (const name in entry.headers) headers.set(name, entry.headers[name] as string)
  headers.set(MESSAGE_ID, entry.id)
  headers.set('Nats-Expected-Last-Sequence', String(expected.sequence))
  if (expected.id !== undefined) headers.set('Nats-Expected-Last-Msg-Id', expected.id)
  return headers
}

/** Returns the maximum number of bytes of a message on the wire. */
export function messageBytes({ key, headers, body, data }: SinkEntry): number {
  // One header has the key of the message before. Its length is not known here, so the longest key is
  // assumed.
  let bytes = Buffer.byteLength(data ?? body) + key.length + MAX_KEY_LENGTH + ADDED_HEADER_BYTES
  for (const name in headers) bytes += name.length + (headers[name] as string).length + 4
  return bytes
}

/**
 * Finds the smallest limit of the server or the stream that a message exceeds.
 *
 * @param maxPayload - The limit of the server.
 */
export function findOversize(
  entry: SinkEntry,
  maxPayload: number | undefined,
  { max_msg_size, max_bytes }: StreamConfig,
): Oversize | undefined {
  const bytes = messageBytes(entry)
  const limits: [string, unknown][] = Object.entries({ max_payload: maxPayload, max_msg_size, max_bytes })
  let smallest: Oversize | undefined
  for (const [setting, maxBytes] of limits) {
    if (typeof maxBytes !== 'number' || maxBytes <= 0 || bytes <= maxBytes) continue
    if (smallest === undefined || maxBytes < smallest.maxBytes)
      smallest = { messageBytes: bytes, maxBytes, setting }
  }
  return smallest
}

/**
 * Returns the subject of an acknowledgement.
 *
 * @param pipeline - The number of the pipeline. Replies to earlier pipelines are ignored.
 */
export function replySubject(inbox: string, pipeline: number, { round, sequence }: Ticket): string {
  return `${inbox}.${pipeline}-${round}-${sequence}`
}

/** Parses the subject of an acknowledgement. @returns `undefined` if it is of another pipeline. */
export function parseTicket(subject: string, pipeline: number): Ticket | undefined {
  const found = /\.(\d+)-(\d+)-(\d+)$/.exec(subject)
  if (found === null || Number(found[1]) !== pipeline) return undefined
  return { round: Number(found[2]), sequence: Number(found[3]) }
}
