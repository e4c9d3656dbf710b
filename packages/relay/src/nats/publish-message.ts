/** A message as it is published: its id, its headers, and the subject of its acknowledgement. */
import { headers as createHeaders, type MsgHdrs } from '@nats-io/nats-core'
import type { SinkEntry } from '../sink/event-sink.ts'
import type { Expected, Ticket } from './publish-line.ts'

/** A message in the line. */
export interface QueuedEntry extends SinkEntry {
  readonly id: string
  readonly bytes: number
}

export const MESSAGE_ID = 'Nats-Msg-Id'

/** Bytes of the headers that are added to those of an entry. */
const OWN_HEADER_BYTES = 512

export function messageHeaders(entry: QueuedEntry, expected: Expected): MsgHdrs {
  const headers = createHeaders()
  for (const name in entry.headers) headers.set(name, entry.headers[name] as string)
  headers.set(MESSAGE_ID, entry.id)
  headers.set('Nats-Expected-Last-Sequence', String(expected.sequence))
  if (expected.id !== undefined) headers.set('Nats-Expected-Last-Msg-Id', expected.id)
  return headers
}

/** Bytes of a message on the wire, at most. */
export function messageBytes({ key, headers, body }: SinkEntry): number {
  let bytes = Buffer.byteLength(body) + key.length + OWN_HEADER_BYTES
  for (const name in headers) bytes += name.length + (headers[name] as string).length + 4
  return bytes
}

/** @param line - Numbers the lines of a sink: an answer to an earlier one is ignored. */
export function replySubject(inbox: string, line: number, { round, sequence }: Ticket): string {
  return `${inbox}.${line}-${round}-${sequence}`
}

/** @returns `undefined` for the subject of another line. */
export function readTicket(subject: string, line: number): Ticket | undefined {
  const found = /\.(\d+)-(\d+)-(\d+)$/.exec(subject)
  if (found === null || Number(found[1]) !== line) return undefined
  return { round: Number(found[2]), sequence: Number(found[3]) }
}
