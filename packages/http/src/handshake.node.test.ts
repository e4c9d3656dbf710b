/** Failures of a TLS handshake over real sockets. A request counts as not sent only if that is certain. */
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpClient, isHttpError } from './index.ts'
import { rejection, testOptions } from './test/fixtures.ts'

async function failureAt(server: Server, scheme: 'http' | 'https'): Promise<unknown> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const client = createHttpClient(testOptions(`${scheme}://127.0.0.1:${port}`, { maxRetries: 0 }))
  return rejection(client.request({ method: 'POST', path: '/x', json: {} }))
}

const after = (first: (socket: Socket) => void): Server =>
  createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => first(socket))
  })

test('after a server closes during the handshake the request was not sent', async () => {
  const error = await failureAt(
    after((socket) => socket.end()),
    'https',
  )
  expect(isHttpError(error, 'HTTP_NOT_SENT') && error.retryable).toBe(true)
})

test.each([
  ['a server that speaks no TLS', () => createHttpServer((_, answer) => answer.end()) as unknown as Server],
  ['one that answers with something else', () => after((socket) => socket.end('garbage\r\n\r\n'))],
])('%s: the outcome is unknown, because it can also happen later', async (_, start) => {
  const error = await failureAt(start(), 'https')
  expect(isHttpError(error, 'HTTP_NO_RESPONSE') && error.details.reason).toBe('ERR_SSL_WRONG_VERSION_NUMBER')
})

test('after a reset, during the handshake or later, the outcome is unknown', async () => {
  for (const scheme of ['http', 'https'] as const) {
    const error = await failureAt(
      after((socket) => socket.resetAndDestroy()),
      scheme,
    )
    expect(isHttpError(error, 'HTTP_NO_RESPONSE') && error.details.reason).toBe('ECONNRESET')
  }
})

test('a request to a port that fetch blocks was not sent', async () => {
  const client = createHttpClient(testOptions('http://127.0.0.1:6000', { maxRetries: 0 }))
  const error = await rejection(client.request({ method: 'POST', path: '/x', json: {} }))
  expect(isHttpError(error, 'HTTP_NOT_SENT') && error.details.reason).toBe('bad_port')
})
