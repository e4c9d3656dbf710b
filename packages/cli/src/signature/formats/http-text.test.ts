/** Raw HTTP requests: both line ends, the output of `curl --verbose`, bodies and their lengths. */
import { expect, test } from 'vitest'
import { isHttpText, parseHttpText } from './http-text.ts'

const read = (text: string, hasBody = false) => parseHttpText(text, { hasBody })
const HEAD = 'POST /a?b=1 HTTP/1.1\nHost: api.example.com:8443\nX-One: 1\n'
const PARTS = { url: 'https://api.example.com:8443/a?b=1' }

test.each<[string, string, object]>([
  ['no body', HEAD, { ...PARTS, headers: { 'x-one': '1' } }],
  ['CRLF', HEAD.replaceAll('\n', '\r\n'), { ...PARTS, headers: { 'x-one': '1' } }],
  ['a body', `${HEAD}\n{"x":1}\n`, { ...PARTS, headers: { 'x-one': '1' }, body: '{"x":1}' }],
  ['a body of lines', `${HEAD}\na\r\n\nb`, { ...PARTS, headers: { 'x-one': '1' }, body: 'a\r\n\nb' }],
  ['a repeated header', `${HEAD}x-one:2\n\n`, { ...PARTS, headers: { 'x-one': ['1', '2'] } }],
  [
    'a URL on the request line',
    'GET https://a.example/x HTTP/1.1\n\n',
    { url: 'https://a.example/x', headers: {} },
  ],
  [
    'a Host that differs from the URL',
    'GET https://a.example/x HTTP/1.1\nHost: b.example\n\n',
    { url: 'https://a.example/x', host: 'b.example', headers: {} },
  ],
  ['a URL without a version', 'GET https://a.example/x\n', { url: 'https://a.example/x', headers: {} }],
  [
    'what curl --verbose prints',
    '*   Trying 127.0.0.1:80...\n* Connected\n> POST /a?b=1 HTTP/2\n> Host: api.example.com:8443\n> X-One: 1\n>\n* sent\n< HTTP/2 200\n< X-Two: 2\n<\n{"y":1}\n',
    { ...PARTS, headers: { 'x-one': '1' } },
  ],
  [
    'a body that quotes such output',
    `${HEAD}\n> GET / HTTP/1.1\n`,
    { ...PARTS, headers: { 'x-one': '1' }, body: '> GET / HTTP/1.1' },
  ],
])('%s', (_, text, expected) => {
  expect(isHttpText(text)).toBe(true)
  expect(read(text)).toEqual(expected)
})

test('the body ends after Content-Length bytes', () => {
  const body = (text: string): unknown => read(text).body
  expect(body(`${HEAD}Content-Length: 3\n\né\n\n\n`)).toEqual(new TextEncoder().encode('é\n'))
  expect(body(`${HEAD}Content-Length: 0\n\n\n`)).toBeUndefined()
  expect(body(`${HEAD}\n\n`)).toBeUndefined()
})

test('the body in the text is ignored if another one is given', () => {
  expect(read(`${HEAD}Content-Length: 9\n\nx`, true)).not.toHaveProperty('body')
})

test.each([
  ['', 'line 1, column 1: the request line must be "METHOD path HTTP/1.1"; received none'],
  ['HTTP/1.1 200 OK\n\n', 'line 1, column 1: the request line must be "METHOD path HTTP/1.1"'],
  ['GET /x HTTP/1.1\n\n', 'line 1, column 1: a request without a URL must have a Host header'],
  ['GET x HTTP/1.1\nHost: a\n\n', 'line 1, column 1: the path of the request line must start with "/"'],
  ['GET /x HTTP/1.1\nHost: a/b\n\n', 'line 1, column 1: the Host header must be a hostname[:port]'],
  ['GET /x HTTP/1.1\nHost: a\nhunter2\n\n', 'line 3, column 1: a header must be "name: value"'],
  ['> GET /x HTTP/1.1\n> Host: a\n> hunter2\n>\n', 'line 3, column 3: a header must be "name: value"'],
  [
    `${HEAD}Content-Length: 3\n\nhunter2`,
    'line 6, column 1: the body must have the length of Content-Length; received 7 bytes',
  ],
  [
    `${HEAD}Transfer-Encoding: chunked\n\n1\nx\n0\n\n`,
    'line 6, column 1: a chunked body is not supported; pass the body with --body-file',
  ],
])('%j is rejected with its position, without its values', (text, message) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ message }))
})

test.each(['/a&b=1&host=x', '{"url":1}', 'hello', 'POST', '%2Fa%26b%3D1', ''])(
  '%j is not a raw request',
  (text) => {
    expect(isHttpText(text)).toBe(false)
  },
)

test('many lines are parsed in linear time', () => {
  const headers = Array.from({ length: 200_000 }, (_, index) => `x-${index}: 1\n`).join('')
  expect(Object.keys(read(`${HEAD}${headers}\n`).headers).length).toBe(200_001)
  expect(() => read(`${HEAD}${headers}x\n`)).toThrow('line 200004, column 1')
})
