/** The native crypto of the process that this runs in. */
import { libraryMd5 } from './library-md5.ts'
import { type NativeHashing, nativeCrypto } from './native.ts'
import type { SyncSignerCrypto } from './port.ts'

declare const process: { getBuiltinModule(id: 'node:crypto'): NativeHashing }

let made: SyncSignerCrypto | undefined

/** Node's crypto module, as Node, Deno and Bun have it. */
export function runtimeCrypto(): SyncSignerCrypto {
  made ??= nativeCrypto(process.getBuiltinModule('node:crypto'), libraryMd5)
  return made
}
