/**
 * The Worker that is measured. The clock of workerd does not advance while code runs, so workerd.ts measures
 * the time from outside: a request states the case and the number of calls.
 */
import { createHmac } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { createSigner, encodeCanonical, signRequest } from '@brokerwire/signer'
import { SignatureV4 } from '@smithy/signature-v4'
import { AwsClient, AwsV4Signer } from 'aws4fetch'
import OAuth from 'oauth-1.0a'
import {
  APP_KEY,
  APP_SECRET,
  AWS_CREDENTIALS,
  HOST,
  PATH,
  QUERY,
  smithyRequest,
  URL_TEXT,
} from './request.ts'

const signer = createSigner({ appKey: APP_KEY, appSecret: APP_SECRET })
const aws = new AwsClient({ accessKeyId: APP_KEY, secretAccessKey: APP_SECRET, service: 'execute-api' })
const get = { host: HOST, path: PATH, query: QUERY }

/** A bare `subtle.sign` of the same bytes. */
async function makeBareSubtle(): Promise<() => unknown> {
  const { canonical } = await signer.sign(get)
  const bytes = new TextEncoder().encode(encodeCanonical(canonical))
  const secret = new TextEncoder().encode(`${APP_SECRET}&`)
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  return () => crypto.subtle.sign('HMAC', key, bytes)
}

/** Cache of derived keys for aws4fetch. */
const cache = new Map<string, ArrayBuffer>()
const smithy = new SignatureV4({
  service: 'execute-api',
  region: 'us-east-1',
  credentials: AWS_CREDENTIALS,
  sha256: Sha256,
})
const oauth = new OAuth({
  consumer: { key: APP_KEY, secret: APP_SECRET },
  signature_method: 'HMAC-SHA1',
  hash_function: (text, key) => createHmac('sha1', key).update(text).digest('base64'),
})

/** Other signers, which sign the parts of a request. */
const PEERS: Readonly<Record<string, () => unknown>> = {
  aws4fetch: () =>
    new AwsV4Signer({ url: URL_TEXT, service: 'execute-api', cache, ...AWS_CREDENTIALS }).sign(),
  smithy: () => smithy.sign(smithyRequest()),
  'oauth-1.0a': () => oauth.toHeader(oauth.authorize({ url: URL_TEXT, method: 'GET' })),
}

const CASES: Readonly<Record<string, () => unknown>> = {
  sign: () => signer.sign(get),
  ...PEERS,
  // These two sign a `Request` and return a `Request`.
  request: () => signRequest(signer, new Request(URL_TEXT)),
  'aws4fetch request': () => aws.sign(new Request(URL_TEXT)),
}

const worker = {
  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const times = Number(searchParams.get('times'))
    const what = searchParams.get('what') ?? ''
    const run = what === 'subtle' ? await makeBareSubtle() : CASES[what]
    if (run === undefined) return new Response('no such case', { status: 404 })
    for (let i = 0; i < times; i += 1) await run()
    return new Response('done')
  },
}

// biome-ignore lint/style/noDefaultExport: a Worker's handlers are its default export
export default worker
