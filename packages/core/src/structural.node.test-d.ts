/** Types that only Node has are assignable to the structural types. This file is compiled, but not run. */
import { Buffer } from 'node:buffer'
import { setMaxListeners } from 'node:events'
import type { AbortSignalLike, BytesLike } from './structural.ts'

export const buffer: BytesLike = Buffer.from('text')
export const signal: AbortSignalLike = new AbortController().signal

// Functions of a host still accept values of the host, because the structural types are only for parameters.
setMaxListeners(20, new AbortController().signal)
