/**
 * `#crypto` in Node, Deno and Bun: the native crypto of the runtime. The modules come from `process.getBuiltinModule` and are not
 * imported, so that bundlers see no `node:` specifier.
 */
import { toBytes } from '@brokerwire/core/internal'
import { POOL_BYTES } from '../nonce.ts'
import { type NativeBuffers, type NativeCrypto, type NativeHashing, nativeCrypto } from './native.ts'
import type { SignerCrypto } from './port.ts'

declare const process: {
  getBuiltinModule(id: 'node:crypto'): NativeHashing
  getBuiltinModule(id: 'node:buffer'): NativeBuffers
}

const nodeCrypto = (): NativeHashing => process.getBuiltinModule('node:crypto')

/**
 * Computes the MD5 on a runtime that rejects MD5, such as Node in FIPS mode. The library is loaded at the
 * first call. The bytes are copied, because the caller may change them while the library is loading.
 */
export async function lazyMd5(bytes: Uint8Array): Promise<string> {
  const copy = new Uint8Array(toBytes(bytes))
  const { nobleMd5 } = await import('./noble-md5.ts')
  return nobleMd5(copy)
}

/** Returns the runtime's crypto. If the runtime rejects MD5, `md5` is used instead. */
export const nativeCryptoWith = <Output>(md5: (bytes: Uint8Array) => Output): NativeCrypto<Output> =>
  nativeCrypto(nodeCrypto(), process.getBuiltinModule('node:buffer'), md5)

let made: SignerCrypto | undefined

/** Returns the hash functions of `node:crypto`, which Node, Deno and Bun have. They are created once. */
export function runtimeCrypto(): SignerCrypto {
  made ??= nativeCryptoWith(lazyMd5)
  return made
}

/** Returns random bytes for a pool of nonces, as lower-case hex. */
export const randomHex = (): string => nodeCrypto().randomBytes(POOL_BYTES).toString('hex')
