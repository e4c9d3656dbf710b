/** A request or stream opening as it was captured, turned into the parts of its canonical string. */
import { oneOf, ownOptions, utf8Encode } from '@brokerwire/core/internal'
import { ALGORITHM_NAMES, ALGORITHMS, type DigestName, SIGNATURE_VERSION } from './algorithms.ts'
import { attempt } from './attempt.ts'
import {
  type CanonicalParts,
  canonicalString,
  SIGNATURE_HEADERS,
  type SignedParts,
  streamCanonicalString,
} from './canonical-request.ts'
import type { SignerCrypto } from './crypto/port.ts'
import { encodeCanonical } from './encode.ts'
import { fromUrl } from './from-url.ts'
import { type HeadersInput, headerValues } from './headers.ts'
import { HEADER_COLLISION, type HeaderCollision, NAME_ORDER, type NameOrder } from './order.ts'
import { readQuery } from './query.ts'
import { check, checkInput, inputFailure, optionFailure } from './signer-error.ts'
import { checkPath, readHost, readPlace, type TargetInput } from './target.ts'

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
  /** How they are digested. */
  readonly digestName: DigestName
  /** Hex digest as the canonical string has it. */
  readonly digest: string | undefined
  /** The canonical request, with the digest. */
  readonly canonical: string
  /** The string to sign. */
  readonly encoded: string
}

/** @throws SignerError `SIGNER_INPUT_INVALID` for a lone surrogate: it has no UTF-8 form, so it cannot have been signed. */
function canonicalOf(makeCanonical: () => string): Pick<CapturedParts, 'canonical' | 'encoded'> {
  const encoded = attempt(() => encodeCanonical(makeCanonical()))
  check(encoded !== undefined, 'the canonical string', 'text without lone surrogates', 'SIGNER_INPUT_INVALID')
  return { canonical: decodeURIComponent(encoded), encoded }
}

const ALGORITHM = oneOf(ALGORITHM_NAMES)
const HEADERS: ReadonlySet<string> = new Set(SIGNATURE_HEADERS)

/** The bytes of a body, or of a serialized request. */
function checkBytes(bytes: unknown, field: string): asserts bytes is Uint8Array {
  checkInput(ArrayBuffer.isView(bytes), bytes, field, field === 'body' ? 'text or bytes' : 'bytes')
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
  const own = ownOptions(captured)
  const values = headerValues(own.headers, HEADERS)
  const header = (name: string): string => {
    const [value] = values.get(name) ?? []
    check(value, name, 'among the headers', 'SIGNER_INPUT_INVALID')
    return value
  }
  const algorithm = header('x-signature-algorithm')
  const digestName = ALGORITHMS[ALGORITHM(algorithm, 'x-signature-algorithm', inputFailure)].digest
  const signed: SignedParts = {
    appKey: header('x-app-key'),
    algorithm,
    nonce: header('x-signature-nonce'),
    timestamp: header('x-timestamp'),
    version: values.get('x-signature-version')?.[0] ?? SIGNATURE_VERSION,
  }
  if ('requestBytes' in own) {
    const bytes = own.requestBytes
    checkBytes(bytes, 'requestBytes')
    const digest = await crypto.digest(digestName, bytes)
    const canonical = canonicalOf(() => streamCanonicalString({ ...signed, digest }))
    return { request: undefined, signed, bytes, digestName, digest, ...canonical }
  }
  const { body = '' } = own
  const headerCollision = HEADER_COLLISION(own.headerCollision, 'headerCollision', optionFailure)
  const nameOrder = NAME_ORDER(own.nameOrder, 'nameOrder', optionFailure)
  const bytes = typeof body === 'string' ? utf8Encode(body) : body
  checkBytes(bytes, 'body')
  const target: TargetInput = 'url' in own ? fromUrl(own.url, own.host) : own
  const { path, query = [] } = target
  const { host } = readPlace(target, readHost)
  checkPath(path)
  const pairs = readQuery(query)
  const digest = bytes.byteLength ? (await crypto.digest(digestName, bytes)).toUpperCase() : undefined
  const request = { ...signed, host, path, query: pairs, digest, headerCollision, nameOrder }
  return { request, signed, bytes, digestName, digest, ...canonicalOf(() => canonicalString(request)) }
}
