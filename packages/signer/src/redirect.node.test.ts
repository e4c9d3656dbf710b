/** Redirects of a signed request: token and signature are sent only to the signed host. */
import type { IncomingHttpHeaders } from 'node:http'
import { createSigner, signRequest } from '@brokerwire/signer'
import { startHttpServer } from '@brokerwire/testing/http-server'
import { expect, onTestFinished, test } from 'vitest'

const signer = createSigner({ appKey: 'key', appSecret: 'secret' })

/** Starts a server that redirects every request to another server. */
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
  test.each(['GET', 'POST'])(`fetch does not follow a ${status} response to %s`, async (method) => {
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

test('a request with the redirect mode error keeps it', async () => {
  const { url, arrived } = await redirectingServer(307)
  const signed = await signRequest(signer, new Request(`${url}/orders`, { redirect: 'error' }))
  await expect(fetch(signed)).rejects.toThrow()
  expect(arrived).toEqual([])
})
