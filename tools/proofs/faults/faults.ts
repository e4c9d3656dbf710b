/** `pnpm proof faults`: event streams between processes, under every fault that they promise to survive. */
import type { Case, Proof } from '../harness.ts'
import { BOUND_CASES } from './bounds.ts'
import { CONNECTION_CASES } from './connections.ts'
import { CONSUMER_CASES } from './consumers.ts'
import { FRAME_CASES } from './frames.ts'
import { LONG_CASES } from './long.ts'
import { restartCases } from './restarts.ts'

const CASES: readonly Case[] = [
  ...CONNECTION_CASES,
  ...FRAME_CASES,
  ...CONSUMER_CASES,
  ...BOUND_CASES,
  ...LONG_CASES,
]
const SHORT = [
  'server killed with SIGKILL',
  'many events, random drops, a consumer killed with SIGKILL',
  'trade consumers restarted with wrong clocks',
  'module consumers restarted after the retention',
]

export const proof: Proof = {
  flags: { 'restart-rounds': 'rounds of the cases "... restarted ..." (80; short: 12)' },
  cases({ flag }) {
    const all = [...CASES, ...restartCases(flag('restart-rounds', 80, 12))]
    return all.map((one) => ({ ...one, inShort: SHORT.includes(one.name) }))
  },
}
