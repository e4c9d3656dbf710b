/**
 * The part that runs in workerd. Its clock stands still while code runs, so that the time is taken outside: a request
 * names what to do and how often.
 */
import { createSigner, encodeCanonical } from '@brokerwire/signer'
import { APP_KEY, APP_SECRET, HOST, PATH, QUERY } from './request.ts'

const signer = createSigner({ appKey: APP_KEY, appSecret: APP_SECRET })
const get = { host: HOST, path: PATH, query: QUERY }

async function bareSubtle(times: number): Promise<void> {
  const { canonical } = await signer.sign(get)
  const bytes = new TextEncoder().encode(encodeCanonical(canonical))
  const secret = new TextEncoder().encode(`${APP_SECRET}&`)
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  for (let i = 0; i < times; i += 1) await crypto.subtle.sign('HMAC', key, bytes)
}

async function wholeSignature(times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await signer.sign(get)
}

const worker = {
  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const times = Number(searchParams.get('times'))
    await (searchParams.get('what') === 'sign' ? wholeSignature(times) : bareSubtle(times))
    return new Response('done')
  },
}

// biome-ignore lint/style/noDefaultExport: a Worker's handlers are its default export
export default worker
