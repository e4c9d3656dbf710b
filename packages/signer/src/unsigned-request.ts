/**
 * Everything before the HMAC, for requests and streams. Shared by the signer that returns promises and by the synchronous one.
 */
import type { QueryPair } from '@brokerwire/core'
import { requireKnownOptions, utf8Encode } from '@brokerwire/core/internal'
import { attempt } from './attempt.ts'
import { canonicalRequest, type EntryOrder, requestEntries } from './canonical-request.ts'
import { encodeCanonical } from './encode.ts'
import { memoizeLast } from './memoize-last.ts'
import { checkQuery, readQuery } from './query.ts'
import type { UnsignedHeaders } from './signature-headers.ts'
import { check, inputFailure } from './signer-error.ts'
import type { KeyedAlgorithm } from './signer-options.ts'
import { checkPath, readHost, readPlace, type TargetInput } from './target.ts'

/** What is signed: where it goes, and the exact bytes of its body. A text is sent as UTF-8; an empty body is none. */
export type SignInput = TargetInput & { readonly body?: string | Uint8Array | undefined }

/** A request before its HMAC. */
export interface UnsignedRequest<Output> {
  readonly headers: UnsignedHeaders
  readonly url: string
  /** Digest of the body; `undefined` if there is none. */
  readonly digest: Output | undefined
  /** Canonical request with the digest. */
  canonical(digest: string | undefined): string
}

const NO_BYTES = new Uint8Array()

/** All fields of an input. Spread before the given ones, they hide properties of `Object.prototype`. */
const UNSET: { readonly [Field in keyof SignInput]-?: undefined } = {
  host: undefined,
  path: undefined,
  query: undefined,
  scheme: undefined,
  origin: undefined,
  body: undefined,
}
const FIELDS = /* @__PURE__ */ Object.keys(UNSET)

/** The query to send, in the signed order, with its `?`. @throws URIError for a lone surrogate. */
function encodeSearch(query: readonly QueryPair[]): string {
  const pairs = query.map(([name, value]) => `${encodeCanonical(name)}=${encodeCanonical(value)}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Creates a function that prepares requests. It throws SignerErrors. */
export function createRequestBuilder<Output>(
  requests: KeyedAlgorithm<Output>,
  order: EntryOrder,
): (input: SignInput) => UnsignedRequest<Output> {
  const hostOf = memoizeLast(readHost)
  return (input) => {
    const own = { ...UNSET, ...input }
    requireKnownOptions(inputFailure, input, FIELDS)
    const { path, query = [], body } = own
    const { host, origin } = readPlace(own, hostOf)
    checkPath(path)
    const bytes = typeof body === 'string' ? utf8Encode(body) : (body ?? NO_BYTES)
    check(ArrayBuffer.isView(bytes), 'body', 'text or bytes', 'SIGNER_INPUT_INVALID')
    const pairs = readQuery(query)
    const sorted = pairs.length > 1 ? [...pairs].sort(order) : pairs
    const search = attempt(() => encodeSearch(sorted))
    checkQuery(search !== undefined)
    const headers = requests.nextHeaders()
    const entries = requestEntries(host, headers, sorted, order)
    return {
      headers,
      url: origin + path + search,
      digest: bytes.byteLength ? requests.digest(bytes) : undefined,
      canonical: (digest) => canonicalRequest(path, entries, digest),
    }
  }
}

/** The bytes of a stream's request. @throws SignerError `SIGNER_INPUT_INVALID`. */
export function checkRequestBytes(requestBytes: Uint8Array): void {
  check(ArrayBuffer.isView(requestBytes), 'requestBytes', 'bytes', 'SIGNER_INPUT_INVALID')
}
