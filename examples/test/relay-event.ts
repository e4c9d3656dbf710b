/** Events of a relay for the tests of its readers. */
import { eventHeaders } from '@brokerwire/relay'

/** The address of the stream. */
export const ADDRESS = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' } as const

/** Returns the module event with a number. */
export const event = (number: number) => ({
  subject: 'brokerwire.sandbox.us.team-a.module.event._.APPLICATION',
  key: `event-${number}`,
  headers: eventHeaders(
    {
      subscription: 'module',
      messageType: 2,
      id: `e-${number}`,
      eventType: 'APPLICATION',
      position: String(number),
      timestamp: '2026-01-01T00:00:00Z',
      version: '1.0',
      unknownFields: [],
      receivedAtMs: 1_767_225_600_000,
    },
    'module',
  ),
  body: `{"number":${number}}`,
})
