/** MD5 from a kept library, for runtimes that have none of their own. Never reached by the build for Workers. */
import { md5 } from '@noble/hashes/legacy.js'
import { toHex } from '../nonce.ts'

/** Lower-case hex MD5. */
export function libraryMd5(bytes: Uint8Array): string {
  return toHex(md5(bytes))
}
