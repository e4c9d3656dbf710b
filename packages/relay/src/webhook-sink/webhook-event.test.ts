import { expect, test } from 'vitest'
import { entry } from '../test/entries.ts'
import { createMessage, serializeCloudEvent, webhookId } from './webhook-event.ts'

test('copies the payload as received, with all digits', () => {
  const body = '{"price": 1.100000000000000000001,\n"price": 2}'
  const text = serializeCloudEvent({ ...entry(1), body })
  expect(text.endsWith(`"data":${body}}`)).toBe(true)
  expect(JSON.parse(text)).toMatchObject({ specversion: '1.0', datacontenttype: 'application/json' })
})

test.each([
  [{ body: 'no json' }, { datacontenttype: 'text/plain', data: 'no json' }],
  [{ body: '' }, { specversion: '1.0' }],
  [
    { body: '', data: Uint8Array.of(1, 255) },
    { datacontenttype: 'application/octet-stream', data_base64: 'Af8=' },
  ],
])('serializes %o', (change, expected) => {
  const event = JSON.parse(serializeCloudEvent({ ...entry(1), ...change }))
  expect(event).toMatchObject(expected)
  expect('data' in event).toBe('data' in expected)
})

test('has the headers as extension attributes', () => {
  const headers = {
    ...entry(1).headers,
    traceparent: '00-1-2-01',
    'ce-id': 'x',
    'Brokerwire-Message': 'no%20%C3%A9',
  }
  const event = JSON.parse(serializeCloudEvent({ ...entry(1), headers }))
  expect(event).toMatchObject({
    id: entry(1).key,
    bwtype: 'event',
    bweventtype: 'APPLICATION',
    bwposition: '1',
    bwreceivedat: '1767225600001',
    bwmessage: 'no é',
    traceparent: '00-1-2-01',
  })
  expect(Object.keys(event).every((name) => /^[a-z\d]+$/.test(name))).toBe(true)
})

test('the id of a request depends on the stream and the keys only', () => {
  const [one, two] = [entry(1), entry(2)]
  expect(webhookId('a', [one])).toBe(webhookId('a', [{ ...one, body: '', headers: {} }]))
  const ids = [
    webhookId('a', [one]),
    webhookId('b', [one]),
    webhookId('a', [two]),
    webhookId('a', [one, two]),
  ]
  expect(new Set(ids).size).toBe(4)
})

test('a batch is an array, even of one event', () => {
  expect(createMessage('a', [entry(1)], ['{}'], true)).toMatchObject({
    contentType: 'application/cloudevents-batch+json; charset=utf-8',
    body: Buffer.from('[{}]'),
  })
})
