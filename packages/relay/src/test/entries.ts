/** Messages for tests of sinks. */
import type { SinkEntry } from '../sink/event-sink.ts'
import { CONTRACT_ADDRESS } from '../testing/contract-entries.ts'
import { eventHeaders } from '../wire/headers.ts'
import { eventSubject, subjectRoot } from '../wire/subjects.ts'

export { keys } from '../testing/assertions.ts'
export { event as entry, events as entries } from '../testing/contract-entries.ts'

/** The address of {@link entry}. */
export const ADDRESS = CONTRACT_ADDRESS

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
