/**
 * The other side: whether a request or a stream was signed by who it says.
 *
 * Hostile input is data, never an exception: the answer names the first rule that failed. The nonce is looked at
 * last, so that only who holds a key can put anything into its store.
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
import { ambiguity } from './ambiguity.ts'
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
import { memoizeLast } from './memoize-last.ts'
import { createNonceMemory, type NonceStore } from './nonce-memory.ts'
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
  type Claims,
  NONCE_FORMS,
  type NonceForm,
  readClaims,
  readTimestamp,
  refused,
  VISIBLE,
  windowRefusal,
} from './verify-claims.ts'
import { macsOfSecrets, type SecretLookup } from './verify-keys.ts'
import type { VerifyRefusal, VerifyResult } from './verify-result.ts'

/** Options of `createVerifier`. Read once. */
export interface VerifierOptions {
  /** The secret or secrets of an app key. What it throws is passed on to the caller of `verify`. */
  readonly secretFor: (appKey: string) => SecretLookup | PromiseLike<SecretLookup>
  /** How far a timestamp may lie in the past or in the future, in milliseconds. @defaultValue 300000 */
  readonly windowMs?: number | undefined
  /** Algorithms that are accepted. @defaultValue both */
  readonly algorithms?: readonly SignatureAlgorithm[] | undefined
  /** Must be as the signer has it. @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** Must be as the signer has it. @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
  /**
   * What requests come over. With it a `host` in capitals, or with the scheme's default port, stands for the host that
   * was signed. @defaultValue none: the host is taken as it comes
   */
  readonly scheme?: 'https' | 'http' | undefined
  /** Nonces that are taken: 32 lower-case hex characters, or any visible ASCII. @defaultValue 'hex32' */
  readonly nonceForm?: NonceForm | undefined
  /**
   * Refuses odd requests, those that a plain one may share the canonical string with: see THREATS.md. The service does
   * not.
   *
   * @defaultValue false
   */
  readonly rejectAmbiguous?: boolean | undefined
  /** Remembers nonces; `false` allows replays. @defaultValue a bounded memory of this process */
  readonly nonces?: NonceStore | false | undefined
  /** Milliseconds since the Unix epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined
  /** Hash functions to use instead of the runtime's. */
  readonly crypto?: SignerCrypto | undefined
}

/** A request as it arrived. */
export interface VerifyInput {
  /** The `Host` header, or HTTP/2's `:authority`. */
  readonly host: string
  /** The request target, raw: `path?query` as on the request line. */
  readonly target: string
  readonly headers: HeadersInput
  /** The bytes as they arrived. An empty body is none. */
  readonly body?: Uint8Array | undefined
}

/** A stream's opening as it arrived. */
export interface VerifyStreamInput {
  /** The gRPC metadata. */
  readonly headers: HeadersInput
  /** The serialized request, raw, without gRPC's envelope. */
  readonly requestBytes: Uint8Array
}

/** Verifies requests and event streams. */
export interface Verifier {
  /** Whether a request's signature is valid, timely and fresh. Hostile input never rejects. */
  verify(input: VerifyInput): Promise<VerifyResult>
  /** The same for the opening of an event stream. */
  verifyStream(input: VerifyStreamInput): Promise<VerifyResult>
}

const DAY_MS = 86_400_000
/** How much longer than its timestamp is taken a nonce is kept: a shared store's clock may be ahead of this one. */
const MARGIN_MS = 60_000
/** A request line's target: it begins with a slash and has no fragment. */
const TARGET = /^\/[!"$-~]*$/
/** The port that a scheme's requests leave out. */
const DEFAULT_PORTS = { https: /:443$/, http: /:80$/ } as const

const VERIFIER_OPTIONS = {
  secretFor: func<VerifierOptions['secretFor']>(),
  windowMs: integer({ min: 0, max: DAY_MS, default: 300_000 }),
  algorithms: optional(array(oneOf(ALGORITHM_NAMES), { expected: 'a non-empty array of algorithms' })),
  headerCollision: HEADER_COLLISION,
  nameOrder: NAME_ORDER,
  scheme: optional(oneOf(['https', 'http'])),
  nonceForm: oneOf(['hex32', 'any'], 'hex32'),
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

function readVerifierOptions(options: VerifierOptions) {
  const read = readOptions(optionFailure, options, VERIFIER_OPTIONS)
  const compare = ORDERS[read.nameOrder]
  return {
    ...read,
    algorithms: read.algorithms ?? ALGORITHM_NAMES,
    compare,
    order: entryOrder(compare, COLLISIONS[read.headerCollision]),
    defaultPort: read.scheme && DEFAULT_PORTS[read.scheme],
    nonceForm: NONCE_FORMS[read.nonceForm],
    nonces: read.nonces ?? createNonceMemory(),
    crypto: read.crypto ?? runtimeCrypto(),
  }
}

/** Compares without telling, by its time, where two texts differ. */
function sameText(left: string, right: string): boolean {
  let difference = left.length ^ right.length
  for (let i = 0; i < left.length; i += 1) difference |= left.charCodeAt(i) ^ right.charCodeAt(i)
  return difference === 0
}

/** A target's path and its decoded query; `undefined` where it is none. */
function readTarget(target: unknown) {
  if (typeof target !== 'string' || !TARGET.test(target)) return undefined
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const query = mark === -1 ? '' : target.slice(mark + 1)
  try {
    return { target, path, query: parseQuery(query) }
  } catch {
    // Escapes that are not UTF-8.
    return undefined
  }
}

/**
 * Makes a verifier.
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
  const settings = readVerifierOptions(options)
  const { secretFor, windowMs, algorithms, compare, order, nonceForm, nonces, now, crypto } = settings
  const macsOf = macsOfSecrets(crypto)
  const instantOf = memoizeLast(readTimestamp)

  function readClock(): number {
    const nowMs = now()
    check(Number.isFinite(nowMs), 'now()', 'milliseconds since the Unix epoch')
    return nowMs
  }

  /** The claims, if nothing about them is to be refused: cheap, and first. */
  function timelyClaims(headers: HeadersInput): Claims | VerifyRefusal {
    const claims = readClaims(headers, algorithms, nonceForm, instantOf)
    return claims.ok ? (windowRefusal(claims.atMs, readClock(), windowMs) ?? claims) : claims
  }

  /** The parts of a request that are signed, without the digest of its body. */
  function readRequest(
    claims: Claims,
    host: unknown,
    target: unknown,
  ): { ok: true; parts: Omit<RequestParts, 'digest'> } | VerifyRefusal {
    if (typeof host !== 'string' || !VISIBLE.test(host)) {
      return refused(host ? 'malformed-header' : 'missing-header', 'host')
    }
    const { defaultPort, rejectAmbiguous } = settings
    const signedHost = defaultPort ? host.toLowerCase().replace(defaultPort, '') : host
    const read = readTarget(target)
    if (read === undefined) return { ok: false, rule: 'target' }
    const { path, query } = read
    if (rejectAmbiguous) {
      const texts = [signedHost, claims.headers['x-app-key'], claims.headers['x-signature-nonce']]
      const reason = ambiguity(read.target, path, query, texts, compare)
      if (reason !== undefined) return { ok: false, rule: 'ambiguous', reason }
    }
    const hostEntry = createEntry('host', signedHost)
    const headers = headerEntries(claims.headers)
    const entries = requestEntries(hostEntry, headers, queryEntries(query, order), order)
    return { ok: true, parts: { path: encodeText(path), entries } }
  }

  /** Checks the signature of the string to sign, its time, and that the nonce is new. */
  async function judge(
    { headers, algorithm, atMs, signature }: Claims,
    message: string,
  ): Promise<VerifyResult> {
    const appKey = headers['x-app-key']
    const macs = macsOf(await secretFor(appKey), ALGORITHMS[algorithm].mac)
    if (macs.length === 0) return refused('unknown-app-key', 'x-app-key')
    let matches = false
    for (const mac of macs) matches = sameText(await mac(message), signature) || matches
    if (!matches) {
      return {
        ok: false,
        rule: 'signature',
        header: 'x-signature',
        canonical: decodeURIComponent(message),
      }
    }
    // Looking up the secret and hashing took time. The timestamp is looked at again with the reading of the clock that
    // the store gets: what it may have forgotten is refused here.
    const nowMs = readClock()
    const late = windowRefusal(atMs, nowMs, windowMs)
    if (late !== undefined) return late
    if (nonces !== false) {
      const nonce = headers['x-signature-nonce']
      // Neither has a blank in it: no other pair makes the same text.
      const key = `${appKey} ${nonce}`
      const expiresAtMs = atMs + windowMs + MARGIN_MS
      const verdict = await nonces.remember({ key, appKey, nonce, expiresAtMs, nowMs })
      if (verdict !== 'new') {
        return refused(verdict === 'full' ? 'replay-store-full' : 'replay', 'x-signature-nonce')
      }
    }
    return { ok: true, appKey }
  }

  // Awaited here, not handed on: workerd reports a rejection that nobody has taken in the same turn.
  return {
    async verify(input) {
      const { host, target, headers, body } = ownOptions(input)
      checkInput(!body || ArrayBuffer.isView(body), body, 'body', 'bytes')
      const claims = timelyClaims(headers)
      if (!claims.ok) return claims
      const request = readRequest(claims, host, target)
      if (!request.ok) return request
      const digest = body?.byteLength
        ? await crypto.digest(ALGORITHMS[claims.algorithm].digest, body)
        : undefined
      return await judge(claims, stringToSign({ ...request.parts, digest }))
    },
    async verifyStream(input) {
      const { headers, requestBytes } = ownOptions(input)
      checkRequestBytes(requestBytes)
      const claims = timelyClaims(headers)
      if (!claims.ok) return claims
      const digest = await crypto.digest(ALGORITHMS[claims.algorithm].digest, requestBytes)
      return await judge(claims, encodeCanonical(canonicalStream(claims.headers, digest)))
    },
  }
}
