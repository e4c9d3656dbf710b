/**
 * The interface of the hash functions, which differ between runtimes. The import conditions of `#crypto` select the file of a
 * runtime: `native-runtime.ts`, `workerd-runtime.ts` or `web-runtime.ts`.
 */
import type { OwnedBytes } from '@brokerwire/core'
import type { DigestName, MacHash } from '../algorithms.ts'

/**
 * The hash functions of a signer. Results are strings, because headers and canonical strings contain them as
 * strings.
 *
 * @typeParam Output - Result of the functions: `string`, or `string | PromiseLike<string>`.
 */
export interface Hashing<Output> {
  /** Returns the digest of `bytes` as lower-case hex. */
  digest(algorithm: DigestName, bytes: Uint8Array): Output
  /**
   * Prepares a key. When a signer is created, it calls `hmac` once for each algorithm. The returned function
   * gets an ASCII string and returns its HMAC as standard Base64 with padding.
   */
  hmac(algorithm: MacHash, key: OwnedBytes): (message: string) => Output
}

/** The hash functions of a signer. Results may be promises. */
export type SignerCrypto = Hashing<string | PromiseLike<string>>

/** The synchronous hash functions of a signer. */
export type SyncSignerCrypto = Hashing<string>
