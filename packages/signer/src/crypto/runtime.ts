/**
 * The native crypto of the process that this runs in. The modules are taken from the runtime instead of imported, so
 * that no bundler meets a `node:` specifier.
 */
import { type NativeBuffers, type NativeHashing, nativeCrypto } from './native.ts'
import type { RuntimeCrypto, SyncSignerCrypto } from './port.ts'
import { libraryMd5 } from './web-md5.ts'

declare const process: {
  getBuiltinModule(id: 'node:crypto'): NativeHashing
  getBuiltinModule(id: 'node:buffer'): NativeBuffers
}

let made: (SyncSignerCrypto & RuntimeCrypto) | undefined

/** Node's crypto module, as Node, Deno and Bun have it. */
export function runtimeCrypto(): SyncSignerCrypto & RuntimeCrypto {
  made ??= nativeCrypto(
    process.getBuiltinModule('node:crypto'),
    process.getBuiltinModule('node:buffer'),
    libraryMd5,
  )
  return made
}
