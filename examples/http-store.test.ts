import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { storeContract } from '@brokerwire/stores/testing'
import { test } from 'vitest'
import { createHttpStore } from './http-store.ts'

/** Opens two handles on the storage of a new local server. */
async function open() {
  const stored = new Map<string, { body: Buffer; etag: string }>()
  let writes = 0
  const server = createServer(async (request, response) => {
    const { url = '', method, headers } = request
    const body = await buffer(request)
    const found = stored.get(url)
    if (method === 'GET') {
      if (found === undefined) return response.writeHead(404).end()
      return response.writeHead(200, { etag: found.etag }).end(found.body)
    }
    const isUnchanged =
      headers['if-none-match'] === '*' ? found === undefined : headers['if-match'] === found?.etag
    if (!isUnchanged) return response.writeHead(412).end()
    writes += 1
    if (method === 'PUT') stored.set(url, { body, etag: `"${writes}"` })
    else stored.delete(url)
    return response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const close = async () => {
    server.close()
    server.closeAllConnections()
  }
  return { first: createHttpStore(folder), second: createHttpStore(folder), close }
}

for (const { name, run } of storeContract({ open, lock: false })) test(name, run)
