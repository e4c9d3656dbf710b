/**
 * The strings that get signed, as pure functions of the request.
 *
 * Kept apart from the hashing so that a mismatch can be halved: print this string and hold it against the server's
 * before looking at keys. `createSigner` assembles the encoded form by itself, faster; the tests hold the two
 * against each other.
 */
import type { QueryPair } from '@brokerwire/core'
import { ownOptions } from '@brokerwire/core/internal'
import { SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import { type HeaderCollision, type NameOrder, ORDERS } from './order.ts'

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

/** The five `x-` entries, sorted. */
export function headerEntries(parts: SignedParts): QueryPair[] {
  const { appKey, algorithm, nonce, version = SIGNATURE_VERSION, timestamp } = ownOptions(parts)
  return [
    ['x-app-key', appKey],
    ['x-signature-algorithm', algorithm],
    ['x-signature-nonce', nonce],
    ['x-signature-version', version],
    ['x-timestamp', timestamp],
  ]
}

/**
 * The entries of a request's canonical string, sorted, each name with its values in order. Specification, "Request
 * signature", steps 1 and 2.
 */
export function canonicalEntries(parts: CanonicalParts): readonly (readonly [string, readonly string[]])[] {
  const { host, query = [], headerCollision, nameOrder = 'code-point' } = ownOptions(parts)
  const compare = ORDERS[nameOrder]
  const values = new Map<string, string[]>()
  const headers: readonly QueryPair[] = [['host', host], ...headerEntries(parts)]
  for (const [name, value] of [...headers, ...query]) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  for (const [name, list] of values) {
    if (headerCollision !== 'header-first' || !headers.some(([header]) => header === name)) {
      list.sort(compare)
    }
  }
  return [...values].sort(([left], [right]) => compare(left, right))
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
  const texts = canonicalEntries(parts).map(([name, list]) => `${name}=${list.join('&')}`)
  const { path, digest } = ownOptions(parts)
  return [path, ...texts, ...(digest === undefined ? [] : [digest])].join('&')
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
  const entries = headerEntries(parts).map(([name, value]) => `${name}=${value}`)
  return `${entries.join('=')}&${parts.digest}`
}
