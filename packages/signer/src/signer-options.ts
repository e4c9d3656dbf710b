/** The options of a signer: what they are, and what becomes of them when they are read, once. */
import type { SecretInput } from '@brokerwire/core'
import { ownOptions, requireKnownOptions, revealSecret, utf8Encode } from '@brokerwire/core/internal'
import { ALGORITHMS, type SignatureAlgorithm } from './algorithms.ts'
import { type EntryOrder, entryOrder } from './canonical-request.ts'
import type { Hashing } from './crypto/port.ts'
import { createNonces } from './nonce.ts'
import { COLLISIONS, type HeaderCollision, type NameOrder, ORDERS } from './order.ts'
import { createHeaderBuilder, type UnsignedHeaders } from './signature-headers.ts'
import { check, checkFunction, choose, optionFailure } from './signer-error.ts'

/**
 * Options of `createSigner`. Read once: changing the object later changes nothing.
 *
 * @typeParam Text - What hash functions of the caller's own answer with.
 */
export interface SignerOptions<Text = string | PromiseLike<string>> {
  /** Sent as `x-app-key`. */
  readonly appKey: string
  /** Turned into a key at once and never kept as text. */
  readonly appSecret: SecretInput
  /** Of HTTP requests. Some hosts take one, some the other: docs/facts.md, "Hosts". @defaultValue 'HMAC-SHA1' */
  readonly algorithm?: SignatureAlgorithm | undefined
  /** Of event streams. @defaultValue 'HMAC-SHA256' */
  readonly streamAlgorithm?: SignatureAlgorithm | undefined
  /** Where a query name equals a signed header. @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** How names and values sort. @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
  /** Milliseconds since the Unix epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined
  /** 32 lower-case hex characters, never the same twice. @defaultValue 128 random bits */
  readonly nonce?: (() => string) | undefined
  /** Hash functions to use instead of the runtime's. */
  readonly crypto?: Hashing<Text> | undefined
}

const NAMES: readonly (keyof SignerOptions)[] = [
  'appKey',
  'appSecret',
  'algorithm',
  'streamAlgorithm',
  'headerCollision',
  'nameOrder',
  'now',
  'nonce',
  'crypto',
]

/** An algorithm with a key. */
export interface KeyedAlgorithm<Text> {
  readonly algorithm: SignatureAlgorithm
  /** Headers of the next signature. */
  readonly nextHeaders: () => UnsignedHeaders
  readonly digest: (bytes: Uint8Array) => Text
  readonly hmac: (message: string) => Text
}

/** Options as they are used. */
export interface SignerSettings<Text> {
  readonly appKey: string
  readonly requests: KeyedAlgorithm<Text>
  readonly streams: KeyedAlgorithm<Text>
  readonly order: EntryOrder
}

/** Nonces of the caller's own; ours are right by the way they are made, and looking at each takes its time. */
const checkedNonces = (nonce: () => string) => (): string => {
  const drawn = nonce()
  check(/^[\da-f]{32}$/.test(drawn), 'nonce()', '32 lower-case hex characters')
  return drawn
}

/** Hash functions, the caller's own or the runtime's. */
export function checkCrypto<Text>(crypto: Hashing<Text>): void {
  checkFunction(crypto?.digest, 'crypto.digest')
  checkFunction(crypto?.hmac, 'crypto.hmac')
}

/**
 * Reads the options of a signer.
 *
 * @param runtime - Makes the runtime's hash functions, where the caller brings none.
 * @param randomHex - Random bytes for a pool of nonces.
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function readSignerOptions<Text>(
  options: SignerOptions<Text>,
  runtime: () => Hashing<Text>,
  randomHex: () => string,
): SignerSettings<Text> {
  requireKnownOptions(optionFailure, options, NAMES)
  const {
    appKey,
    appSecret,
    algorithm = 'HMAC-SHA1',
    streamAlgorithm = 'HMAC-SHA256',
    headerCollision = 'sorted',
    nameOrder = 'code-point',
    now = Date.now,
    nonce,
    crypto = runtime(),
  } = ownOptions(options)
  check(typeof appKey === 'string' && /^[!-~]+$/.test(appKey), 'appKey', 'visible ASCII')
  const secret = revealSecret(appSecret)
  check(secret, 'appSecret', 'a non-empty string or a Secret')
  checkFunction(now, 'now')
  if (nonce !== undefined) checkFunction(nonce, 'nonce')
  checkCrypto(crypto)
  const key = utf8Encode(`${secret}&`)
  const drawNonce = nonce ? checkedNonces(nonce) : createNonces(randomHex)
  const keyed = (algorithm: SignatureAlgorithm, field: keyof SignerOptions): KeyedAlgorithm<Text> => {
    const { mac, digest } = choose(ALGORITHMS, algorithm, field)
    return {
      algorithm,
      nextHeaders: createHeaderBuilder(appKey, algorithm, now, drawNonce),
      digest: (bytes) => crypto.digest(digest, bytes),
      hmac: crypto.hmac(mac, key),
    }
  }
  return {
    appKey,
    requests: keyed(algorithm, 'algorithm'),
    streams: keyed(streamAlgorithm, 'streamAlgorithm'),
    order: entryOrder(
      choose(ORDERS, nameOrder, 'nameOrder'),
      choose(COLLISIONS, headerCollision, 'headerCollision'),
    ),
  }
}
