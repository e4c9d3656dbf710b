/** Connection failures that only Node's `fetch` distinguishes, and servers that do not speak HTTP. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpClient, type HttpError, isHttpError } from './index.ts'
import { rejection, testOptions } from './test/fixtures.ts'
import { DEAD_URL } from './test/service.ts'

async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer(onConnection)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function failAt(url: string): Promise<HttpError> {
  const client = createHttpClient(testOptions(url, { maxRetries: 0 }))
  const error = await rejection(client.request({ method: 'GET', path: '/x' }))
  if (!isHttpError(error)) throw error
  return error
}

test('if no server listens, the request was not sent', async () => {
  const error = await failAt(DEAD_URL)
  expect(error).toMatchObject({
    code: 'HTTP_NOT_SENT',
    retryable: true,
    details: { reason: 'ECONNREFUSED' },
  })
})

test('if the host does not exist, the request was not sent', async () => {
  const error = await failAt('https://no-such-host.invalid')
  expect(error.code).toBe('HTTP_NOT_SENT')
})

test('a server without TLS is reported', async () => {
  const url = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  expect((await failAt(url.replace('http:', 'https:'))).code).toBe('HTTP_NO_RESPONSE')
})

test('after a server accepts and closes, whether the request took effect is unknown', async () => {
  const url = await rawServer((socket) => socket.once('data', () => socket.destroy()))
  const error = await failAt(url)
  expect(error.code).toBe('HTTP_NO_RESPONSE')
  expect(error).not.toHaveProperty('cause')
})
