/** A request or stream opening as it was captured, turned into the parts of its canonical string. */
import { ownOptions, utf8Encode } from '@brokerwire/core'
import { ALGORITHMS, SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import type { CanonicalParts, SignedParts } from './canonical.ts'
import { COLLISIONS, type HeaderCollision } from './collision.ts'
import type { SignerCrypto } from './crypto/port.ts'
import { fromUrl } from './from-url.ts'
import { type HeadersInput, headerValues } from './headers.ts'
import { type NameOrder, ORDERS } from './order.ts'
import { check, checkName } from './signer-error.ts'
import { type TargetInput, targetReader } from './target.ts'

/** A request's place as one URL. */
export interface UrlInput {
  /** As `fromUrl` takes it. */
  readonly url: string
  /** The host that was signed, where it is another than the URL's. */
  readonly host?: string | undefined
}

/** A signed request: where it went, its headers, its body as sent. */
export type CapturedRequest = (TargetInput | UrlInput) & {
  /** With those of the signature; `x-signature` itself is not needed. */
  readonly headers: HeadersInput
  readonly body?: string | Uint8Array | undefined
  /** @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
}

/** The opening of a signed event stream. */
export interface CapturedStream {
  /** The gRPC metadata. */
  readonly headers: HeadersInput
  /** The serialized request. */
  readonly requestBytes: Uint8Array
}

/** Parts of a canonical string, and the bytes behind its digest. */
export interface CapturedParts {
  /** Of a request; a stream has no target. */
  readonly request: CanonicalParts | undefined
  readonly signed: SignedParts
  /** The body or the serialized request; empty where there is none. */
  readonly bytes: Uint8Array
  /** Hex digest as the canonical string has it. */
  readonly digest: string | undefined
}

const isPair = (pair: unknown): boolean =>
  Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'string'

/**
 * Reads a captured request or stream.
 *
 * @throws SignerError `SIGNER_INPUT_INVALID`, `SIGNER_TARGET_INVALID`.
 */
export async function readCaptured(
  captured: CapturedRequest | CapturedStream,
  crypto: SignerCrypto,
): Promise<CapturedParts> {
  const own = ownOptions(captured)
  const { headers } = own
  const header = (name: string): string => {
    const value = headerValues(headers, name)[0]
    check(value, name, 'a header of the signature', 'SIGNER_INPUT_INVALID')
    return value
  }
  const algorithm = header('x-signature-algorithm') as SignatureAlgorithm
  const known = Object.hasOwn(ALGORITHMS, algorithm)
  check(known, 'x-signature-algorithm', `${Object.keys(ALGORITHMS)}`, 'SIGNER_INPUT_INVALID')
  const [, digestName] = ALGORITHMS[algorithm]
  const signed: SignedParts = {
    appKey: header('x-app-key'),
    algorithm,
    nonce: header('x-signature-nonce'),
    timestamp: header('x-timestamp'),
    version: headerValues(headers, 'x-signature-version')[0] ?? SIGNATURE_VERSION,
  }
  if ('requestBytes' in own) {
    const bytes = own.requestBytes
    check(ArrayBuffer.isView(bytes), 'requestBytes', 'bytes', 'SIGNER_INPUT_INVALID')
    return { request: undefined, signed, bytes, digest: await crypto.digest(digestName, bytes) }
  }
  const { body, headerCollision = 'sorted', nameOrder = 'code-point' } = own
  checkName(headerCollision, COLLISIONS, 'headerCollision')
  checkName(nameOrder, ORDERS, 'nameOrder')
  const bytes = typeof body === 'string' ? utf8Encode(body) : (body ?? new Uint8Array())
  check(ArrayBuffer.isView(bytes), 'body', 'text or bytes', 'SIGNER_INPUT_INVALID')
  const place = 'url' in own ? fromUrl(own.url, own.host) : own
  const { host, path, query } = targetReader()(place)
  check(Array.isArray(query) && [...query].every(isPair), 'query', 'pairs of text', 'SIGNER_INPUT_INVALID')
  const digest = bytes.byteLength ? (await crypto.digest(digestName, bytes)).toUpperCase() : undefined
  return {
    request: { ...signed, host, path, query, digest, headerCollision, nameOrder },
    signed,
    bytes,
    digest,
  }
}
