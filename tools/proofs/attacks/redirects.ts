/**
 * Signed requests whose response is a redirect to another origin. Token, signature and body are sent only to
 * the host that was signed.
 */
import { Secret } from '@brokerwire/core'
import { createHttpClient } from '@brokerwire/http'
import { createSigner, isSignerError, signRequest } from '@brokerwire/signer'
import { createSignedFetch } from '@brokerwire/signer/fetch'
import { startHttpServer } from '@brokerwire/testing/http-server'
import type { Kind } from './attacks.ts'

const STATUSES = [300, 301, 302, 303, 305, 307, 308]
/** The statuses with which `fetch` would follow a redirect. */
const FOLLOWED = [301, 302, 303, 307, 308]

export const redirects: Kind = {
  name: 'redirects',
  promise:
    'fetch(await signRequest(...)), signed fetch and the HTTP client call only the server that was signed',
  counts: [2000, 200],
  async run(context) {
    const random = context.random.fork('redirects')
    let leaked = 0
    const elsewhere = await startHttpServer((_request, response) => {
      leaked += 1
      response.end('{}')
    })
    context.atEnd(() => elsewhere.close())
    let answer: readonly [status: number, location: string] = [200, '']
    const service = await startHttpServer((request, response) => {
      request.resume()
      response.writeHead(answer[0], { location: answer[1] }).end('{}')
    })
    context.atEnd(() => service.close())
    const signer = createSigner({ appKey: 'attacked', appSecret: 'secret' })
    const client = createHttpClient({ baseUrl: service.url, signer, maxRetries: 0 })

    for (let attack = 0; attack < context.total; attack += 1) {
      const url = random.pick([
        elsewhere.url,
        elsewhere.url.replace('http:', ''),
        elsewhere.url.toUpperCase(),
      ])
      answer = [random.pick(STATUSES), `${url}/${random.hex(8)}`]
      const method = random.pick(['GET', 'POST', 'PUT', 'DELETE'] as const)
      const token = random.hex(32)
      const body = method === 'GET' || random.chance(0.3) ? undefined : `{"a":"${random.hex(8)}"}`
      const way = random.pick(['signRequest', 'signed fetch', 'HTTP client'])
      if (way === 'signRequest') {
        context.attack('signRequest')
        const headers = { 'x-access-token': token }
        const stream = body !== undefined && random.chance(0.5) ? new Blob([body]).stream() : undefined
        const init = {
          method,
          headers,
          duplex: 'half',
          ...(body !== undefined && { body: stream ?? body }),
        } as const
        const signed = await signRequest(signer, new Request(`${service.url}/orders`, init))
        const status = await fetch(signed).then(
          async (response) => {
            await response.arrayBuffer()
            return response.status
          },
          (error: unknown) => String(error),
        )
        if (status !== answer[0]) context.fail(`${method}: ${answer[0]} became ${status}`)
      } else if (way === 'signed fetch') {
        context.attack('signed fetch')
        const options = { signer, fetch, origin: service.url, accessToken: token }
        const init = { method, ...(body !== undefined && { body }) }
        const outcome = await createSignedFetch(options)(`${service.url}/orders`, init).then(
          ({ status }) => status,
          (error: unknown) => isSignerError(error, 'SIGNER_REDIRECTED'),
        )
        const expected = FOLLOWED.includes(answer[0]) || answer[0]
        if (outcome !== expected) context.fail(`${method}: ${answer[0]} became ${outcome}`)
      } else {
        context.attack('HTTP client')
        const request = { method, path: '/orders', body, accessToken: new Secret(token) }
        await client.request(request).catch(() => undefined)
      }
      if (leaked > 0) {
        context.fail(`${method} answered with ${answer.join(' ')} was sent to another server`)
        leaked = 0
      }
    }
  },
}
