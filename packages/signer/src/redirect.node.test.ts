/** A signed request that a server answers with a redirect: token and signature stay with the host that was signed. */
import type { IncomingHttpHeaders } from 'node:http'
import { createSigner, signRequest } from '@brokerwire/signer'
import { startHttpServer } from '@brokerwire/testing/http-server'
import { expect, onTestFinished, test } from 'vitest'

const signer = createSigner({ appKey: 'key', appSecret: 'secret' })

/** A server, and another one to which it redirects every request. */
async function redirectingServer(status: number) {
  const arrived: IncomingHttpHeaders[] = []
  const elsewhere = await startHttpServer((request, response) => {
    arrived.push(request.headers)
    response.end('{}')
  })
  const service = await startHttpServer((_request, response) => {
    response.writeHead(status, { location: `${elsewhere.url}/elsewhere` }).end()
  })
  onTestFinished(elsewhere.close)
  onTestFinished(service.close)
  return { url: service.url, arrived }
}

for (const status of [301, 302, 303, 307, 308]) {
  test.each(['GET', 'POST'])(`%s answered with ${status}: fetch does not follow`, async (method) => {
    const { url, arrived } = await redirectingServer(status)
    const request = new Request(`${url}/orders`, {
      method,
      headers: { 'x-access-token': 'token' },
      ...(method === 'POST' && { body: '{}' }),
    })
    const response = await fetch(await signRequest(signer, request))
    expect(response.status).toBe(status)
    expect(arrived).toEqual([])
  })
}

test('a request that refuses redirects still does', async () => {
  const { url, arrived } = await redirectingServer(307)
  const signed = await signRequest(signer, new Request(`${url}/orders`, { redirect: 'error' }))
  await expect(fetch(signed)).rejects.toThrow()
  expect(arrived).toEqual([])
})
