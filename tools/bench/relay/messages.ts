/** The messages that all contenders write: a module event of 700 bytes with its headers. */
import {
  eventHeaders,
  eventSubject,
  type SinkEntry,
  type StreamAddress,
  subjectRoot,
} from '@brokerwire/relay'

export const addressOf = (key: string): StreamAddress => ({
  prefix: 'bench',
  environment: 'sandbox',
  region: 'us',
  key,
})

const BODY = JSON.stringify({ text: 'x'.repeat(688) })
let made = 0

/** Each with an id of its own. */
export function messagesFor(address: StreamAddress, count: number): SinkEntry[] {
  const subject = eventSubject(subjectRoot(address), 'module', 'ACCOUNT', 'APPLICATION')
  return Array.from({ length: count }, () => {
    made += 1
    const frame = {
      stream: 'module',
      messageType: 2,
      id: `event-${made}`,
      eventType: 'APPLICATION',
      position: String(made),
      timestamp: '2026-01-01T00:00:00.123456789Z',
      version: '1.0',
      unknownFields: [],
      receivedAtMs: 1_767_225_600_000,
    } as const
    return {
      subject,
      key: `module:APPLICATION:event-${made}:digest-of-22-letters`,
      headers: eventHeaders(frame, 'module'),
      body: BODY,
    }
  })
}
