/** Speed of the stores that several machines can share, as a fraction of the speed of the bare clients. */
import { median, type Options, type Results, ratioByRound } from '../benchmark.ts'
import { withPrograms } from '../programs.ts'
import type { StoreCommands } from './stores-process.ts'

export const parts = ['redis', 'postgres', 'nats'] as const
export const goals = Object.fromEntries(parts.map((name) => [`${name}.cas.vs_bare`, { atLeast: 0.8 }]))

export function run({ quick, includes }: Options): Promise<Results> {
  return withPrograms(async (start) => {
    const program = await start<StoreCommands>(new URL('stores-process.ts', import.meta.url))
    const rows: string[][] = []
    const ratios: Record<string, number> = {}
    for (const name of parts.filter(includes)) {
      // Many short rounds, so that other load affects both cases of a round equally.
      const rounds = await program.call(name, quick ? 5 : 61)
      rows.push([name, median(rounds.store).toFixed(0), median(rounds.bare).toFixed(0)])
      ratios[`${name}.cas.vs_bare`] = ratioByRound(rounds, 'bare', 'store')
    }
    return { tables: [[['compareAndSet', 'store, µs', 'bare client, µs'], ...rows]], ratios }
  })
}
