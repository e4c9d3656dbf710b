import { expect, test } from 'vitest'
import { isJsonContentType } from './content-type.ts'
import { payloads } from './payloads.ts'

test.each(['application/json', '', 'APPLICATION/JSON; charset=utf-8', 'application/problem+json'])(
  'JSON: %j',
  (contentType) => expect(isJsonContentType(contentType)).toBe(true),
)

test.each(['text/plain', 'application/x-json-stream', 'text/html; note=json', ' '])(
  'not JSON: %j',
  (contentType) => expect(isJsonContentType(contentType)).toBe(false),
)

test('an order without a content type is decoded as JSON', () => {
  const order = payloads.order({ eventType: 1024, contentType: '', payload: '{"symbol":"AAPL"}' })
  expect(order.ok ? order.value.symbol : order.error.code).not.toBe('PAYLOAD_CONTENT_TYPE')
})
