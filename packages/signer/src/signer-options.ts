/** The options of a signer. */
import type { SecretInput } from '@brokerwire/core'
import {
  type FieldsOf,
  func,
  oneOf,
  optional,
  port,
  readOptions,
  type Schema,
  secret,
  string,
  utf8Encode,
} from '@brokerwire/core/internal'
import { ALGORITHM_NAMES, ALGORITHMS, type SignatureAlgorithm } from './algorithms.ts'
import { type EntryOrder, entryOrder } from './canonical-request.ts'
import type { Hashing, SignerCrypto } from './crypto/port.ts'
import { createNonces } from './nonce.ts'
import {
  COLLISIONS,
  HEADER_COLLISION,
  type HeaderCollision,
  NAME_ORDER,
  type NameOrder,
  ORDERS,
} from './order.ts'
import { createHeaderBuilder, type UnsignedHeaders } from './signature-headers.ts'
import { check, optionFailure } from './signer-error.ts'

/**
 * Options of `createSigner`. Read once: changing the object later changes nothing.
 *
 * @typeParam Text - What hash functions of the caller's own answer with.
 */
export interface SignerOptions<Output = string | PromiseLike<string>> {
  /** Sent as `x-app-key`. */
  readonly appKey: string
  /** Turned into a key at once and never kept as text. */
  readonly appSecret: SecretInput
  /** Of HTTP requests. Some hosts take one, some the other: docs/facts.md, "Hosts". @defaultValue 'HMAC-SHA1' */
  readonly algorithm?: SignatureAlgorithm | undefined
  /** Of event streams. @defaultValue 'HMAC-SHA256' */
  readonly streamAlgorithm?: SignatureAlgorithm | undefined
  /** If a query name equals a signed header. @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** How names and values sort. @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
  /** Milliseconds since the Unix epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined
  /** 32 lower-case hex characters, never the same twice. @defaultValue 128 random bits */
  readonly nonce?: (() => string) | undefined
  /** Hash functions to use instead of the runtime's. */
  readonly crypto?: Hashing<Output> | undefined
}

/** Hash functions to use instead of the runtime's. */
export const CRYPTO: Schema<SignerCrypto | undefined> = /* @__PURE__ */ optional(
  /* @__PURE__ */ port<SignerCrypto>(['digest', 'hmac']),
)

/** Schemas of {@link SignerOptions}. */
export const SIGNER_OPTIONS = {
  appKey: string({ pattern: /^[!-~]+$/, expected: 'a non-empty string of visible ASCII' }),
  appSecret: secret,
  algorithm: oneOf(ALGORITHM_NAMES, 'HMAC-SHA1'),
  streamAlgorithm: oneOf(ALGORITHM_NAMES, 'HMAC-SHA256'),
  headerCollision: HEADER_COLLISION,
  nameOrder: NAME_ORDER,
  // Looked up at each call, because tests replace it.
  now: func(() => Date.now()),
  nonce: optional(func<() => string>()),
  crypto: CRYPTO,
} satisfies FieldsOf<SignerOptions>

/** An algorithm with a key. */
export interface KeyedAlgorithm<Output> {
  readonly algorithm: SignatureAlgorithm
  /** Headers of the next signature. */
  readonly nextHeaders: () => UnsignedHeaders
  readonly digest: (bytes: Uint8Array) => Output
  readonly hmac: (message: string) => Output
}

/** Options as they are used. */
export interface SignerSettings<Output> {
  readonly appKey: string
  readonly requests: KeyedAlgorithm<Output>
  readonly streams: KeyedAlgorithm<Output>
  readonly order: EntryOrder
}

/** Nonces of the caller. Ours need no check, which would cost time for each signature. */
const checkedNonces = (nonce: () => string) => (): string => {
  const next = nonce()
  check(/^[\da-f]{32}$/.test(next), 'nonce()', '32 lower-case hex characters')
  return next
}

/**
 * Reads the options of a signer.
 *
 * @param runtime - Creates the runtime's hash functions, if the caller has none.
 * @param randomHex - Random bytes for a pool of nonces.
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function parseSignerOptions<Output>(
  options: SignerOptions<Output>,
  runtime: () => Hashing<Output>,
  randomHex: () => string,
): SignerSettings<Output> {
  const read = readOptions(optionFailure, options, SIGNER_OPTIONS)
  const { appKey, now, nonce } = read
  const crypto = (read.crypto as Hashing<Output> | undefined) ?? runtime()
  const key = utf8Encode(`${read.appSecret}&`)
  const nextNonce = nonce ? checkedNonces(nonce) : createNonces(randomHex)
  const keyed = (algorithm: SignatureAlgorithm): KeyedAlgorithm<Output> => {
    const { mac, digest } = ALGORITHMS[algorithm]
    return {
      algorithm,
      nextHeaders: createHeaderBuilder(appKey, algorithm, now, nextNonce),
      digest: (bytes) => crypto.digest(digest, bytes),
      hmac: crypto.hmac(mac, key),
    }
  }
  return {
    appKey,
    requests: keyed(read.algorithm),
    streams: keyed(read.streamAlgorithm),
    order: entryOrder(ORDERS[read.nameOrder], COLLISIONS[read.headerCollision]),
  }
}
