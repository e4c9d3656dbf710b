/**
 * `#crypto` in Node, Deno and Bun: the native crypto of the process that this runs in. The modules are taken from the
 * runtime instead of imported, so that no bundler meets a `node:` specifier.
 */
import { POOL_BYTES } from '../nonce.ts'
import { type NativeBuffers, type NativeHashing, nativeCrypto } from './native.ts'
import type { SyncSignerCrypto } from './port.ts'
import { libraryMd5 } from './web-runtime.ts'

declare const process: {
  getBuiltinModule(id: 'node:crypto'): NativeHashing
  getBuiltinModule(id: 'node:buffer'): NativeBuffers
}

const nodeCrypto = (): NativeHashing => process.getBuiltinModule('node:crypto')

let made: SyncSignerCrypto | undefined

/** Node's crypto module, as Node, Deno and Bun have it. */
export function runtimeCrypto(): SyncSignerCrypto {
  made ??= nativeCrypto(nodeCrypto(), process.getBuiltinModule('node:buffer'), libraryMd5)
  return made
}

/** Random bytes for a pool of nonces, as lower-case hex. */
export const randomHex = (): string => nodeCrypto().randomBytes(POOL_BYTES).toString('hex')
