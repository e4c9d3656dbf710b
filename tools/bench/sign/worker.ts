/**
 * The part that runs in workerd. Its clock stands still while code runs, so that the time is taken outside: a request
 * names what to do and how often.
 */
import { createSigner, encodeCanonical, signRequest } from '@brokerwire/signer'
import { AwsClient } from 'aws4fetch'
import { APP_KEY, APP_SECRET, HOST, PATH, QUERY } from './request.ts'
import { WORKER_PEERS } from './worker-peers.ts'

const signer = createSigner({ appKey: APP_KEY, appSecret: APP_SECRET })
const aws = new AwsClient({ accessKeyId: APP_KEY, secretAccessKey: APP_SECRET, service: 'execute-api' })
const get = { host: HOST, path: PATH, query: QUERY }
const url = `https://${HOST}${PATH}?${new URLSearchParams(Object.fromEntries(QUERY))}`

/** A bare `subtle.sign` of the same bytes. */
async function makeBareSubtle(): Promise<() => unknown> {
  const { canonical } = await signer.sign(get)
  const bytes = new TextEncoder().encode(encodeCanonical(canonical))
  const secret = new TextEncoder().encode(`${APP_SECRET}&`)
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  return () => crypto.subtle.sign('HMAC', key, bytes)
}

const CONTENDERS: Readonly<Record<string, () => unknown>> = {
  sign: () => signer.sign(get),
  ...WORKER_PEERS,
  // A `Request` in, a `Request` out.
  request: () => signRequest(signer, new Request(url)),
  'aws4fetch request': () => aws.sign(new Request(url)),
}

const worker = {
  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const times = Number(searchParams.get('times'))
    const what = searchParams.get('what') ?? ''
    const run = what === 'subtle' ? await makeBareSubtle() : CONTENDERS[what]
    if (run === undefined) return new Response('no such contender', { status: 404 })
    for (let i = 0; i < times; i += 1) await run()
    return new Response('done')
  },
}

// biome-ignore lint/style/noDefaultExport: a Worker's handlers are its default export
export default worker
