/** Codes of hosts other than Workers for a request that was not sent, and for a limit of the host. */
import { expect, test, vi } from 'vitest'
import { parseFetchFailure } from './fetch-failure.ts'
import { createHttpClient, isHttpError } from './index.ts'
import { rejection, testOptions } from './test/fixtures.ts'

test.each([
  [{ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }, 'UND_ERR_CONNECT_TIMEOUT'],
  [{ cause: { code: 'CERT_HAS_EXPIRED' } }, 'CERT_HAS_EXPIRED'],
  [{ cause: { code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' } }, 'ERR_SSL_UNSUPPORTED_PROTOCOL'],
  [{ cause: { code: 'ECONNRESET', host: 'h', port: 1, localAddress: undefined } }, 'ECONNRESET'],
  [{ code: 'ConnectionRefused' }, 'ConnectionRefused'],
])('%j: the request was not sent', (thrown, code) => {
  expect(parseFetchFailure(thrown)).toEqual({ isCertainlyUnsent: true, isPermanent: false, code })
})

test.each([
  [{ cause: { code: 'UND_ERR_INVALID_ARG' } }, 'UND_ERR_INVALID_ARG'],
  [{ cause: { code: 'UND_ERR_NOT_SUPPORTED' } }, 'UND_ERR_NOT_SUPPORTED'],
  [{ cause: { message: 'bad port' } }, 'bad_port'],
])('%j: the host rejects the request itself, so it is not retried', async (thrown, code) => {
  expect(parseFetchFailure(thrown)).toEqual({ isCertainlyUnsent: true, isPermanent: true, code })
  const fetch = vi.fn(() => Promise.reject(Object.assign(new TypeError('fetch failed'), thrown)))
  const client = createHttpClient(testOptions('https://service.example', { fetch }))
  expect(await rejection(client.request({ method: 'GET', path: '/x' }))).toMatchObject({
    code: 'HTTP_NOT_SENT',
    message: `GET /x: fetch rejected the request to https://service.example (${code})`,
    retryable: false,
  })
  expect(fetch).toHaveBeenCalledTimes(1)
})

test('a port that fetch blocks is reported at the first attempt', async () => {
  const client = createHttpClient(testOptions('http://127.0.0.1:6000'))
  expect(await rejection(client.request({ method: 'GET', path: '/x' }))).toMatchObject({
    code: 'HTTP_NOT_SENT',
    details: { reason: 'bad_port' },
    retryable: false,
  })
})

test.each([
  ['UND_ERR_HEADERS_TIMEOUT', 'headers'],
  ['UND_ERR_BODY_TIMEOUT', 'body'],
])('a limit of the host is a timeout: %s', async (code, phase) => {
  const failure = new TypeError('fetch failed', { cause: Object.assign(new Error('late'), { code }) })
  const body = new ReadableStream({ pull: (controller) => controller.error(failure) })
  const fetch = async () => {
    if (phase === 'headers') throw failure
    return new Response(body)
  }
  const client = createHttpClient(
    testOptions('https://service.example', { fetch, maxRetries: 0, timeoutMs: 400_000 }),
  )
  const error = await rejection(client.request({ method: 'GET', path: '/x' }))
  // The limit of the request was not reached, so the details do not have it.
  expect(isHttpError(error, 'HTTP_TIMEOUT') && error.details).toMatchObject({ phase, timeoutMs: undefined })
})
