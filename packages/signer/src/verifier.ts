/**
 * The other side: whether a request or a stream was signed by who it says.
 *
 * Hostile input is data, never an exception: the answer names the first rule that failed. The nonce is looked at
 * last, so that only who holds a key can put anything into its store.
 */
import { ownOptions, revealSecret, type SecretInput, utf8Encode } from '@brokerwire/core'
import { ALGORITHMS, SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import { ambiguity } from './ambiguity.ts'
import { canonicalString, streamCanonicalString } from './canonical.ts'
import { COLLISIONS, type HeaderCollision } from './collision.ts'
import type { SignerCrypto } from './crypto/port.ts'
import { encodeCanonical } from './encode.ts'
import { type HeadersInput, headerValues } from './headers.ts'
import { createNonceMemory, type NonceStore } from './nonce-memory.ts'
import { type NameOrder, ORDERS } from './order.ts'
import { parseQuery, type QueryPair } from './query.ts'
import { check, checkName } from './signer-error.ts'
import { timestampText } from './timestamp.ts'

/** Secrets of an app key: several while they are rotated, `undefined` or `null` where the key is unknown. */
export type SecretLookup = SecretInput | readonly SecretInput[] | null | undefined

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
   * Refuses requests whose canonical string other requests share: see THREATS.md. The service does not.
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

/** The rule that failed. */
export type VerifyRule =
  /** A header of the signature is absent or empty. */
  | 'missing-header'
  /** A header of the signature came more than once. */
  | 'repeated-header'
  /** A header has characters or a form that none can have. */
  | 'malformed-header'
  /** `x-signature-version` is not 1.0. */
  | 'version'
  /** `x-signature-algorithm` is not one that is accepted. */
  | 'algorithm'
  /** The timestamp lies outside the window. */
  | 'timestamp'
  /** The request target is no path with a query that decodes. */
  | 'target'
  | 'unknown-app-key'
  | 'signature'
  /** Other requests share this one's canonical string; only with `rejectAmbiguous`. */
  | 'ambiguous'
  /** The nonce was used before. */
  | 'replay'
  /** The nonce store can take no more. */
  | 'replay-store-full'

/** What a verifier says. */
export type VerifyResult =
  | { readonly ok: true; readonly appKey: string }
  | {
      readonly ok: false
      readonly rule: VerifyRule
      /** The header at fault, where it is one. */
      readonly header?: string | undefined
      /** Why, in words: for `ambiguous` and `timestamp`. */
      readonly reason?: string | undefined
      /** The string that should have been signed, before percent-encoding: for `signature`. Holds no secret. */
      readonly canonical?: string | undefined
    }

/** Verifies requests and event streams. */
export interface Verifier {
  /** Whether a request's signature is valid, timely and fresh. Hostile input never rejects. */
  verify(input: VerifyInput): Promise<VerifyResult>
  /** The same for the opening of an event stream. */
  verifyStream(input: VerifyStreamInput): Promise<VerifyResult>
}

const HEADERS = [
  'x-app-key',
  'x-signature-algorithm',
  'x-signature-version',
  'x-signature-nonce',
  'x-timestamp',
  'x-signature',
] as const
/** A request line's target: it begins with a slash and has no fragment. */
const TARGET = /^\/[!"$-~]*$/
const DAY_MS = 86_400_000
/** How much longer than its timestamp is taken a nonce is kept: a shared store's clock may be ahead of this one. */
const MARGIN_MS = 60_000
const VISIBLE = /^[!-~]{1,512}$/

type Failure = Extract<VerifyResult, { ok: false }>
type Claims = Readonly<Record<(typeof HEADERS)[number], string>>

/** Compares without telling, by its time, where two texts differ. */
function sameText(left: string, right: string): boolean {
  let difference = left.length ^ right.length
  for (let i = 0; i < left.length; i += 1) difference |= left.charCodeAt(i) ^ right.charCodeAt(i)
  return difference === 0
}

function readClaims(headers: HeadersInput): Claims | Failure {
  const claims: Partial<Record<keyof Claims, string>> = {}
  for (const header of HEADERS) {
    const values = headerValues(headers, header)
    const value = values[0]
    if (value === undefined || value === '') return { ok: false, rule: 'missing-header', header }
    if (values.length > 1) return { ok: false, rule: 'repeated-header', header }
    if (!VISIBLE.test(value)) return { ok: false, rule: 'malformed-header', header }
    claims[header] = value
  }
  return claims as Claims
}

/** A query that decodes, or `undefined`. */
function readQuery(search: string): readonly QueryPair[] | undefined {
  try {
    return parseQuery(search)
  } catch {
    return undefined
  }
}

/** Makes a verifier over a runtime's hash functions. */
export function verifierOver(options: VerifierOptions, runtime: SignerCrypto): Verifier {
  const {
    secretFor,
    windowMs = 300_000,
    algorithms: given = Object.keys(ALGORITHMS) as SignatureAlgorithm[],
    headerCollision = 'sorted',
    nameOrder = 'code-point',
    rejectAmbiguous = false,
    now = Date.now,
    nonces = createNonceMemory(),
    crypto = runtime,
  } = ownOptions(options)
  check(typeof secretFor === 'function', 'secretFor', 'a function')
  check(
    typeof windowMs === 'number' && windowMs >= 0 && windowMs <= DAY_MS,
    'windowMs',
    `0 to ${DAY_MS} milliseconds`,
  )
  check(Array.isArray(given) && given.length > 0, 'algorithms', 'a list that is not empty')
  const algorithms = given.map((name) => checkName(name, ALGORITHMS, 'algorithms'))
  checkName(headerCollision, COLLISIONS, 'headerCollision')
  checkName(nameOrder, ORDERS, 'nameOrder')
  check(typeof rejectAmbiguous === 'boolean', 'rejectAmbiguous', 'true or false')
  check(typeof now === 'function', 'now', 'a function')
  check(nonces === false || typeof nonces?.remember === 'function', 'nonces', 'a NonceStore or false')
  check(typeof crypto?.digest === 'function', 'crypto.digest', 'a function')
  check(typeof crypto.hmac === 'function', 'crypto.hmac', 'a function')

  async function keysOf(appKey: string): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    const found = await secretFor(appKey)
    if (found === undefined || found === null) return []
    const secrets = Array.isArray(found) ? (found as readonly SecretInput[]) : [found as SecretInput]
    return secrets.map((secret) => {
      const text = revealSecret(secret)
      check(text, 'secretFor()', 'text or Secrets that are not empty, or undefined')
      return utf8Encode(`${text}&`)
    })
  }

  function readClock(): number {
    const nowMs = now()
    check(Number.isFinite(nowMs), 'now()', 'epoch milliseconds')
    return nowMs
  }

  /** Everything that needs no key: cheap, and first. */
  function checkClaims(
    claims: Claims,
    nowMs: number,
  ): Failure | { readonly algorithm: SignatureAlgorithm; readonly atMs: number } {
    if (claims['x-signature-version'] !== SIGNATURE_VERSION) {
      return { ok: false, rule: 'version', header: 'x-signature-version' }
    }
    const algorithm = algorithms.find((name) => name === claims['x-signature-algorithm'])
    if (algorithm === undefined) return { ok: false, rule: 'algorithm', header: 'x-signature-algorithm' }
    const stated = claims['x-timestamp']
    const atMs = Date.parse(stated)
    if (timestampText(atMs) !== stated) {
      return { ok: false, rule: 'malformed-header', header: 'x-timestamp' }
    }
    const aheadMs = atMs - nowMs
    if (!(Math.abs(aheadMs) <= windowMs)) {
      const seconds = Math.round(Math.abs(aheadMs) / 1000)
      const reason = `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this clock`
      return { ok: false, rule: 'timestamp', header: 'x-timestamp', reason }
    }
    return { algorithm, atMs }
  }

  async function judge(
    headers: HeadersInput,
    canonicalOf: (claims: Claims, algorithm: SignatureAlgorithm) => Promise<string | Failure>,
  ): Promise<VerifyResult> {
    const claims = readClaims(headers)
    if ('ok' in claims) return claims
    const checked = checkClaims(claims, readClock())
    if ('ok' in checked) return checked
    const { algorithm, atMs } = checked
    const canonical = await canonicalOf(claims, algorithm)
    if (typeof canonical !== 'string') return canonical
    const appKey = claims['x-app-key']
    const keys = await keysOf(appKey)
    if (keys.length === 0) return { ok: false, rule: 'unknown-app-key', header: 'x-app-key' }
    const message = encodeCanonical(canonical)
    let matches = false
    for (const key of keys) {
      const expected = await crypto.hmac(ALGORITHMS[algorithm][0], key)(message)
      matches = sameText(expected, claims['x-signature']) || matches
    }
    if (!matches) return { ok: false, rule: 'signature', header: 'x-signature', canonical }
    // Looking up the secret and hashing took time. The timestamp is looked at again with the reading of the clock that
    // the store gets: what it may have forgotten is refused here.
    const nowMs = readClock()
    const late = checkClaims(claims, nowMs)
    if ('ok' in late) return late
    if (nonces !== false) {
      const nonce = claims['x-signature-nonce']
      // Neither has a blank in it: no other pair makes the same text.
      const key = `${appKey} ${nonce}`
      const expiresAtMs = atMs + windowMs + MARGIN_MS
      const verdict = await nonces.remember({ key, appKey, nonce, expiresAtMs, nowMs })
      if (verdict !== 'new') {
        const rule = verdict === 'full' ? 'replay-store-full' : 'replay'
        return { ok: false, rule, header: 'x-signature-nonce' }
      }
    }
    return { ok: true, appKey }
  }

  const partsOf = (claims: Claims, algorithm: SignatureAlgorithm) => ({
    appKey: claims['x-app-key'],
    algorithm,
    nonce: claims['x-signature-nonce'],
    timestamp: claims['x-timestamp'],
  })

  // Awaited here, not handed on: workerd reports a rejection that nobody has taken in the same turn.
  return {
    verify: async (input) => {
      const { host, target, headers, body } = ownOptions(input)
      check(!body || ArrayBuffer.isView(body), 'body', 'bytes', 'SIGNER_INPUT_INVALID')
      return await judge(headers, async (claims, algorithm) => {
        if (typeof host !== 'string' || !VISIBLE.test(host)) {
          return { ok: false, rule: host ? 'malformed-header' : 'missing-header', header: 'host' }
        }
        const plain = typeof target === 'string' && TARGET.test(target)
        const at = plain ? `${target}?`.indexOf('?') : 0
        const query = plain ? readQuery(target.slice(at + 1)) : undefined
        if (query === undefined) return { ok: false, rule: 'target' }
        const digest = body?.byteLength
          ? (await crypto.digest(ALGORITHMS[algorithm][1], body)).toUpperCase()
          : undefined
        const path = target.slice(0, at)
        const parts = { ...partsOf(claims, algorithm), path, host, query, digest, headerCollision, nameOrder }
        const reason = rejectAmbiguous ? ambiguity(parts, target) : undefined
        if (reason !== undefined) return { ok: false, rule: 'ambiguous', reason }
        return canonicalString(parts)
      })
    },
    verifyStream: async (input) => {
      const { headers, requestBytes } = ownOptions(input)
      check(ArrayBuffer.isView(requestBytes), 'requestBytes', 'bytes', 'SIGNER_INPUT_INVALID')
      return await judge(headers, async (claims, algorithm) => {
        const digest = await crypto.digest(ALGORITHMS[algorithm][1], requestBytes)
        return streamCanonicalString({ ...partsOf(claims, algorithm), digest })
      })
    },
  }
}
