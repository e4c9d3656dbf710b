/** Items of a relay's stream as plain data. */
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { payloads } from '@brokerwire/payloads'
import { decodeItem } from '@brokerwire/streams'
import { describe, expect, test } from 'vitest'
import { entry, tradeEntry } from '../test/entries.ts'
import type { SinkEntry } from './entries.ts'
import { EntryFactory } from './entries.ts'
import { eventHeaders } from './headers.ts'
import { acknowledgeItem, parseItem } from './items.ts'

const order = {
  subject: 'brokerwire.sandbox.us.team-a.trade.event.ACC1.order',
  headers: eventHeaders(
    {
      subscription: 'trade',
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
  const getHeader = (name: string) => headers[name]
  const item = parseItem({ subject, getHeader, body }, payloads, () => acks.push('ack'))
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

const MALFORMED = {
  type: 'undecodable',
  kind: 'undecodable',
  service: 'module',
  reason: 'malformed',
  message: 'protobuf: a string is not UTF-8',
  bytes: Uint8Array.of(0x1a, 1, 0xff),
  length: 3,
  receivedAtMs: 1_767_225_600_000.5,
} as const
const TOO_LARGE = { ...MALFORMED, reason: 'too-large', bytes: undefined, length: 20_000_000 } as const

test.each([
  ['whose bytes are no message', MALFORMED],
  ['that was too large', TOO_LARGE],
])('a message %s parses to the same item, with a copy of its bytes', (_, undecodable) => {
  const { subject, headers, body, data } = new EntryFactory('root', 'one', 'main').undecodable(
    'module',
    undecodable,
  )
  expect(subject).toBe(`root.module.undecodable.${undecodable.reason}`)
  expect(body).toBe('')
  expect(headers).toMatchObject({
    'Brokerwire-Kind': 'undecodable',
    'Brokerwire-Cluster': 'main',
    'Brokerwire-Content-Type': 'application/octet-stream',
  })
  const received = Buffer.from(data ?? [])
  const item = parseItem(
    { subject, getHeader: (name) => headers[name], body, data: received },
    payloads,
    () => {},
  )
  received.fill(0)
  expect(item).toEqual(undecodable)
  expect(structuredClone(item)).toEqual(undecodable)
})

test('an oversized undecodable message keeps its length, and names the limit', () => {
  const entries = new EntryFactory('root', 'one', 'main')
  const oversize = { messageBytes: 2000, maxBytes: 1000, setting: 'max_payload' }
  const { subject, headers, body, data } = entries.oversized(
    entries.undecodable('module', MALFORMED),
    oversize,
  )
  const item = parseItem({ subject, getHeader: (name) => headers[name], body, data }, payloads, () => {})
  const message = `the message must have at most 1000 bytes in the sink (max_payload); it has 2000. It could not be decoded: ${MALFORMED.message}`
  expect(item).toEqual({ ...MALFORMED, reason: 'too-large', message, bytes: undefined })
  expect(subject).toBe('root.module.undecodable.too-large')
})

test('an undecodable message has the same key in each copy, unless it was too large', () => {
  const entries = new EntryFactory('root', 'one', 'main')
  const keysOf = (item: typeof MALFORMED | typeof TOO_LARGE) =>
    new Set([1, 2].map(() => entries.undecodable('module', item).key)).size
  expect(keysOf(MALFORMED)).toBe(1)
  expect(keysOf(TOO_LARGE)).toBe(2)
})

describe('the trace context of an item', () => {
  const entries = new EntryFactory('root', 'one', 'main')
  const oversize = { messageBytes: 2000, maxBytes: 1000, setting: 'max_payload' }
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const parse = (message: SinkEntry, added: Readonly<Record<string, string>>) => {
    const headers = { ...message.headers, ...added }
    return parseItem({ ...message, getHeader: (name) => headers[name] }, payloads, () => {})
  }

  test.each([
    ['a module event', entry(1)],
    ['a trade event', tradeEntry(1)],
    ['an undecodable message', entries.undecodable('module', MALFORMED)],
    ['an oversized event', entries.oversized(entry(1), oversize)],
    [
      'a notice',
      entries.notice('trade', { type: 'notice', kind: 'subscribed', atMs: 1, attempt: 1 } as never),
    ],
  ])('of %s has the headers of its message', (_, message) => {
    const untraced = parse(message, {})
    expect(untraced).not.toHaveProperty('traceHeaders')
    const item = parse(message, { traceparent, tracestate: 'a=1' })
    expect({ ...item }).toEqual({ ...untraced, traceHeaders: { traceparent, tracestate: 'a=1' } })
    expect(structuredClone(item).traceHeaders).toEqual(item.traceHeaders)
    expect(parse(message, { traceparent }).traceHeaders).toEqual({ traceparent })
    expect(parse(message, { tracestate: 'a=1' })).not.toHaveProperty('traceHeaders')
  })
})
