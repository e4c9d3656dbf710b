/**
 * `#crypto` in Node, Deno and Bun: the native crypto of the process that this runs in. The modules are taken from the
 * runtime instead of imported, so that no bundler meets a `node:` specifier.
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
 * MD5 where the runtime refuses its own, as Node does in FIPS mode. The library is loaded when that happens, from a copy of the
 * bytes: what they are read from may change until it is there.
 */
export async function lazyMd5(bytes: Uint8Array): Promise<string> {
  const copy = new Uint8Array(toBytes(bytes))
  const { nobleMd5 } = await import('./noble-md5.ts')
  return nobleMd5(copy)
}

/** The runtime's crypto, with another MD5 where it refuses its own. */
export const nativeCryptoWith = <Output>(md5: (bytes: Uint8Array) => Output): NativeCrypto<Output> =>
  nativeCrypto(nodeCrypto(), process.getBuiltinModule('node:buffer'), md5)

let made: SignerCrypto | undefined

/** Node's crypto module, as Node, Deno and Bun have it. */
export function runtimeCrypto(): SignerCrypto {
  made ??= nativeCryptoWith(lazyMd5)
  return made
}

/** Random bytes for a pool of nonces, as lower-case hex. */
export const randomHex = (): string => nodeCrypto().randomBytes(POOL_BYTES).toString('hex')
