/** A request or stream opening as it was captured, turned into the parts of its canonical string. */
import { utf8Encode } from '@brokerwire/core'
import { ALGORITHMS, digestName, SIGNATURE_VERSION } from './algorithms.ts'
import type { CanonicalParts, SignedParts } from './canonical.ts'
import type { HeaderCollision } from './collision.ts'
import type { SignerCrypto } from './crypto/port.ts'
import { type HeadersInput, headerValues } from './headers.ts'
import type { NameOrder } from './order.ts'
import { check } from './signer-error.ts'
import { type TargetInput, targetReader } from './target.ts'

/** A signed request: where it went, its headers, its body as sent. */
export type CapturedRequest = TargetInput & {
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

/**
 * Reads a captured request or stream.
 *
 * @throws SignerError `SIGNER_INPUT_INVALID`, `SIGNER_TARGET_INVALID`.
 */
export async function readCaptured(
  captured: CapturedRequest | CapturedStream,
  crypto: SignerCrypto,
): Promise<CapturedParts> {
  const { headers } = captured
  const header = (name: string): string => {
    const value = headerValues(headers, name)[0]
    check(value, 'SIGNER_INPUT_INVALID', name, 'a header of the signature')
    return value
  }
  const algorithm = ALGORITHMS.find((name) => name === header('x-signature-algorithm'))
  check(algorithm, 'SIGNER_INPUT_INVALID', 'x-signature-algorithm', `${ALGORITHMS}`)
  const signed: SignedParts = {
    appKey: header('x-app-key'),
    algorithm,
    nonce: header('x-signature-nonce'),
    timestamp: header('x-timestamp'),
    version: headerValues(headers, 'x-signature-version')[0] ?? SIGNATURE_VERSION,
  }
  if ('requestBytes' in captured) {
    const bytes = captured.requestBytes
    check(ArrayBuffer.isView(bytes), 'SIGNER_INPUT_INVALID', 'requestBytes', 'bytes')
    return { request: undefined, signed, bytes, digest: await crypto.digest(digestName(algorithm), bytes) }
  }
  const { body, headerCollision, nameOrder } = captured
  const bytes = typeof body === 'string' ? utf8Encode(body) : (body ?? new Uint8Array())
  check(ArrayBuffer.isView(bytes), 'SIGNER_INPUT_INVALID', 'body', 'text or bytes')
  const { host, path, query } = targetReader()(captured)
  const digest = bytes.length ? (await crypto.digest(digestName(algorithm), bytes)).toUpperCase() : undefined
  return {
    request: { ...signed, host, path, query, digest, headerCollision, nameOrder },
    signed,
    bytes,
    digest,
  }
}
