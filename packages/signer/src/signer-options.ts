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
 * Options of `createSigner`. They are read once: later changes of the object have no effect.
 *
 * @typeParam Output - The result of the hash functions in `crypto`.
 */
export interface SignerOptions<Output = string | PromiseLike<string>> {
  /** App key, sent in the header `x-app-key`. Visible ASCII. */
  readonly appKey: string
  /** App secret. It is converted to an HMAC key immediately and not stored as a string. */
  readonly appSecret: SecretInput
  /** Algorithm of HTTP requests. It depends on the host: docs/facts.md, "Hosts". @defaultValue 'HMAC-SHA1' */
  readonly algorithm?: SignatureAlgorithm | undefined
  /** Algorithm of event streams. @defaultValue 'HMAC-SHA256' */
  readonly streamAlgorithm?: SignatureAlgorithm | undefined
  /**
   * Order of the values if a query name equals a signed header: `'sorted'`, as in the specification, or `'header-first'`,
   * as in the public clients.
   * @defaultValue 'sorted'
   */
  readonly headerCollision?: HeaderCollision | undefined
  /**
   * Order of names and values: `'code-point'`, or `'utf-16'`, as in the public Java client. They differ only for names
   * with characters beyond the basic plane.
   * @defaultValue 'code-point'
   */
  readonly nameOrder?: NameOrder | undefined
  /**
   * Clock, in milliseconds since the Unix epoch. Pass a corrected one if the clock of the host is wrong.
   * @defaultValue Date.now
   */
  readonly now?: (() => number) | undefined
  /** Returns a nonce of 32 lower-case hex characters, never the same one twice. @defaultValue 128 random bits */
  readonly nonce?: (() => string) | undefined
  /** Hash functions for digest and HMAC. @defaultValue those of the runtime */
  readonly crypto?: Hashing<Output> | undefined
}

/** Schema of the option `crypto`. */
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
  // `Date.now` is read at each call, because fake timers replace it.
  now: func(() => Date.now()),
  nonce: optional(func<() => string>()),
  crypto: CRYPTO,
} satisfies FieldsOf<SignerOptions>

/** An algorithm with its key. */
export interface KeyedAlgorithm<Output> {
  readonly algorithm: SignatureAlgorithm
  /** Returns the headers of the next signature. */
  readonly nextHeaders: () => UnsignedHeaders
  readonly digest: (bytes: Uint8Array) => Output
  readonly hmac: (message: string) => Output
}

/** The options after validation. */
export interface SignerSettings<Output> {
  readonly appKey: string
  readonly requests: KeyedAlgorithm<Output>
  readonly streams: KeyedAlgorithm<Output>
  readonly order: EntryOrder
}

/**
 * Returns a function that checks each nonce of the caller's function. Generated nonces are not checked,
 * because a check would take time at each signature.
 */
const checkedNonces = (nonce: () => string) => (): string => {
  const next = nonce()
  check(/^[\da-f]{32}$/.test(next), 'nonce()', '32 lower-case hex characters')
  return next
}

/**
 * Parses the options of a signer.
 *
 * @param runtime - Returns the runtime's hash functions. It is not called if the options have `crypto`.
 * @param randomHex - Returns random bytes for a pool of nonces.
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
