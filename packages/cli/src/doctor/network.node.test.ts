/** Messages of `brokerwire doctor` about a connection that times out. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { checkTls } from './network.ts'

test('the TLS check of a host that never responds ends at its time limit and closes its socket', async () => {
  const late = new AbortController()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const closed = once(server, 'connection').then(async ([socket]) => {
      socket.on('error', () => {})
      socket.resume()
      const end = once(socket, 'close')
      late.abort(new DOMException('the time was over', 'TimeoutError'))
      await end
    })
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect(await checkTls(url, true, late.signal)).toMatchObject({ result: 'failed', text: 'TimeoutError' })
    await closed
  } finally {
    server.close()
  }
})
