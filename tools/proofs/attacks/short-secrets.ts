/**
 * App secrets of a few letters, which also occur in ordinary words. If such a secret were redacted from the
 * fixed words of our messages, the missing letters would reveal it.
 */
import { createHttpClient, type HttpRequest } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import { startHttpServer } from '@brokerwire/testing/http-server'
import type { Random } from '../random.ts'
import type { Kind } from './attacks.ts'

const LETTERS = [...'aeinorstu']
const STATUSES = [301, 400, 401, 403, 404, 408, 417, 429, 500, 503]
/** Requests that the client rejects before it sends them. */
const WRONG: readonly object[] = [
  { path: 'orders' },
  { path: '/orders', retry: 'no' },
  { path: '/orders', timeoutMs: -1 },
]

/** Draws a short secret that occurs in our messages, or a secret that does not. */
const drawSecret = (random: Random, isShort: boolean): string =>
  isShort ? random.list(random.integer(1, 7), () => random.pick(LETTERS)).join('') : `0${random.hex(31)}`

export const shortSecrets: Kind = {
  name: 'short secrets',
  promise:
    'error messages do not depend on the app secret, so a secret of a few letters cannot be found by comparing them',
  counts: [3000, 200],
  async run({ random, total, attack, fail, atEnd }) {
    // The service sends only digits, because the client redacts text of the service. The short secrets
    // contain no digits.
    const server = await startHttpServer((request, response) => {
      response
        .writeHead(Number(request.headers['x-status']), { 'content-type': 'application/json' })
        .end('{"code":42}')
    })
    atEnd(() => server.close())
    /** Returns the message of a request that fails. */
    const messageWith = async (appSecret: string, request: HttpRequest): Promise<string> => {
      const signer = createSigner({ appKey: 'key', appSecret })
      const client = createHttpClient({ baseUrl: server.url, signer, maxRetries: 0 })
      try {
        await client.request({ ...request, authenticated: false })
        return 'no error'
      } catch (error) {
        return String(error)
      }
    }
    for (let number = 0; number < total; number += 1) {
      const headers = { 'x-status': String(random.pick(STATUSES)) }
      const request = {
        method: 'GET',
        path: '/orders',
        headers,
        ...(random.chance(0.2) ? random.pick(WRONG) : {}),
      } as HttpRequest
      const [short, long] = [drawSecret(random, true), drawSecret(random, false)]
      const [one, other] = [await messageWith(short, request), await messageWith(long, request)]
      attack('requests that fail')
      if (one !== other) fail(`"${one}" instead of "${other}"`)
      if (one === 'no error') fail('a request did not fail')
    }
  },
}
