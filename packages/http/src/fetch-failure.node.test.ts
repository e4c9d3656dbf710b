/** What only the hosts that are no Worker say of a request that did not leave, or of a limit of their own: in Workers such codes mean nothing. */
import { expect, test } from 'vitest'
import { readFetchFailure } from './fetch-failure.ts'
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
])('%j: it did not leave', (thrown, reason) => {
  expect(readFetchFailure(thrown)).toEqual({ sent: false, reason })
})

test.each([
  ['UND_ERR_HEADERS_TIMEOUT', 'headers'],
  ['UND_ERR_BODY_TIMEOUT', 'body'],
])('a host’s own limit is a time that is over: %s', async (code, phase) => {
  const failure = new TypeError('fetch failed', { cause: Object.assign(new Error('late'), { code }) })
  const body = new ReadableStream({ pull: (controller) => controller.error(failure) })
  const fetch = async () => {
    if (phase === 'headers') throw failure
    return new Response(body)
  }
  const client = createHttpClient(
    testOptions('https://service.example', { fetch, maxRepeats: 0, timeoutMs: 400_000 }),
  )
  const error = await rejection(client.request({ method: 'GET', path: '/x' }))
  expect(isHttpError(error, 'HTTP_TIMEOUT') && error.details.phase).toBe(phase)
})
