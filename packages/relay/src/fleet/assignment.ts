/** The keys that are to be this relay's, by the members of this moment, and the changes that follow from it. No clock, no store. */
import { Assignments } from './rendezvous.ts'

/** The keys that are to be handed over, and those that are to be taken. */
export interface AssignmentChanges {
  readonly release: readonly string[]
  readonly acquire: readonly string[]
}

export class Assignment {
  readonly #assignments: Assignments
  /** The shares, as long as this relay belongs to its fleet. */
  #assigned: ReadonlySet<string> = new Set()

  constructor(name: string, keys: readonly string[]) {
    this.#assignments = new Assignments(name, keys)
  }

  get assigned(): ReadonlySet<string> {
    return this.#assigned
  }

  /** @param members - The relays that take keys. */
  update(members: Iterable<string>): void {
    this.#assignments.update(members)
    this.#assigned = this.#assignments.assigned
  }

  /** No key is this relay's, until the next {@link update}. */
  clear(): void {
    this.#assigned = new Set()
  }

  /** @param isUnavailable - Whether a key is being taken at the moment, or waits after a failure. */
  changes(runningKeys: readonly string[], isUnavailable: (key: string) => boolean): AssignmentChanges {
    const running = new Set(runningKeys)
    const acquire: string[] = []
    for (const key of this.#assigned) if (!running.has(key) && !isUnavailable(key)) acquire.push(key)
    return { release: runningKeys.filter((key) => !this.#assigned.has(key)), acquire }
  }
}
