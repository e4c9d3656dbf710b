/** Hashing as a port: what differs between the runtimes, and nothing else. */
import type { OwnedBytes } from '@brokerwire/core'
import type { DigestName, MacHash } from '../algorithms.ts'

/**
 * The hash functions that a signer needs. Texts in and out, because that is what headers and canonical strings are.
 * Answers may be promises.
 */
export interface SignerCrypto {
  /** Digest of `bytes`, as lower-case hex. */
  digest(algorithm: DigestName, bytes: Uint8Array): string | PromiseLike<string>
  /**
   * Called once for each key and algorithm, when the signer is made. The returned function gets ASCII text and gives
   * the HMAC of its bytes as standard Base64 with padding.
   */
  hmac(algorithm: MacHash, key: OwnedBytes): (message: string) => string | PromiseLike<string>
}

/** What a runtime offers. */
export interface RuntimeCrypto extends SignerCrypto {
  /** Random bytes for a pool of nonces, as lower-case hex. */
  randomHex(): string
}

/** A {@link SignerCrypto} that answers at once. */
export interface SyncSignerCrypto extends SignerCrypto {
  digest(algorithm: DigestName, bytes: Uint8Array): string
  hmac(algorithm: MacHash, key: OwnedBytes): (message: string) => string
}
