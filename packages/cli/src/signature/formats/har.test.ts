/** Requests in HAR files: a whole file with a selection, an entry, and a request. */
import { expect, test } from 'vitest'
import { isHar, parseHar } from './har.ts'

const request = (url: string, ...names: readonly string[]) => ({
  method: 'POST',
  url,
  headers: names.map((name) => ({ name, value: `value of ${name}` })),
})
const har = (...requests: readonly object[]) => ({
  log: { entries: requests.map((one) => ({ request: one })) },
})
const signed = request('https://a.example/order?token=hunter2', 'X-Signature')
const read = (json: object, entry?: string, hasBody = false) => parseHar(json as never, { entry, hasBody })

test.each<[string, object]>([
  ['a HAR of one entry', har(signed)],
  [
    'a HAR with one signed request',
    har(request('https://a.example/page'), signed, request('https://a.example/image')),
  ],
  ['an entry', { request: signed, response: {} }],
  ['a request', signed],
])('%s', (_, json) => {
  expect(isHar(json as never)).toBe(true)
  expect(read(json)).toEqual({ url: signed.url, headers: { 'x-signature': 'value of X-Signature' } })
})

test('a request is selected by its number or by a part of its URL', () => {
  const several = har(
    signed,
    request('https://a.example/cancel', 'x-signature'),
    request('https://a.example/page'),
  )
  expect(read(several, '2').url).toBe('https://a.example/cancel')
  expect(read(several, '3').url).toBe('https://a.example/page')
  expect(read(several, '/cancel').url).toBe('https://a.example/cancel')
})

test('pseudo-headers of HTTP/2 are omitted, and Host is separate', () => {
  expect(read(request('https://a.example/', ':authority', ':path', 'Host', 'x', 'X'))).toEqual({
    url: 'https://a.example/',
    host: 'value of Host',
    headers: { x: ['value of x', 'value of X'] },
  })
})

test.each<[string, unknown, unknown]>([
  ['text', { text: '{"a":"é"}' }, '{"a":"é"}'],
  ['base64', { text: '/wA=', encoding: 'base64' }, Uint8Array.of(255, 0)],
  ['an empty text', { text: '' }, undefined],
  ['no text and no fields', { mimeType: 'x' }, undefined],
])('a body: %s', (_, postData, body) => {
  expect(read({ ...signed, postData }).body).toEqual(body)
  expect(read({ ...signed, postData }, undefined, true)).not.toHaveProperty('body')
})

test.each<[object, string | undefined, string]>([
  [har(), undefined, 'log.entries must have a request; received none'],
  [{ log: {} }, undefined, 'log.entries must be a list'],
  [{ log: { entries: [{}] } }, undefined, 'log.entries[0] must have a request'],
  [{ request: { url: 5 } }, undefined, 'request.url must be text'],
  [
    { request: { url: 'x', headers: [{ name: 'a' }] } },
    undefined,
    'request.headers must be a list of { name, value }',
  ],
  [
    { ...signed, postData: { params: [{}] } },
    undefined,
    'request.postData must have text; pass the body with --body-file',
  ],
  [har(signed, signed), undefined, '--entry must name one of 2 requests: 1 POST /order, 2 POST /order'],
  [har(signed, signed), '3', '--entry must be a number from 1 to 2; received 3'],
  [har(signed, signed), '/nowhere', '--entry must be a part of the URL of a request; none of 2 has it'],
])('case %# is rejected by name, without its values', (json, entry, message) => {
  expect(() => read(json, entry)).toThrow(expect.objectContaining({ message }))
})

test('the list of requests in an error is truncated', () => {
  expect(() => read(har(...Array.from({ length: 500 }, () => signed)))).toThrow(
    /20 POST \/order, and 480 more$/,
  )
})
