import type { MessageDecoders } from './decoder.ts'

export const generatedDecoders: MessageDecoders = new Map()
