/**
 * The internals of Node's `fetch` that `node-fetch.ts` relies on. A failure here means that this version of Node has changed them:
 * requests then go out without the protection, and `sentOnce` is `false`.
 */
import { once } from 'node:events'
import { startHttpServer } from '@brokerwire/testing/http-server'
import { expect, onTestFinished, test } from 'vitest'
import { disableHostRetries } from './any.ts'

/** A server that counts the requests and answers with one status. */
async function countingServer(status: number) {
  let requests = 0
  const { url, close } = await startHttpServer((_request, response) => {
    requests += 1
    response.writeHead(status, { 'content-length': 2 })
    response.end('{}')
  })
  onTestFinished(close)
  return { url, count: () => requests }
}

test('the global dispatcher and the text of fetch identify undici', () => {
  void globalThis.Headers
  expect(Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))).toHaveProperty('dispatch')
  expect(Function.prototype.toString.call(fetch)).toMatch(/undici/)
})

test.each([407, 421])(
  'a request that is answered with %i is sent once, and its status is known',
  async (status) => {
    const server = await countingServer(status)
    const control = disableHostRetries(true, true)
    const response = await fetch(server.url, { method: 'POST', body: '{}', ...control.init } as RequestInit)
    await response.text()
    expect(control.originalStatus(response.status)).toBe(status)
    expect(control.isSentOnce()).toBe(true)
    expect(server.count()).toBe(1)
  },
)

test('without the protection, Node sends such a request twice: it is still needed', async () => {
  const server = await countingServer(421)
  await (await fetch(server.url, { method: 'POST', body: '{}' })).text()
  expect(server.count()).toBe(2)
})

test('the handler of a request ends it', async () => {
  const { server, url, close } = await startHttpServer(() => {})
  onTestFinished(close)
  const control = disableHostRetries(true, true)
  expect(control.controller).toBeDefined()
  const arrived = once(server, 'request')
  const failed = fetch(url, control.init as RequestInit).catch((error: unknown) => error)
  const [request] = (await arrived) as [{ readonly socket: NodeJS.EventEmitter }]
  const closed = once(request.socket, 'close')
  control.controller?.abort(new Error('enough'))
  expect(await failed).toBeInstanceOf(Error)
  await closed
})

test('a fetch that does not use the dispatcher is not reported as sent once', async () => {
  const control = disableHostRetries(true, false)
  expect(control.isSentOnce()).toBe(false)
})
