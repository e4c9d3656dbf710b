/** Items of a relay's stream as plain data. */
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { payloads } from '@brokerwire/payloads'
import { decodeItem } from '@brokerwire/streams'
import { expect, test } from 'vitest'
import { entry } from '../test/entries.ts'
import { eventHeaders } from './headers.ts'
import { acknowledgeItem, readItem } from './items.ts'

const order = {
  subject: 'brokerwire.sandbox.us.desk-a.trade.event.ACC1.order',
  headers: eventHeaders(
    {
      stream: 'trade',
      eventType: 1024,
      subscribeType: 1,
      contentType: 'application/json',
      requestId: 'r-1',
      timestamp: '1767225600000',
      unknownFields: [{ no: 15, wireType: 0, data: Uint8Array.of(1) }],
      receivedAtMs: 1_767_225_600_001,
    },
    'order',
  ),
  body: '{"account_id":"ACC1"}',
}

function readEvent(message: { subject: string; headers: Readonly<Record<string, string>>; body: string }) {
  const acks: string[] = []
  const { subject, headers, body } = message
  const read = (name: string) => headers[name]
  const item = readItem({ subject, read, body }, payloads, () => acks.push('ack'))
  if (item.type !== 'event') throw new Error('an event')
  return { item, acks }
}

test.each([
  ['a trade event', order],
  ['a module event', entry(1)],
])('%s is plain data: any copy can be decoded', async (_, message) => {
  const { item, acks } = readEvent(message)
  const decoded = item.decode()
  expect(item.decode()).toBe(decoded)
  expect(Object.values(item).filter((value) => typeof value === 'function')).toEqual([])
  const { port1, port2 } = new MessageChannel()
  const arrived = once(port2, 'message')
  port1.postMessage(item)
  const [posted] = await arrived
  port1.close()
  const copies = [{ ...item }, structuredClone(item), posted, JSON.parse(JSON.stringify(item))]
  for (const copy of copies) {
    expect(decodeItem(copy)).toEqual(decoded)
    acknowledgeItem(copy)
  }
  expect(copies[1]).toEqual({ ...item })
  expect(acks).toEqual([])
  item.ack()
  acknowledgeItem(item)

  expect(acks).toEqual(['ack', 'ack'])
})
