/** Messages for the contract of a sink. */
import type { SinkEntry } from '../sink/event-sink.ts'
import { eventHeaders, noticeHeaders, undecodableHeaders } from '../wire/headers.ts'
import {
  eventSubject,
  noticeSubject,
  type StreamAddress,
  subjectRoot,
  undecodableSubject,
} from '../wire/subjects.ts'

/** The address of the stream whose subjects the messages of the contract have. */
export const CONTRACT_ADDRESS: StreamAddress = {
  prefix: 'brokerwire',
  environment: 'sandbox',
  region: 'us',
  app: 'team-a',
}

/** The start of all subjects. */
export const ROOT = subjectRoot(CONTRACT_ADDRESS)

const RECEIVED_AT_MS = 1_767_225_600_000

/** Creates a module event. @param number - Its position, and a part of its id. */
export function event(number: number, eventType = 'APPLICATION'): SinkEntry {
  const headers = eventHeaders(
    {
      subscription: 'module',
      messageType: 2,
      id: `e-${number}`,
      eventType,
      position: String(number),
      timestamp: '2026-01-01T00:00:00.123456789Z',
      version: '1.0',
      unknownFields: [],
      receivedAtMs: RECEIVED_AT_MS + number,
    },
    'module',
  )
  return {
    subject: eventSubject(ROOT, 'module', 'ACC1', eventType),
    key: `${eventType}:e-${number}:digest`,
    headers,
    body: `{"id":"e-${number}","payload":{"text":"\u00e9 \u{1f4c8}\\r\\n"}}`,
  }
}

/** Creates the events of the numbers from `first` to `last`. */
export const events = (first: number, last: number): SinkEntry[] =>
  Array.from({ length: last - first + 1 }, (_, index) => event(first + index))

/** Creates the notice of a new writer. */
export function writerNotice(relay: string): SinkEntry {
  return {
    subject: noticeSubject(ROOT, 'relay', 'writer-changed'),
    key: `notice:relay:writer-changed:${relay}`,
    headers: noticeHeaders('relay', 'writer-changed'),
    body: JSON.stringify({ type: 'notice', kind: 'writer-changed', relay }),
  }
}

/** Creates an undecodable message with bytes that are not UTF-8. */
export function undecodable(): SinkEntry {
  return {
    subject: undecodableSubject(ROOT, 'trade', 'malformed'),
    key: 'trade:undecodable:digest',
    headers: undecodableHeaders({
      subscription: 'trade',
      reason: 'malformed',
      message: 'a field ends too early',
      length: 5,
      receivedAtMs: RECEIVED_AT_MS,
    }),
    body: '',
    data: Uint8Array.of(0x1a, 0, 0xff, 0x0d, 0x0a),
  }
}
