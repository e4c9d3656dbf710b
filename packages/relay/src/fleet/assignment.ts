/** The keys that are to be this relay's, by the members of this moment, and the changes that follow from it. No clock, no store. */
import { Shares } from './rendezvous.ts'

/** The keys that are to be handed over, and those that are to be taken. */
export interface AssignmentChanges {
  readonly handOver: readonly string[]
  readonly take: readonly string[]
}

export class Assignment {
  readonly #shares: Shares
  /** The shares, as long as this relay belongs to its fleet. */
  #own: ReadonlySet<string> = new Set()

  constructor(name: string, keys: readonly string[]) {
    this.#shares = new Shares(name, keys)
  }

  get own(): ReadonlySet<string> {
    return this.#own
  }

  /** @param members - The relays that take keys. */
  update(members: Iterable<string>): void {
    this.#shares.update(members)
    this.#own = this.#shares.own
  }

  /** No key is this relay's, until the next {@link update}. */
  clear(): void {
    this.#own = new Set()
  }

  /** @param isNotFree - Whether a key is being taken at the moment, or waits after a failure. */
  changes(held: readonly string[], isNotFree: (key: string) => boolean): AssignmentChanges {
    const heldKeys = new Set(held)
    const take: string[] = []
    for (const key of this.#own) if (!heldKeys.has(key) && !isNotFree(key)) take.push(key)
    return { handOver: held.filter((key) => !this.#own.has(key)), take }
  }
}
