/** Types that only Node has are assignable to the structural types. Compiled with @types/node, not run. */
import { Buffer } from 'node:buffer'
import { setMaxListeners } from 'node:events'
import type { AbortSignalLike, BytesLike } from './structural.ts'

export const buffer: BytesLike = Buffer.from('text')
export const signal: AbortSignalLike = new AbortController().signal

// A host's own functions go on taking the host's own values: the structural types are for what comes in.
setMaxListeners(20, new AbortController().signal)
