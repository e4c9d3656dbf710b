/** Messages of the benchmark: module events of 700 bytes with their headers. */
import {
  eventHeaders,
  eventSubject,
  type SinkEntry,
  type StreamAddress,
  subjectRoot,
} from '@brokerwire/relay'

/** Number of entries in one `publish` call. A relay, too, passes events that arrived together in one call. */
export const BATCH = 64
const BODY = JSON.stringify({ text: 'x'.repeat(688) })
let made = 0

export const addressOf = (app: string): StreamAddress => ({
  prefix: 'bench',
  environment: 'sandbox',
  region: 'us',
  app,
})

/** Creates entries, each with another id. */
export function entriesFor(address: StreamAddress, count: number): SinkEntry[] {
  const subject = eventSubject(subjectRoot(address), 'module', 'ACCOUNT', 'APPLICATION')
  return Array.from({ length: count }, () => {
    made += 1
    const frame = {
      subscription: 'module',
      messageType: 2,
      id: `event-${made}`,
      eventType: 'APPLICATION',
      position: String(made),
      timestamp: '2026-01-01T00:00:00.123456789Z',
      version: '1.0',
      unknownFields: [],
      receivedAtMs: 1_767_225_600_000,
    } as const
    const key = `module:APPLICATION:event-${made}:digest-of-22-letters`
    return { subject, key, headers: eventHeaders(frame, 'module'), body: BODY }
  })
}
