/** Codes of hosts other than Workers for a request that was not sent, and for a limit of the host. */
import { expect, test } from 'vitest'
import { parseFetchFailure } from './fetch-failure.ts'
import { createHttpClient, isHttpError } from './index.ts'
import { rejection, testOptions } from './test/fixtures.ts'

test.each([
  [{ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }, 'UND_ERR_CONNECT_TIMEOUT'],
  [{ cause: { code: 'CERT_HAS_EXPIRED' } }, 'CERT_HAS_EXPIRED'],
  [{ cause: { code: 'UND_ERR_NOT_SUPPORTED' } }, 'UND_ERR_NOT_SUPPORTED'],
  [{ cause: { code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' } }, 'ERR_SSL_UNSUPPORTED_PROTOCOL'],
  [{ cause: { code: 'ECONNRESET', host: 'h', port: 1, localAddress: undefined } }, 'ECONNRESET'],
  [{ cause: { message: 'bad port' } }, 'bad_port'],
  [{ code: 'ConnectionRefused' }, 'ConnectionRefused'],
])('%j: the request was not sent', (thrown, code) => {
  expect(parseFetchFailure(thrown)).toEqual({ isCertainlyUnsent: true, code })
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
  expect(isHttpError(error, 'HTTP_TIMEOUT') && error.details.phase).toBe(phase)
})
