/** Headers of requests that tests with servers cannot cover: short timeouts, and addresses of other machines. */
import { expect, test } from 'vitest'
import { http2Headers, requestHeaders } from './request.ts'

test.each([
  [1, '1m'],
  [0.2, '1m'],
  [99_999_999, '99999999m'],
  [100_000_000, '100000S'],
  [100_000_001, '100001S'],
  [1e12, '16666667M'],
  [1e14, '27777778H'],
  [1e300, '99999999H'],
])('encodes a timeout of %f ms', (ms, text) => {
  const settings = { acceptCompression: [], sendCompression: undefined }
  expect(requestHeaders({}, ms, settings).get('grpc-timeout')).toBe(text)
})

test('takes the pseudo-headers from the address', () => {
  const headers = http2Headers(new URL('https://[::1]:8443/base/a.B/C'), new Headers({ te: 'trailers' }))
  expect(headers).toMatchObject({
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': '[::1]:8443',
    ':path': '/base/a.B/C',
    te: 'trailers',
  })
})
