/**
 * Node's own crypto, which Deno and Bun have too: synchronous, and an order of magnitude faster than a promise's
 * trip through the thread pool.
 *
 * HMAC is two hashes over prepared pads (RFC 2104): two one-shot calls cost less than one HMAC object.
 */
import type { DigestName, MacHash } from '../algorithms.ts'
import { POOL_BYTES } from '../nonce.ts'
import type { RuntimeCrypto, SyncSignerCrypto } from './port.ts'

interface Hasher {
  update(data: Uint8Array | string): Hasher
  digest(encoding: 'hex' | 'base64' | 'latin1'): string
}

/** The part of `Buffer` that is used. */
interface NativeBuffer extends Uint8Array<ArrayBuffer> {
  /** What `write(text, offset, 'latin1')` calls, without the way there. */
  latin1Write(text: string, offset: number): number
}

/** The part of `node:buffer` that is used. */
export interface NativeBuffers {
  readonly Buffer: { alloc(size: number, fill: number): NativeBuffer }
}

/** The part of `node:crypto` that is used. */
export interface NativeHashing {
  createHash(name: string): Hasher
  randomBytes(size: number): { toString(encoding: 'hex'): string }
  /** Absent in older Bun and Deno. */
  hash?(name: string, data: Uint8Array, encoding: 'hex' | 'base64' | 'latin1'): string
}

const HASHES = { MD5: 'md5', 'SHA-1': 'sha1', 'SHA-256': 'sha256' } as const satisfies Record<
  DigestName | MacHash,
  string
>
const BLOCK_BYTES = 64

/**
 * @param native - The runtime's `node:crypto`.
 * @param buffers - The runtime's `node:buffer`.
 * @param md5 - Lower-case hex MD5 for runtimes whose own refuses it, such as Node in FIPS mode.
 */
export function nativeCrypto(
  native: NativeHashing,
  { Buffer }: NativeBuffers,
  md5: (bytes: Uint8Array) => string,
): SyncSignerCrypto & RuntimeCrypto {
  const hash =
    native.hash ?? ((name, data, encoding) => native.createHash(name).update(data).digest(encoding))

  return {
    randomHex: () => native.randomBytes(POOL_BYTES).toString('hex'),
    digest(algorithm, bytes) {
      if (algorithm !== 'MD5') return hash(HASHES[algorithm], bytes, 'hex')
      try {
        return hash('md5', bytes, 'hex')
      } catch {
        return md5(bytes)
      }
    },
    hmac(algorithm, key) {
      const name = HASHES[algorithm]
      const hashBytes = algorithm === 'SHA-1' ? 20 : 32
      const outer = Buffer.alloc(BLOCK_BYTES + hashBytes, 0)
      if (key.length > BLOCK_BYTES) outer.latin1Write(hash(name, key, 'latin1'), 0)
      else outer.set(key)
      let inner = Buffer.alloc(4096, 0)
      let used = inner.subarray(0, 0)
      for (let i = 0; i < BLOCK_BYTES; i += 1) {
        inner[i] = (outer[i] as number) ^ 0x36
        outer[i] = (outer[i] as number) ^ 0x5c
      }
      return (message) => {
        const length = BLOCK_BYTES + message.length
        if (length > inner.length) {
          const longer = Buffer.alloc(length * 2, 0)
          longer.set(inner.subarray(0, BLOCK_BYTES))
          inner = longer
          used = inner.subarray(0, 0)
        }
        // Messages of one signer are often of one length: the view of the last one serves again.
        if (length !== used.length) used = inner.subarray(0, length)
        inner.latin1Write(message, BLOCK_BYTES)
        outer.latin1Write(hash(name, used, 'latin1'), BLOCK_BYTES)
        return hash(name, outer, 'base64')
      }
    },
  }
}
