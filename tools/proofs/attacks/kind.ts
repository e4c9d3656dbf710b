/** What a kind of attack is: a sentence that must hold, and a run that tries to break it. */
import type { Random } from './random.ts'

/** What a run is given. */
export interface AttackContext {
  /** Where all chance comes from: the same seed gives the same attacks. */
  readonly random: Random
  /** How many attacks are wanted, about. */
  readonly count: number
  /** A directory for this run alone. */
  readonly folder: string
  /** Counts one attack, under the name of its sort. */
  attack(sort: string): void
  /** Notes that an attack broke what is promised. The text says how, without a secret. */
  broken(what: string): void
  /** Calls it at the end, whatever happens; the last one first. */
  atEnd(action: () => unknown): void
}

/** One kind. A module of `kinds/` exports it; `kinds.ts` lists them. */
export interface Kind {
  readonly name: string
  /** What must hold, whatever the attacker does. */
  readonly promise: string
  /** Attacks in a run, and in a short one. */
  readonly counts: readonly [full: number, short: number]
  run(context: AttackContext): Promise<void>
}
