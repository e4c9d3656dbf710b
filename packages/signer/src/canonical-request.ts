/**
 * The canonical request and the string to sign. The signer, the verifier, `explain` and `compare` all use these functions.
 * Specification, "Request signature".
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

/** The five signature headers that are signed, in sorted order. */
export const SIGNATURE_HEADERS = [
  'x-app-key',
  'x-signature-algorithm',
  'x-signature-nonce',
  'x-signature-version',
  'x-timestamp',
] as const

/** All signed headers, in sorted order. */
export const SIGNED_HEADERS: readonly string[] = ['host', ...SIGNATURE_HEADERS]

/** Values of the {@link SIGNATURE_HEADERS}. */
export type SignatureHeaderValues = Readonly<Record<(typeof SIGNATURE_HEADERS)[number], string>>

/** Fields that every signature covers. */
export interface SignedParts {
  /** Value of the `x-app-key` header. */
  readonly appKey: string
  /** Value of the `x-signature-algorithm` header. */
  readonly algorithm: SignatureAlgorithm | (string & {})
  /** Value of the `x-signature-nonce` header. */
  readonly nonce: string
  /** Value of the `x-timestamp` header, in the format `YYYY-MM-DDThh:mm:ssZ`. */
  readonly timestamp: string
  /** Value of the `x-signature-version` header. @defaultValue '1.0' */
  readonly version?: string | undefined
}

/** Parts of the canonical string of an HTTP request. */
export interface CanonicalParts extends SignedParts {
  /** Path of the request line, without the query. */
  readonly path: string
  /** Host as `hostname[:port]`, without the scheme's default port. */
  readonly host: string
  /** Decoded names and values of the query, in any order. @defaultValue [] */
  readonly query?: readonly QueryPair[] | undefined
  /** Hex digest of the body in upper case, MD5 for `HMAC-SHA1` and SHA-256 for `HMAC-SHA256`; absent if there is no body. */
  readonly digest?: string | undefined
  /** Order of the values if a query name equals a signed header. @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** Order of names and values. @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
}

/** Parts of the canonical string of an event stream. */
export interface StreamCanonicalParts extends SignedParts {
  /** Hex digest of the serialized request in lower case, MD5 for `HMAC-SHA1` and SHA-256 for `HMAC-SHA256`. */
  readonly digest: string
}

/**
 * A string and its percent-encoded form. The string to sign and the URL use the same encoded form, so they
 * cannot differ.
 */
export interface EncodedText {
  readonly text: string
  readonly encoded: string
}

/**
 * Encodes a string.
 *
 * @throws URIError for a lone surrogate.
 */
export const encodeText = (text: string): EncodedText => ({ text, encoded: encodeCanonical(text) })

/** A name with a value: a signed header, or a parameter of the query. */
export interface Entry {
  readonly name: EncodedText
  readonly value: EncodedText
}

/** Encodes a name and its value. @throws URIError for a lone surrogate. */
export const createEntry = (name: string, value: string): Entry => ({
  name: encodeText(name),
  value: encodeText(value),
})

/** Compares two entries. Returns a negative number, 0 or a positive number. */
export type EntryOrder = (left: Entry, right: Entry) => number

/**
 * Orders entries by name, then by value.
 *
 * @param sortCollisions - Whether the values are also sorted if a query name equals a signed header. If `false`, the header's
 * value comes first and the values of the query keep their order.
 */
export const entryOrder =
  (compare: Compare, sortCollisions: boolean): EntryOrder =>
  (left, right) => {
    const name = left.name.text
    const byName = compare(name, right.name.text)
    if (byName !== 0) return byName
    const isSorted = sortCollisions || !SIGNED_HEADERS.includes(name)
    return isSorted ? compare(left.value.text, right.value.text) : 0
  }

/** Returns the sorted entries of the signature headers. */
export const headerEntries = (headers: SignatureHeaderValues): Entry[] =>
  SIGNATURE_HEADERS.map((name) => createEntry(name, headers[name]))

/** Returns the sorted entries of a query. */
export const queryEntries = (query: readonly QueryPair[], order: EntryOrder): Entry[] =>
  query.map(([name, value]) => createEntry(name, value)).sort(order)

/** Returns all entries of a request, sorted. The given `headers` and `query` must already be sorted. */
export function requestEntries(
  host: Entry,
  headers: readonly Entry[],
  query: readonly Entry[],
  order: EntryOrder,
): readonly Entry[] {
  return merge([host, ...headers], query, order)
}

/** Merges two sorted lists. If two entries are equal in `order`, the entry of `left` comes first. */
function merge(left: readonly Entry[], right: readonly Entry[], order: EntryOrder): readonly Entry[] {
  if (right.length === 0) return left
  const merged: Entry[] = []
  let next = 0
  for (const entry of left) {
    for (let other = right[next]; other !== undefined && order(other, entry) < 0; other = right[next]) {
      merged.push(other)
      next += 1
    }
    merged.push(entry)
  }
  return [...merged, ...right.slice(next)]
}

/** The parts of a request that are signed. */
export interface RequestParts {
  readonly path: EncodedText
  /** Entries, sorted by name and value. */
  readonly entries: readonly Entry[]
  /** Hex digest of the body; `undefined` if there is none. */
  readonly digest: string | undefined
}

/**
 * Joins path, entries and digest. If entries have the same name, the name is written once:
 * `name=value&value`.
 */
function joinRequest(
  { path, entries, digest }: RequestParts,
  form: keyof EncodedText,
  and: string,
  equals: string,
): string {
  let text = path[form]
  let lastName: string | undefined
  for (const { name, value } of entries) {
    text += name.text === lastName ? and : and + name[form] + equals
    text += value[form]
    lastName = name.text
  }
  return digest === undefined ? text : text + and + digest.toUpperCase()
}

/** Returns the canonical request before percent-encoding, for people and for comparisons. */
export const canonicalRequest = (parts: RequestParts): string => joinRequest(parts, 'text', '&', '=')

/** Returns the string to sign: the percent-encoded canonical request. */
export const stringToSign = (parts: RequestParts): string => joinRequest(parts, 'encoded', '%26', '%3D')

/**
 * Returns the canonical request of an event stream: the entries joined with `=`, then `&` and the digest. It
 * has neither path nor host.
 */
export function canonicalStream(headers: SignatureHeaderValues, digest: string): string {
  const entries = SIGNATURE_HEADERS.map((name) => `${name}=${headers[name]}`)
  return `${entries.join('=')}&${digest}`
}

/** Returns the signature headers with the given values. */
export function toSignatureHeaders(parts: SignedParts): SignatureHeaderValues {
  const { appKey, algorithm, nonce, version = SIGNATURE_VERSION, timestamp } = ownOptions(parts)
  return {
    'x-app-key': appKey,
    'x-signature-algorithm': algorithm,
    'x-signature-nonce': nonce,
    'x-signature-version': version,
    'x-timestamp': timestamp,
  }
}

/** Returns the sorted entries of a request with the given parts. @throws URIError for a lone surrogate. */
export function canonicalEntries(parts: CanonicalParts): readonly Entry[] {
  const { host, query = [], headerCollision, nameOrder = 'code-point' } = ownOptions(parts)
  const order = entryOrder(ORDERS[nameOrder], headerCollision !== 'header-first')
  const headers = headerEntries(toSignatureHeaders(parts))
  return requestEntries(createEntry('host', host), headers, queryEntries(query, order), order)
}

/**
 * Returns the canonical string of an HTTP request, before percent-encoding. Specification, "Request signature", steps 1 to 4.
 *
 * @returns `path&name=value&...`: the path, the entries sorted by name, and the digest if there is one.
 * @throws URIError for a lone surrogate, because it has no UTF-8 form.
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
  return canonicalRequest({ path: encodeText(path), entries: canonicalEntries(parts), digest })
}

/**
 * Returns the canonical string of an event stream, before percent-encoding: the five `x-` entries joined with `=`, then `&`
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
  return canonicalStream(toSignatureHeaders(parts), parts.digest)
}
