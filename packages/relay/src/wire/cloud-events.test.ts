import { expect, test } from 'vitest'
import { entry, tradeEntry } from '../test/entries.ts'
import { undecodable } from '../testing/contract-entries.ts'
import { addCloudEventHeaders, type CloudEventAttributes, cloudEventAttributes } from './cloud-events.ts'
import type { SinkEntry } from './entries.ts'
import { noticeHeaders, oversizedHeaders } from './headers.ts'
import { noticeSubject } from './subjects.ts'

const SOURCE = '/brokerwire/sandbox/us/team-a'
const notice = (body: object): SinkEntry => ({
  subject: noticeSubject('brokerwire.sandbox.us.team-a', 'trade', 'gap'),
  key: 'notice:trade:gap:1',
  headers: noticeHeaders('trade', 'gap'),
  body: JSON.stringify(body),
})
const withTimestamp = (timestamp: string): SinkEntry => ({
  ...tradeEntry(1),
  headers: { ...tradeEntry(1).headers, 'Brokerwire-Timestamp': timestamp },
})

test.each<[string, SinkEntry, Partial<CloudEventAttributes>]>([
  [
    'a module event',
    entry(7),
    {
      specversion: '1.0',
      id: 'APPLICATION:e-7:digest',
      source: SOURCE,
      type: 'brokerwire.event.module',
      subject: 'module.event.ACC1.APPLICATION',
      time: '2026-01-01T00:00:00.123456789Z',
      datacontenttype: 'application/json',
    },
  ],
  [
    'a trade event',
    tradeEntry(7),
    {
      specversion: '1.0',
      id: 'trade:r-7',
      source: SOURCE,
      type: 'brokerwire.event.order',
      subject: 'trade.event.ACC1.order',
      time: '2026-01-01T00:00:00.007Z',
      datacontenttype: 'application/json',
    },
  ],
  [
    'an undecodable message',
    undecodable(),
    {
      specversion: '1.0',
      id: 'trade:undecodable:digest',
      source: SOURCE,
      type: 'brokerwire.undecodable.undecodable',
      subject: 'trade.undecodable.malformed',
      time: '2026-01-01T00:00:00.000Z',
      datacontenttype: 'application/octet-stream',
    },
  ],
  [
    'a notice',
    notice({ atMs: 1_767_225_600_000 }),
    {
      specversion: '1.0',
      id: 'notice:trade:gap:1',
      source: SOURCE,
      type: 'brokerwire.notice.gap',
      subject: 'trade.notice.gap',
      time: '2026-01-01T00:00:00.000Z',
      datacontenttype: 'application/json',
    },
  ],
])('describes %s', (_, message, attributes) => {
  expect(cloudEventAttributes(message)).toEqual(attributes)
})

test('has no time if a notice has none', () => {
  expect(cloudEventAttributes(notice({}))).not.toHaveProperty('time')
})

test('has the time at which the relay received an event whose timestamp is no instant', () => {
  for (const timestamp of ['', 'yesterday', '-1', '9e99', '%0A'])
    expect(cloudEventAttributes(withTimestamp(timestamp)).time).toBe('2026-01-01T00:00:00.001Z')
})

test('has no content type for an event without a body, and text/plain for a body that is not JSON', () => {
  const headers = oversizedHeaders(entry(1).headers, { messageBytes: 2, maxBytes: 1, setting: 'max_payload' })
  const oversized = cloudEventAttributes({ ...entry(1), headers, body: '' })
  expect(oversized.type).toBe('brokerwire.oversized.oversized')
  expect(oversized).not.toHaveProperty('datacontenttype')
  expect(cloudEventAttributes({ ...entry(1), body: '{' }).datacontenttype).toBe('text/plain')
})

test('adds a header for each attribute, in printable ASCII, and changes no other', () => {
  const message = { ...entry(1), key: 'name with space and \u00e9' }
  const { headers, ...rest } = addCloudEventHeaders(message)
  expect(rest).toEqual({ subject: message.subject, key: message.key, body: message.body })
  expect(headers).toEqual({
    ...message.headers,
    'ce-specversion': '1.0',
    'ce-id': 'name%20with%20space%20and%20%C3%A9',
    'ce-source': SOURCE,
    'ce-type': 'brokerwire.event.module',
    'ce-subject': 'module.event.ACC1.APPLICATION',
    'ce-time': '2026-01-01T00:00:00.123456789Z',
    'ce-datacontenttype': 'application/json',
  })
})
