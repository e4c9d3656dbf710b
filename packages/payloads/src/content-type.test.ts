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

test('an event without a content type is decoded as JSON, and one of another type is not', () => {
  const payload =
    '{"event_name":"Rain?","yes_condition":"Above 10 mm","settle_result":"YES","settle_side":"YES",' +
    '"quantity":10.00,"cost":"4.20","settle_amount":"0E-10"}'
  const position = payloads.position({ eventType: 1028, contentType: '', payload })
  expect(position.ok && position.value.eventName).toBe('Rain?')
  const plain = payloads.position({ eventType: 1028, contentType: 'text/plain', payload })
  expect(!plain.ok && plain.error.code).toBe('PAYLOAD_CONTENT_TYPE')
})
