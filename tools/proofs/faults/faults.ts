/** `pnpm proof faults`: event streams between processes under every fault that they promise to survive. */
import type { Case, Proof } from '../frame.ts'
import { BOUND_CASES } from './bounds.ts'
import { CONNECTION_CASES } from './connections.ts'
import { CONSUMER_CASES } from './consumers.ts'
import { FRAME_CASES } from './frames.ts'
import { LONG_CASES } from './long.ts'

const CASES: readonly Case[] = [
  ...CONNECTION_CASES,
  ...FRAME_CASES,
  ...CONSUMER_CASES,
  ...BOUND_CASES,
  ...LONG_CASES,
]
const SHORT = ['server killed with SIGKILL', 'many events, random drops, a consumer killed with SIGKILL']

export const proof: Proof = {
  cases: () => CASES.map((one) => ({ ...one, inShort: SHORT.includes(one.name) })),
}
