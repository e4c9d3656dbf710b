/** MD5 of `@noble/hashes`, for runtimes without MD5. */
import { toBytes } from '@brokerwire/core/internal'
import { md5 } from '@noble/hashes/legacy.js'
import { toHex } from '../hex.ts'

/** Returns the MD5 as lower-case hex. The library accepts only `Uint8Array`, so other views are converted. */
export const nobleMd5 = (bytes: Uint8Array): string => toHex(md5(toBytes(bytes)))
