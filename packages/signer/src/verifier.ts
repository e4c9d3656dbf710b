/**
 * The verifier of signed requests and event streams. It never throws for hostile input: the result names the
 * first rule that failed. The nonce is checked last, so that only holders of a key can fill the store of
 * nonces.
 */
import {
  array,
  boolean,
  custom,
  type FieldsOf,
  func,
  integer,
  oneOf,
  optional,
  ownOptions,
  readOptions,
} from '@brokerwire/core/internal'
import { runtimeCrypto } from '#crypto'
import { ALGORITHM_NAMES, ALGORITHMS, type SignatureAlgorithm } from './algorithms.ts'
import { findAmbiguity } from './ambiguity.ts'
import {
  canonicalStream,
  createEntry,
  encodeText,
  entryOrder,
  headerEntries,
  queryEntries,
  type RequestParts,
  requestEntries,
  stringToSign,
} from './canonical-request.ts'
import type { SignerCrypto } from './crypto/port.ts'
import { encodeCanonical } from './encode.ts'
import type { HeadersInput } from './headers.ts'
import { createInMemoryNonceStore, type NonceStore } from './in-memory-nonce-store.ts'
import { memoizeLast } from './memoize-last.ts'
import {
  COLLISIONS,
  HEADER_COLLISION,
  type HeaderCollision,
  NAME_ORDER,
  type NameOrder,
  ORDERS,
} from './order.ts'
import { parseQuery } from './query.ts'
import { check, checkInput, optionFailure } from './signer-error.ts'
import { CRYPTO } from './signer-options.ts'
import { checkRequestBytes } from './unsigned-request.ts'
import {
  checkWindow,
  NONCE_FORMATS,
  type NonceFormat,
  parseSignatureHeaders,
  parseTimestamp,
  type SignatureFields,
  VISIBLE,
  verifyFailure,
} from './verify-headers.ts'
import { createHmacCache, type SecretLookup } from './verify-keys.ts'
import type { VerifyFailure, VerifyResult } from './verify-result.ts'

/** Options of `createVerifier`. They are read once. */
export interface VerifierOptions {
  /**
   * Returns the secret or secrets of an app key; `undefined` or `null` if the app key is unknown. A value of another type
   * counts as unknown too. If the function throws, `verify()` rejects with that error. It is called for each request, so a
   * secret that it no longer returns is not used.
   */
  readonly secretFor: (appKey: string) => SecretLookup | PromiseLike<SecretLookup>
  /**
   * Maximum difference between a timestamp and the clock, in milliseconds, in both directions. It is checked before and
   * after the look-up of the secret.
   * @defaultValue 300000
   */
  readonly windowMs?: number | undefined
  /** Algorithms that the verifier accepts. @defaultValue both */
  readonly algorithms?: readonly SignatureAlgorithm[] | undefined
  /** Must equal the option `headerCollision` of the signer. @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** Must equal the option `nameOrder` of the signer. @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
  /**
   * Scheme of the requests. Set it if something between client and server changes the case of `Host` or adds
   * the default port. If it is set, the verifier normalizes case and port.
   * @defaultValue none: the host is used as received
   */
  readonly scheme?: 'https' | 'http' | undefined
  /** Format of accepted nonces: 32 lower-case hex characters, or any visible ASCII. @defaultValue 'hex32' */
  readonly nonceFormat?: NonceFormat | undefined
  /**
   * Whether to reject requests whose canonical string may equal that of another request: see THREATS.md. The
   * service accepts such requests.
   *
   * @defaultValue false
   */
  readonly rejectAmbiguous?: boolean | undefined
  /** Store of the used nonces; `false` allows replays. @defaultValue a bounded store in memory, for this process */
  readonly nonces?: NonceStore | false | undefined
  /** Clock, in milliseconds since the Unix epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined
  /** Hash functions for digest and HMAC. @defaultValue those of the runtime */
  readonly crypto?: SignerCrypto | undefined
}

/** A request as it was received. */
export interface VerifyInput {
  /** The `Host` header, or HTTP/2's `:authority`. */
  readonly host: string
  /** The raw request target: `path?query` as on the request line. */
  readonly target: string
  /** Headers of the request, including those of the signature. */
  readonly headers: HeadersInput
  /** Body as received, before any parser. An empty body is no body. @defaultValue no body */
  readonly body?: Uint8Array | undefined
}

/** The opening of an event stream as it was received. */
export interface VerifyStreamInput {
  /** Metadata of the gRPC call. */
  readonly headers: HeadersInput
  /** The serialized request as received, without gRPC's envelope. */
  readonly requestBytes: Uint8Array
}

/** Verifies requests and event streams. */
export interface Verifier {
  /**
   * Verifies the signature, the timestamp and the nonce of a request. The promise does not reject for any
   * input from a client.
   */
  verify(input: VerifyInput): Promise<VerifyResult>
  /** Verifies the opening of an event stream in the same way as `verify`. */
  verifyStream(input: VerifyStreamInput): Promise<VerifyResult>
}

const MAX_WINDOW_MS = 86_400_000
/**
 * Time for which a nonce is still stored after the verifier rejects its timestamp. It is needed, because the
 * clock of a shared store may be ahead.
 */
const MARGIN_MS = 60_000
/** The target of a request line: it begins with a slash and has no fragment. */
const TARGET = /^\/[!"$-~]*$/
/** The default port of each scheme, which clients omit. */
const DEFAULT_PORTS = { https: /:443$/, http: /:80$/ } as const

const VERIFIER_OPTIONS = {
  secretFor: func<VerifierOptions['secretFor']>(),
  windowMs: integer({ min: 0, max: MAX_WINDOW_MS, default: 300_000 }),
  algorithms: optional(array(oneOf(ALGORITHM_NAMES), { expected: 'a non-empty array of algorithms' })),
  headerCollision: HEADER_COLLISION,
  nameOrder: NAME_ORDER,
  scheme: optional(oneOf(['https', 'http'])),
  nonceFormat: oneOf(['hex32', 'any'], 'hex32'),
  rejectAmbiguous: boolean(false),
  nonces: optional(
    custom<NonceStore | false>(
      'a NonceStore or false',
      (value) => value === false || typeof (value as Partial<NonceStore> | null)?.remember === 'function',
    ),
  ),
  now: func(() => Date.now()),
  crypto: CRYPTO,
} satisfies FieldsOf<VerifierOptions>

function parseVerifierOptions(options: VerifierOptions) {
  const read = readOptions(optionFailure, options, VERIFIER_OPTIONS)
  const compare = ORDERS[read.nameOrder]
  return {
    ...read,
    algorithms: read.algorithms ?? ALGORITHM_NAMES,
    compare,
    order: entryOrder(compare, COLLISIONS[read.headerCollision]),
    defaultPort: read.scheme && DEFAULT_PORTS[read.scheme],
    nonceFormat: NONCE_FORMATS[read.nonceFormat],
    nonces: read.nonces ?? createInMemoryNonceStore(),
    crypto: read.crypto ?? runtimeCrypto(),
  }
}

/** Compares two strings in constant time. */
function timingSafeEqual(left: string, right: string): boolean {
  let difference = left.length ^ right.length
  for (let i = 0; i < left.length; i += 1) difference |= left.charCodeAt(i) ^ right.charCodeAt(i)
  return difference === 0
}

/** Returns the path and the decoded query of a target; `undefined` if the target is invalid. */
function parseTarget(target: unknown) {
  if (typeof target !== 'string' || !TARGET.test(target)) return undefined
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const query = mark === -1 ? '' : target.slice(mark + 1)
  try {
    return { target, path, query: parseQuery(query) }
  } catch {
    // The target has escapes that are not UTF-8.
    return undefined
  }
}

/**
 * Creates a verifier of signed requests and event streams.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`, `SIGNER_CRYPTO_UNAVAILABLE`.
 *
 * @example
 * ```ts
 * import { createVerifier, type VerifyInput } from '@brokerwire/signer'
 *
 * declare const secrets: ReadonlyMap<string, string>
 * declare const received: VerifyInput
 *
 * const verifier = createVerifier({ secretFor: (appKey) => secrets.get(appKey), scheme: 'https' })
 * const result = await verifier.verify(received)
 * if (!result.ok) console.log(result.rule)
 * ```
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const settings = parseVerifierOptions(options)
  const { secretFor, windowMs, algorithms, compare, order, nonceFormat, nonces, now, crypto } = settings
  const getHmacs = createHmacCache(crypto)
  const getInstant = memoizeLast(parseTimestamp)

  function readClock(): number {
    const nowMs = now()
    check(Number.isFinite(nowMs), 'now()', 'milliseconds since the Unix epoch')
    return nowMs
  }

  /** Validates headers and timestamp. These checks come first, because they take little time. */
  function parseTimelyHeaders(headers: HeadersInput): SignatureFields | VerifyFailure {
    const fields = parseSignatureHeaders(headers, algorithms, nonceFormat, getInstant)
    return fields.ok ? (checkWindow(fields.atMs, readClock(), windowMs) ?? fields) : fields
  }

  /** Returns the parts of a request that are signed, without the digest of its body. */
  function parseRequest(
    fields: SignatureFields,
    host: unknown,
    target: unknown,
  ): { ok: true; parts: Omit<RequestParts, 'digest'> } | VerifyFailure {
    if (typeof host !== 'string' || !VISIBLE.test(host)) {
      return verifyFailure(host ? 'malformed-header' : 'missing-header', 'host')
    }
    const { defaultPort, rejectAmbiguous } = settings
    const signedHost = defaultPort ? host.toLowerCase().replace(defaultPort, '') : host
    const read = parseTarget(target)
    if (read === undefined) return { ok: false, rule: 'target' }
    const { path, query } = read
    if (rejectAmbiguous) {
      const texts = [signedHost, fields.headers['x-app-key'], fields.headers['x-signature-nonce']]
      const reason = findAmbiguity(read.target, path, query, texts, compare)
      if (reason !== undefined) return { ok: false, rule: 'ambiguous', reason }
    }
    const hostEntry = createEntry('host', signedHost)
    const headers = headerEntries(fields.headers)
    const entries = requestEntries(hostEntry, headers, queryEntries(query, order), order)
    return { ok: true, parts: { path: encodeText(path), entries } }
  }

  /** Checks the signature of the string to sign, the timestamp, and that the nonce is new. */
  async function verifySignature(
    { headers, algorithm, atMs, signature }: SignatureFields,
    message: string,
  ): Promise<VerifyResult> {
    const appKey = headers['x-app-key']
    const macs = getHmacs(await secretFor(appKey), ALGORITHMS[algorithm].mac)
    if (macs.length === 0) return verifyFailure('unknown-app-key', 'x-app-key')
    let matches = false
    for (const mac of macs) matches = timingSafeEqual(await mac(message), signature) || matches
    if (!matches) {
      return {
        ok: false,
        rule: 'signature',
        header: 'x-signature',
        canonical: decodeURIComponent(message),
      }
    }
    // The look-up of the secret took time, so the timestamp is checked again, with the time that is passed to
    // the store. The store may have deleted a nonce whose timestamp is too old.
    const nowMs = readClock()
    const late = checkWindow(atMs, nowMs, windowMs)
    if (late !== undefined) return late
    if (nonces !== false) {
      const nonce = headers['x-signature-nonce']
      // Neither part contains a space, so no other pair has the same key.
      const key = `${appKey} ${nonce}`
      const expiresAtMs = atMs + windowMs + MARGIN_MS
      const status = await nonces.remember({ key, appKey, nonce, expiresAtMs, nowMs })
      if (status !== 'new') {
        return verifyFailure(
          status === 'capacity-exceeded' ? 'nonce-store-full' : 'replay',
          'x-signature-nonce',
        )
      }
    }
    return { ok: true, appKey }
  }

  // `return await` is used, because workerd reports a promise that rejects and gets no handler in the same
  // microtask.
  return {
    async verify(input) {
      const { host, target, headers, body } = ownOptions(input)
      checkInput(!body || ArrayBuffer.isView(body), body, 'body', 'bytes')
      const fields = parseTimelyHeaders(headers)
      if (!fields.ok) return fields
      const request = parseRequest(fields, host, target)
      if (!request.ok) return request
      const digest = body?.byteLength
        ? await crypto.digest(ALGORITHMS[fields.algorithm].digest, body)
        : undefined
      return await verifySignature(fields, stringToSign({ ...request.parts, digest }))
    },
    async verifyStream(input) {
      const { headers, requestBytes } = ownOptions(input)
      checkRequestBytes(requestBytes)
      const fields = parseTimelyHeaders(headers)
      if (!fields.ok) return fields
      const digest = await crypto.digest(ALGORITHMS[fields.algorithm].digest, requestBytes)
      return await verifySignature(fields, encodeCanonical(canonicalStream(fields.headers, digest)))
    },
  }
}
