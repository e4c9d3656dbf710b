/** Other signers on the same request, each with its own scheme. */
import { createHash, createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { SignatureV4 } from '@smithy/signature-v4'
import { AwsV4Signer } from 'aws4fetch'
import { APP_KEY, APP_SECRET, HOST, PATH, QUERY } from './request.ts'

interface Aws4 {
  sign(request: object, credentials: object): { readonly headers: Record<string, string> }
}

// CommonJS, and without types.
const aws4 = createRequire(import.meta.url)('aws4') as Aws4
const search = new URLSearchParams(Object.fromEntries(QUERY)).toString()
const credentials = { accessKeyId: APP_KEY, secretAccessKey: APP_SECRET }

/** What smithy asks of a hash, over Node's. */
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
  credentials,
  sha256: NativeSha256 as never,
})

export const PEERS: Readonly<Record<string, () => unknown>> = {
  aws4: () =>
    aws4.sign(
      { host: HOST, path: `${PATH}?${search}`, service: 'execute-api', region: 'us-east-1' },
      credentials,
    ),
  aws4fetch: () =>
    new AwsV4Signer({
      url: `https://${HOST}${PATH}?${search}`,
      service: 'execute-api',
      ...credentials,
    }).sign(),
  smithy: () =>
    smithy.sign({
      method: 'GET',
      protocol: 'https:',
      hostname: HOST,
      path: PATH,
      headers: { host: HOST },
      query: Object.fromEntries(QUERY),
    } as never),
}
