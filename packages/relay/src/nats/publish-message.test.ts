import type { MsgHdrsImpl } from '@nats-io/nats-core/internal'
import { expect, test } from 'vitest'
import { entry } from '../test/entries.ts'
import { EntryFactory } from '../wire/entries.ts'
import { messageBytes, messageHeaders } from './publish-message.ts'

test('counts at least the bytes of a message whose own key and previous key are as long as possible', () => {
  // 1,020 bytes when it is encoded; a longer name is replaced by its hash.
  const name = '\u00e9'.repeat(170)
  const names = { service: 'module', kind: 'module', messageType: 2, id: name, eventType: name } as const
  const event = { ...names, position: '1', timestamp: '', version: '', payload: '{}', unknownFields: [] }
  const factory = new EntryFactory('root', 'incarnation', 'main')
  const { key } = factory.event('module', { ...event, type: 'event', receivedAtMs: 0 } as never)
  expect(key.length).toBeGreaterThan(2000)
  const id = `${key}@${'w'.repeat(22)}-${Number.MAX_SAFE_INTEGER.toString(36)}`
  const message = { ...entry(1), key, id, bytes: 0 }
  const headers = messageHeaders(message, { sequence: Number.MAX_SAFE_INTEGER, id }) as MsgHdrsImpl
  const sent = headers.encode().length + Buffer.byteLength(message.body)
  expect(messageBytes(message)).toBeGreaterThanOrEqual(sent)
})
