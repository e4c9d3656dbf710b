/**
 * Hash functions of `node:crypto`, for Node, Deno and Bun. They are synchronous, and ten times as fast as
 * WebCrypto, which uses a thread pool.
 *
 * An HMAC is computed as two hashes over prepared pads (RFC 2104), because two calls of the one-shot hash
 * function are faster than one HMAC object.
 */
import type { DigestName, MacHash } from '../algorithms.ts'
import type { Hashing } from './port.ts'

interface Hasher {
  update(data: Uint8Array | string): Hasher
  digest(encoding: 'hex' | 'base64' | 'latin1'): string
}

/** The properties of `Buffer` that are used. */
interface NativeBuffer extends Uint8Array<ArrayBuffer> {
  /** The method that `write(text, offset, 'latin1')` calls. */
  latin1Write(text: string, offset: number): number
}

/** The properties of `node:buffer` that are used. */
export interface NativeBuffers {
  readonly Buffer: { alloc(size: number, fill: number): NativeBuffer }
}

/** The properties of `node:crypto` that are used. */
export interface NativeHashing {
  createHash(name: string): Hasher
  randomBytes(size: number): { toString(encoding: 'hex'): string }
  /** One-shot hash function. Absent in older versions of Bun and Deno. */
  hash?(name: string, data: Uint8Array, encoding: 'hex' | 'base64' | 'latin1'): string
}

const HASHES = { MD5: 'md5', 'SHA-1': 'sha1', 'SHA-256': 'sha256' } as const satisfies Record<
  DigestName | MacHash,
  string
>
const HASH_BYTES = { 'SHA-1': 20, 'SHA-256': 32 } as const satisfies Record<MacHash, number>
const BLOCK_BYTES = 64

/** Synchronous HMACs and digests. Only an MD5 is an `Output` if the runtime rejects MD5. */
export type NativeCrypto<Output> = Pick<Hashing<string | Output>, 'digest'> & Pick<Hashing<string>, 'hmac'>

/**
 * Creates the hash functions.
 *
 * @param native - The runtime's `node:crypto`.
 * @param buffers - The runtime's `node:buffer`.
 * @param md5 - Returns an MD5 as lower-case hex, for runtimes that reject MD5, such as Node in FIPS mode.
 */
export function nativeCrypto<Output>(
  native: NativeHashing,
  buffers: NativeBuffers,
  md5: (bytes: Uint8Array) => Output,
): NativeCrypto<Output> {
  const { Buffer } = buffers
  const inner = messageBuffer(buffers)
  const hash =
    native.hash ?? ((name, data, encoding) => native.createHash(name).update(data).digest(encoding))

  return {
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
      const innerPad = Buffer.alloc(BLOCK_BYTES, 0)
      const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES[algorithm], 0)
      if (key.length > BLOCK_BYTES) outer.latin1Write(hash(name, key, 'latin1'), 0)
      else outer.set(key)
      for (let i = 0; i < BLOCK_BYTES; i += 1) {
        innerPad[i] = (outer[i] as number) ^ 0x36
        outer[i] = (outer[i] as number) ^ 0x5c
      }
      return (message) => {
        outer.latin1Write(hash(name, inner.filled(innerPad, message), 'latin1'), BLOCK_BYTES)
        return hash(name, outer, 'base64')
      }
    },
  }
}

/**
 * Creates a buffer for the messages of all keys. One buffer is enough: because hashing is synchronous, it
 * contains only one message at a time.
 */
function messageBuffer({ Buffer }: NativeBuffers) {
  let whole = Buffer.alloc(4096, 0)
  let used = whole.subarray(0, 0)
  let lastPad: Uint8Array | undefined
  return {
    /** Returns a view that contains a pad and then the message. The view is valid until the next call. */
    filled(pad: Uint8Array, message: string): Uint8Array {
      const length = BLOCK_BYTES + message.length
      if (length > whole.length) {
        whole = Buffer.alloc(length * 2, 0)
        used = whole.subarray(0, 0)
        lastPad = undefined
      }
      // Messages often have the same length and key, so the last view and pad are reused.
      if (length !== used.length) used = whole.subarray(0, length)
      if (pad !== lastPad) whole.set(pad)
      lastPad = pad
      whole.latin1Write(message, BLOCK_BYTES)
      return used
    },
  }
}
