/** The asynchronous signer, for every runtime. */
import { randomHex, runtimeCrypto } from '#crypto'
import type { SignatureAlgorithm } from './algorithms.ts'
import { canonicalStream, stringToSign } from './canonical-request.ts'
import { encodeCanonical } from './encode.ts'
import { RequestSignature, type Signature, type StreamSignature } from './signature.ts'
import { parseSignerOptions, type SignerOptions } from './signer-options.ts'
import { checkRequestBytes, createRequestBuilder, type SignInput } from './unsigned-request.ts'

/** Signs requests and event streams with one app key. */
export interface Signer {
  /** App key of the signatures. */
  readonly appKey: string
  /** Algorithm of HTTP requests. */
  readonly algorithm: SignatureAlgorithm
  /** Algorithm of event streams. */
  readonly streamAlgorithm: SignatureAlgorithm
  /**
   * Signs a request. Send it to the returned `url`, with the returned `headers`, and follow no redirect. `x-version` and
   * `x-access-token` are not signed: add them yourself.
   *
   * Rejects with SignerError `SIGNER_TARGET_INVALID`, `SIGNER_INPUT_INVALID`, or `SIGNER_OPTION_INVALID` if `now` or `nonce`
   * returns an invalid value.
   *
   * @example
   * ```ts
   * import type { Signer } from '@brokerwire/signer'
   *
   * declare const signer: Signer
   *
   * const { url, headers } = await signer.sign({ host: 'api.example.com', path: '/orders', query: { page: '2' } })
   * ```
   */
  sign(input: SignInput): Promise<Signature>
  /**
   * Signs the serialized request of an event stream.
   *
   * @param requestBytes - The serialized message, without gRPC's envelope. An empty message has a digest too.
   */
  signStream(requestBytes: Uint8Array): Promise<StreamSignature>
}

/**
 * Creates a signer. You can call it in a Worker's global scope, because a signer uses no random values and
 * imports no key before the first signature.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`, `SIGNER_CRYPTO_UNAVAILABLE`.
 *
 * @example
 * ```ts
 * import { createSigner } from '@brokerwire/signer'
 *
 * declare const env: { readonly APP_KEY: string; readonly APP_SECRET: string }
 *
 * const signer = createSigner({ appKey: env.APP_KEY, appSecret: env.APP_SECRET })
 * ```
 */
export function createSigner(options: SignerOptions): Signer {
  const { appKey, requests, streams, order } = parseSignerOptions(options, runtimeCrypto, randomHex)
  const prepare = createRequestBuilder(requests, order)
  return {
    appKey,
    algorithm: requests.algorithm,
    streamAlgorithm: streams.algorithm,
    async sign(input) {
      const { headers, url, path, entries, digest } = prepare(input)
      // A request without a body does not wait for a digest, because each `await` takes time.
      const parts = { path, entries, digest: digest === undefined ? undefined : await digest }
      headers['x-signature'] = await requests.hmac(stringToSign(parts))
      return new RequestSignature(headers, url, parts)
    },
    async signStream(requestBytes) {
      checkRequestBytes(requestBytes)
      const { headers } = streams.nextHeaders()
      const canonical = canonicalStream(headers, await streams.digest(requestBytes))
      headers['x-signature'] = await streams.hmac(encodeCanonical(canonical))
      return { headers, canonical }
    },
  }
}
