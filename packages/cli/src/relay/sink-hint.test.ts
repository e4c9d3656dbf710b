/** Hints for a sink that waits. */
import { expect, test } from 'vitest'
import { sinkHint } from './sink-hint.ts'

test.each([
  ['webhook', 'status 401', 'sink.secret'],
  ['webhook', 'status 403', 'sink.secret'],
  ['jetstream', 'brokerwire_x is unavailable: Authorization Violation', 'sink.credentials'],
  ['package', 'x is unavailable: unauthorized', 'credentials'],
] as const)('%s: %s has a hint on %s', (type, reason, hint) => {
  expect(sinkHint(type, reason)).toContain(hint)
})

test.each(['status 500', 'no response within 5000 ms', 'ECONNREFUSED'])('%s has no hint', (reason) => {
  expect(sinkHint('webhook', reason)).toBeUndefined()
})
