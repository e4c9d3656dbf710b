/** The proxy forwards each new connection to the server that it points to. */
import { expect, onTestFinished, test } from 'vitest'
import { startHttpServer } from './http-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

test('forwards new connections to another server after its target has changed', async () => {
  const serve = async (text: string) => {
    const server = await startHttpServer(
      (_, response) => void response.setHeader('connection', 'close').end(text),
    )
    onTestFinished(() => server.close())
    return server
  }
  const [one, other] = [await serve('one'), await serve('other')]
  const proxy = await startTcpProxy(one.port)
  onTestFinished(() => proxy.close())
  const get = async () => (await fetch(proxy.url)).text()
  expect(await get()).toBe('one')
  proxy.target = other.port
  expect(await get()).toBe('other')
})
