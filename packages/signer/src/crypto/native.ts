/**
 * Node's own crypto, which Deno and Bun have too: synchronous, and an order of magnitude faster than a promise's
 * trip through the thread pool.
 *
 * The module is taken from the runtime instead of imported, so that no bundler meets a `node:` specifier.
 */
import type { DigestName, MacHash } from '../algorithms.ts'
import type { SyncSignerCrypto } from './port.ts'

interface Hasher {
  update(data: Uint8Array | string): Hasher
  digest(encoding: 'hex' | 'base64'): string
}

/** The part of `node:crypto` that is used. */
export interface NativeHashing {
  createHash(name: string): Hasher
  createHmac(name: string, key: Uint8Array): Hasher
}

const HASHES = { MD5: 'md5', 'SHA-1': 'sha1', 'SHA-256': 'sha256' } as const satisfies Record<
  DigestName | MacHash,
  string
>

/**
 * @param native - The runtime's module.
 * @param md5 - Lower-case hex MD5 for runtimes whose own refuses it, such as Node in FIPS mode.
 */
export function nativeCrypto(native: NativeHashing, md5: (bytes: Uint8Array) => string): SyncSignerCrypto {
  return {
    digest(algorithm, bytes) {
      try {
        return native.createHash(HASHES[algorithm]).update(bytes).digest('hex')
      } catch (error) {
        if (algorithm === 'MD5') return md5(bytes)
        throw error
      }
    },
    hmac(hash, key) {
      return (message) => native.createHmac(HASHES[hash], key).update(message).digest('base64')
    },
  }
}
