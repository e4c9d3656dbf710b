/**
 * `pnpm proof stores [--rounds N]`: eight processes share a token through each store that several machines can share. In each round
 * five of them are killed, while the server is killed, stopped and restarted, and the network in front of it fails.
 */
import { SHARED_SERVERS } from '@brokerwire/testing/shared-servers'
import type { Case, Proof, ProofOptions } from '../frame.ts'
import { runRound } from './round.ts'

type SharedServer = (typeof SHARED_SERVERS)[number]

function rounds([kind, needed, start]: SharedServer, count: number, { atEnd }: ProofOptions): Case[] {
  let started: ReturnType<typeof start> | undefined
  atEnd(async () => (await started)?.close())
  return Array.from({ length: count }, (_, index) => ({
    name: `${kind} ${index + 1}`,
    // The stores wait most of the time.
    lane: kind,
    needs: [needed],
    async run(context) {
      started ??= start()
      return runRound(context, kind, await started)
    },
  }))
}

export const proof: Proof = {
  flags: { rounds: 'rounds on each store (20; short: 1)' },
  cases(options) {
    const count = options.flag('rounds', 20, 1)
    return SHARED_SERVERS.flatMap((server) => rounds(server, count, options))
  },
}
