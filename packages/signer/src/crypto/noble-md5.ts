/** MD5 from a kept library, for runtimes whose own crypto has none. */
import { toBytes } from '@brokerwire/core/internal'
import { md5 } from '@noble/hashes/legacy.js'
import { toHex } from '../hex.ts'

/** Lower-case hex MD5. The library takes no other view of bytes. */
export const nobleMd5 = (bytes: Uint8Array): string => toHex(md5(toBytes(bytes)))
