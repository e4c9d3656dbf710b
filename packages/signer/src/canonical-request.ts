/**
 * The canonical request, and the string to sign that is made of it. The signer, the verifier, `explain` and `compare` all use
 * these functions. Specification, "Request signature".
 *
 * 1. Entries: `host`, the five headers of the signature and the query, sorted by name and value.
 * 2. Canonical request: the path, the entries as `name=value`, and the body's digest, joined with `&`.
 * 3. String to sign: the canonical request, percent-encoded.
 *
 * The signature is the HMAC of the string to sign.
 */
import type { QueryPair } from '@brokerwire/core'
import { ownOptions } from '@brokerwire/core/internal'
import { SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import { encodeCanonical } from './encode.ts'
import { type Compare, type HeaderCollision, type NameOrder, ORDERS } from './order.ts'

/** Headers of a signature that are signed, in the order in which they sort. */
export const SIGNATURE_HEADERS = [
  'x-app-key',
  'x-signature-algorithm',
  'x-signature-nonce',
  'x-signature-version',
  'x-timestamp',
] as const

/** All signed headers, in the order in which they sort. */
export const SIGNED_HEADERS: readonly string[] = ['host', ...SIGNATURE_HEADERS]

/** Values of the {@link SIGNATURE_HEADERS}. */
export type SignatureHeaderValues = Readonly<Record<(typeof SIGNATURE_HEADERS)[number], string>>

/** What every signature covers. */
export interface SignedParts {
  /** `x-app-key`. */
  readonly appKey: string
  /** `x-signature-algorithm`. */
  readonly algorithm: SignatureAlgorithm | (string & {})
  /** `x-signature-nonce`. */
  readonly nonce: string
  /** `x-timestamp`, `YYYY-MM-DDThh:mm:ssZ`. */
  readonly timestamp: string
  /** `x-signature-version`. @defaultValue '1.0' */
  readonly version?: string | undefined
}

/** Parts of the canonical string of an HTTP request. */
export interface CanonicalParts extends SignedParts {
  /** As on the request line, without the query. */
  readonly path: string
  /** `hostname[:port]`, without the scheme's default port. */
  readonly host: string
  /** Decoded names and values, in any order. @defaultValue [] */
  readonly query?: readonly QueryPair[] | undefined
  /** Upper-case hex digest of the body; absent where there is no body. */
  readonly digest?: string | undefined
  /** @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
}

/** Parts of the canonical string of an event stream. */
export interface StreamCanonicalParts extends SignedParts {
  /** Lower-case hex digest of the serialized request. */
  readonly digest: string
}

/** Order of entries: negative, zero or positive. */
export type EntryOrder = (left: QueryPair, right: QueryPair) => number

/**
 * Orders entries by name, then by value.
 *
 * @param sortCollisions - Whether the values of a query name that equals a signed header are sorted too. Otherwise they keep
 * their order, after the header's value.
 */
export const entryOrder =
  (compare: Compare, sortCollisions: boolean): EntryOrder =>
  ([leftName, leftValue], [rightName, rightValue]) => {
    const byName = compare(leftName, rightName)
    if (byName !== 0) return byName
    return sortCollisions || !SIGNED_HEADERS.includes(leftName) ? compare(leftValue, rightValue) : 0
  }

/** The entries of a signature's headers, sorted. */
export const headerEntries = (headers: SignatureHeaderValues): QueryPair[] =>
  SIGNATURE_HEADERS.map((name) => [name, headers[name]])

/** All entries of a request, sorted. @param query - Sorted by `order`. */
export function requestEntries(
  host: string,
  headers: SignatureHeaderValues,
  query: readonly QueryPair[],
  order: EntryOrder,
): readonly QueryPair[] {
  const entries: QueryPair[] = [['host', host], ...headerEntries(headers)]
  return query.length === 0 ? entries : [...entries, ...query].sort(order)
}

/** The canonical request. Entries of the same name share it: `name=value&value`. */
export function canonicalRequest(
  path: string,
  entries: readonly QueryPair[],
  digest: string | undefined,
): string {
  let text = path
  let lastName: string | undefined
  for (const [name, value] of entries) {
    text += name === lastName ? `&${value}` : `&${name}=${value}`
    lastName = name
  }
  return digest === undefined ? text : `${text}&${digest.toUpperCase()}`
}

/** The canonical request of an event stream, which has neither path nor host: its entries are joined with `=`. */
export function canonicalStream(headers: SignatureHeaderValues, digest: string): string {
  const entries = headerEntries(headers).map(([name, value]) => `${name}=${value}`)
  return `${entries.join('=')}&${digest}`
}

/** The string to sign. @throws URIError for a lone surrogate. */
export const stringToSign: (canonical: string) => string = encodeCanonical

/** The signature's headers of parts that a caller has. */
export function headersOf(parts: SignedParts): SignatureHeaderValues {
  const { appKey, algorithm, nonce, version = SIGNATURE_VERSION, timestamp } = ownOptions(parts)
  return {
    'x-app-key': appKey,
    'x-signature-algorithm': algorithm,
    'x-signature-nonce': nonce,
    'x-signature-version': version,
    'x-timestamp': timestamp,
  }
}

/** The sorted entries of parts that a caller has. */
export function canonicalEntries(parts: CanonicalParts): readonly QueryPair[] {
  const { host, query = [], headerCollision, nameOrder = 'code-point' } = ownOptions(parts)
  const order = entryOrder(ORDERS[nameOrder], headerCollision !== 'header-first')
  return requestEntries(host, headersOf(parts), [...query].sort(order), order)
}

/**
 * The canonical string of an HTTP request, before percent-encoding: the specification, "Request signature", steps 1 to 4.
 *
 * @returns `path&name=value&...`, entries sorted by name, and the digest at the end where there is one.
 *
 * @example
 * ```ts
 * import { canonicalString } from '@brokerwire/signer'
 *
 * const string = canonicalString({
 *   appKey: 'app-1',
 *   algorithm: 'HMAC-SHA256',
 *   nonce: '0123456789abcdef0123456789abcdef',
 *   timestamp: '2026-01-01T00:00:00Z',
 *   path: '/orders',
 *   host: 'api.example.com',
 * })
 * console.log(string)
 * ```
 */
export function canonicalString(parts: CanonicalParts): string {
  const { path, digest } = ownOptions(parts)
  return canonicalRequest(path, canonicalEntries(parts), digest)
}

/**
 * The canonical string of an event stream, before percent-encoding: the five `x-` entries joined with `=`, then `&`
 * and the lower-case digest. docs/facts.md, "Signature", rows on gRPC streams.
 *
 * @example
 * ```ts
 * import { streamCanonicalString } from '@brokerwire/signer'
 *
 * const string = streamCanonicalString({
 *   appKey: 'my-key',
 *   algorithm: 'HMAC-SHA256',
 *   nonce: '0123456789abcdef0123456789abcdef',
 *   timestamp: '2026-01-31T12:00:00Z',
 *   digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', // of an empty request
 * })
 * console.log(string)
 * ```
 */
export function streamCanonicalString(parts: StreamCanonicalParts): string {
  return canonicalStream(headersOf(parts), parts.digest)
}
