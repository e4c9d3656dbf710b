/** Other signers on the same request, each with its own scheme. */
import { createHash, createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { SignatureV4 } from '@smithy/signature-v4'
import { AwsV4Signer } from 'aws4fetch'
import { AWS_CREDENTIALS, HOST, PATH, SEARCH, smithyRequest, URL_TEXT } from './request.ts'

interface Aws4 {
  sign(request: object, credentials: object): { readonly headers: Record<string, string> }
}

// CommonJS, and without types.
const aws4 = createRequire(import.meta.url)('aws4') as Aws4

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
