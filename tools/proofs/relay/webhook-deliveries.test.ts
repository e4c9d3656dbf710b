/** Deliveries become messages, and copies that differ are found. */
import { expect, test } from 'vitest'
import { serializeCloudEvent } from '../../../packages/relay/src/webhook-sink/webhook-event.ts'
import type { EntryFactory } from '../../../packages/relay/src/wire/entries.ts'
import { HEADER } from '../../../packages/relay/src/wire/headers.ts'
import { countCopies, type Delivery, toMessages } from './webhook-deliveries.ts'

type Entry = ReturnType<EntryFactory['notice']>

const entry = (id: string, body = `{"price":1.10,"id":"${id}"}`): Entry => ({
  subject: 'proof.production.us.team-0.module.event.ACCOUNT.APPLICATION',
  key: `module:APPLICATION:${id}:digest`,
  headers: { [HEADER.type]: 'event', [HEADER.source]: 'module', [HEADER.id]: id },
  body,
})
const delivery = (id: string, webhookId = `msg_${id}`, body?: string): Delivery => ({
  stream: 'proof_production_us_team-0',
  webhookId,
  atMs: 5,
  event: serializeCloudEvent(entry(id, body)),
})

test('a delivery has the headers and the payload that the relay received', () => {
  expect(toMessages([delivery('a'), delivery('b'), delivery('a')])).toEqual(
    ['a', 'b'].map((id, at) => ({
      sequence: at + 1,
      storedAtMs: 5,
      headers: entry(id).headers,
      body: entry(id).body,
    })),
  )
})

test.each([
  ['none', [delivery('a'), delivery('b')], { redelivered: 0, conflicting: 0 }],
  ['the same copy', [delivery('a'), delivery('a')], { redelivered: 1, conflicting: 0 }],
  ['another webhook-id', [delivery('a'), delivery('a', 'msg_x')], { redelivered: 1, conflicting: 1 }],
  ['another payload', [delivery('a'), delivery('a', 'msg_a', '{}')], { redelivered: 1, conflicting: 1 }],
  ['one webhook-id of two messages', [delivery('a'), delivery('b', 'msg_a')], { conflicting: 1 }],
])('copies: %s', (_, deliveries, copies) => {
  expect(countCopies(deliveries)).toMatchObject(copies)
})
