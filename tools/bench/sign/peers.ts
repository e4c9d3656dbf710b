/** Plain code on `node:crypto`, and other signers. Each signer uses its own scheme on the same request. */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import Module from 'node:module'
import { SignatureV4 } from '@smithy/signature-v4'
import { AwsV4Signer } from 'aws4fetch'
import {
  APP_KEY,
  APP_SECRET,
  AWS_CREDENTIALS,
  HOST,
  PATH,
  SEARCH,
  smithyRequest,
  URL_TEXT,
} from './request.ts'

interface Aws4 {
  sign(request: object, credentials: object): { readonly headers: Record<string, string> }
}

// A CommonJS package without types.
const aws4 = Module.createRequire(import.meta.url)('aws4') as Aws4

/** The hash class that smithy expects, implemented with `node:crypto`. */
class NativeSha256 {
  readonly #hash: { update(data: string | Uint8Array): unknown; digest(): Buffer }

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const key =
      secret === undefined || typeof secret === 'string' ? secret : new Uint8Array(secret as ArrayBuffer)
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', key)
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data)
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
}

const smithy = new SignatureV4({
  service: 'execute-api',
  region: 'us-east-1',
  credentials: AWS_CREDENTIALS,
  sha256: NativeSha256 as never,
})

export const PEERS: Readonly<Record<string, () => unknown>> = {
  aws4: () =>
    aws4.sign(
      { host: HOST, path: `${PATH}?${SEARCH}`, service: 'execute-api', region: 'us-east-1' },
      AWS_CREDENTIALS,
    ),
  aws4fetch: () =>
    new AwsV4Signer({
      url: URL_TEXT,
      service: 'execute-api',
      ...AWS_CREDENTIALS,
    }).sign(),
  smithy: () => smithy.sign(smithyRequest() as never),
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** Plain code that follows the specification: sort, join, encode, HMAC. */
export function signNatively(
  host: string,
  path: string,
  query: readonly (readonly [string, string])[],
  body?: Uint8Array,
): Record<string, string> {
  const headers = {
    'x-app-key': APP_KEY,
    'x-timestamp': `${new Date().toISOString().slice(0, 19)}Z`,
    'x-signature-version': '1.0',
    'x-signature-algorithm': 'HMAC-SHA1',
    'x-signature-nonce': randomUUID().replaceAll('-', ''),
  }
  const entries = [...query, ['host', host] as const, ...Object.entries(headers)].sort(([a], [b]) =>
    a < b ? -1 : a > b ? 1 : 0,
  )
  let text = `${path}&${entries.map(([name, value]) => `${name}=${value}`).join('&')}`
  if (body !== undefined) text += `&${createHash('md5').update(body).digest('hex').toUpperCase()}`
  const signature = createHmac('sha1', `${APP_SECRET}&`).update(encode(text)).digest('base64')
  return { ...headers, 'x-signature': signature }
}
