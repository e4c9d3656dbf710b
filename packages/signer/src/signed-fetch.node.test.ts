/** A signed `fetch` against servers: redirects, and the simulator. */
import { createSigner } from '@brokerwire/signer'
import { createSignedFetch } from '@brokerwire/signer/fetch'
import { startSimulator } from '@brokerwire/simulator'
import { startHttpServer } from '@brokerwire/testing/http-server'
import { expect, onTestFinished, test } from 'vitest'

test('neither signature nor token is sent to the target of a redirect', async () => {
  const arrived: unknown[] = []
  const elsewhere = await startHttpServer((request, response) => {
    arrived.push(request.headers)
    response.end('{}')
  })
  const service = await startHttpServer((_request, response) => {
    response.writeHead(307, { location: `${elsewhere.url}/elsewhere` }).end()
  })
  onTestFinished(elsewhere.close)
  onTestFinished(service.close)
  const signer = createSigner({ appKey: 'key', appSecret: 'secret' })
  const signedFetch = createSignedFetch({ signer, fetch, origin: service.url, accessToken: 'token' })
  const init = { method: 'POST', body: '{}' }
  await expect(signedFetch(`${service.url}/orders`, init)).rejects.toMatchObject({
    code: 'SIGNER_REDIRECTED',
  })
  expect(arrived).toEqual([])
})

test('the service accepts requests with bodies of each kind', async () => {
  await using simulator = await startSimulator({ environment: 'sandbox' })
  const { baseUrl, credentials } = simulator
  const signer = createSigner({ ...credentials, algorithm: 'HMAC-SHA256' })
  let token: string | undefined
  const signedFetch = createSignedFetch({ signer, fetch, origin: baseUrl, accessToken: () => token })
  const created = await signedFetch(`${baseUrl}/auth/tokens/create`, { method: 'POST', body: '{}' })
  token = ((await created.json()) as { token: string }).token
  const bodies = [
    'é',
    new TextEncoder().encode('bytes'),
    new URLSearchParams({ a: 'b c' }),
    new Blob(['blob']),
  ]
  for (const body of bodies) {
    const response = await signedFetch(`${baseUrl}/openapi/simulator/echo?b=2&a=1`, { method: 'POST', body })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ body: await new Response(body).text() })
  }
})
