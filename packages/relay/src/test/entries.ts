/** Messages for tests of sinks. */
import type { SinkEntry } from '../sink/event-sink.ts'
import { eventHeaders } from '../wire/headers.ts'
import { eventSubject, type StreamAddress, subjectRoot } from '../wire/subjects.ts'

export const ADDRESS: StreamAddress = {
  prefix: 'brokerwire',
  environment: 'sandbox',
  region: 'us',
  app: 'team-a',
}

/** A module event. @param number - Its position, and a part of its id. */
export function entry(number: number, eventType = 'APPLICATION'): SinkEntry {
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
      receivedAtMs: 1_767_225_600_000 + number,
    },
    'module',
  )
  return {
    subject: eventSubject(subjectRoot(ADDRESS), 'module', 'ACC1', eventType),
    key: `${eventType}:e-${number}:digest`,
    headers,
    body: `{"id":"e-${number}","payload":{"text":"\u00e9 \u{1f4c8}\\r\\n"}}`,
  }
}

/** An order event. @param number - A part of its request id. */
export function tradeEntry(number: number): SinkEntry {
  const headers = eventHeaders(
    {
      subscription: 'trade',
      eventType: 1024,
      subscribeType: 1,
      contentType: 'application/json',
      requestId: `r-${number}`,
      timestamp: String(1_767_225_600_000 + number),
      unknownFields: [],
      receivedAtMs: 1_767_225_600_000 + number,
    },
    'order',
  )
  const subject = eventSubject(subjectRoot(ADDRESS), 'trade', 'ACC1', 'order')
  return { subject, key: `trade:r-${number}`, headers, body: '{"account_id":"ACC1"}' }
}

export const entries = (from: number, to: number): SinkEntry[] =>
  Array.from({ length: to - from + 1 }, (_, index) => entry(from + index))

export const keys = (stored: readonly { readonly key: string }[]): string[] => stored.map(({ key }) => key)
