/** Parsing of recorded requests and stream openings into the parts of their canonical string. */
import { oneOf, ownOptions, utf8Encode } from '@brokerwire/core/internal'
import { ALGORITHM_NAMES, ALGORITHMS, type DigestName, SIGNATURE_VERSION } from './algorithms.ts'
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
import { validateQuery } from './query.ts'
import { check, checkInput, inputFailure, optionFailure } from './signer-error.ts'
import { checkPath, parseHost, resolveTarget, type TargetInput } from './target.ts'
import { tryOrUndefined } from './try-or-undefined.ts'

/** The target of a request, as a URL. */
export interface UrlInput {
  /** Absolute URL of the request, as for `fromUrl()`. */
  readonly url: string
  /** Signed host, if it differs from the URL's. @defaultValue the URL's host */
  readonly host?: string | undefined
}

/** A signed request: its target, its headers, and its body as sent. */
export type RecordedRequest = (TargetInput | UrlInput) & {
  /** Headers of the request, including those of the signature. `x-signature` is optional. */
  readonly headers: HeadersInput
  /** Body as sent; a string is encoded as UTF-8. @defaultValue no body */
  readonly body?: string | Uint8Array | undefined
  /** Order of the values if a query name equals a signed header. @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** Order of names and values. @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
}

/** The opening of a signed event stream. */
export interface RecordedStream {
  /** Metadata of the gRPC call. */
  readonly headers: HeadersInput
  /** Serialized request, without gRPC's envelope. */
  readonly requestBytes: Uint8Array
}

/** The parts of a canonical string, and the bytes of which the digest is computed. */
export interface RecordedParts {
  /** Parts of the request; `undefined` for a stream. */
  readonly request: CanonicalParts | undefined
  readonly signed: SignedParts
  /** Body or serialized request; empty if there is none. */
  readonly bytes: Uint8Array
  /** Digest algorithm of `bytes`. */
  readonly digestName: DigestName
  /**
   * Hex digest, in upper or lower case as in the canonical string; `undefined` for a request without a body.
   */
  readonly digest: string | undefined
  /** The canonical request, with the digest. */
  readonly canonical: string
  /** The string to sign. */
  readonly encoded: string
}

/** Encodes a canonical string. @throws SignerError `SIGNER_INPUT_INVALID` for a lone surrogate, which has no UTF-8 form. */
function toCanonical(makeCanonical: () => string): Pick<RecordedParts, 'canonical' | 'encoded'> {
  const encoded = tryOrUndefined(() => encodeCanonical(makeCanonical()))
  check(encoded !== undefined, 'the canonical string', 'text without lone surrogates', 'SIGNER_INPUT_INVALID')
  return { canonical: decodeURIComponent(encoded), encoded }
}

const ALGORITHM = oneOf(ALGORITHM_NAMES)
const HEADERS: ReadonlySet<string> = new Set(SIGNATURE_HEADERS)

/** Checks the bytes of a body or of a serialized request. */
function checkBytes(bytes: unknown, field: string): asserts bytes is Uint8Array {
  checkInput(ArrayBuffer.isView(bytes), bytes, field, field === 'body' ? 'a string or bytes' : 'bytes')
}

/**
 * Parses a recorded request or stream.
 *
 * @throws SignerError `SIGNER_INPUT_INVALID`, `SIGNER_TARGET_INVALID`.
 */
export async function parseRecorded(
  recorded: RecordedRequest | RecordedStream,
  crypto: SignerCrypto,
): Promise<RecordedParts> {
  const input = ownOptions(recorded)
  const values = headerValues(input.headers, HEADERS)
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
  if ('requestBytes' in input) {
    const bytes = input.requestBytes
    checkBytes(bytes, 'requestBytes')
    const digest = await crypto.digest(digestName, bytes)
    const canonical = toCanonical(() => streamCanonicalString({ ...signed, digest }))
    return { request: undefined, signed, bytes, digestName, digest, ...canonical }
  }
  const { body = '' } = input
  const headerCollision = HEADER_COLLISION(input.headerCollision, 'headerCollision', optionFailure)
  const nameOrder = NAME_ORDER(input.nameOrder, 'nameOrder', optionFailure)
  const bytes = typeof body === 'string' ? utf8Encode(body) : body
  checkBytes(bytes, 'body')
  const target: TargetInput = 'url' in input ? fromUrl(input.url, input.host) : input
  const { path, query = [] } = target
  const { host } = resolveTarget(target, parseHost)
  checkPath(path)
  const pairs = validateQuery(query)
  const digest = bytes.byteLength ? (await crypto.digest(digestName, bytes)).toUpperCase() : undefined
  const request = { ...signed, host, path, query: pairs, digest, headerCollision, nameOrder }
  return { request, signed, bytes, digestName, digest, ...toCanonical(() => canonicalString(request)) }
}
