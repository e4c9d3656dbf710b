/** The keys that are assigned to this relay by the current members, and the changes that follow. Pure. */
import { Assignments } from './rendezvous.ts'

/** The keys to release and the keys to acquire. */
export interface AssignmentChanges {
  readonly release: readonly string[]
  readonly acquire: readonly string[]
}

export class Assignment {
  readonly #assignments: Assignments
  /** Empty while this relay is not a member. */
  #assigned: ReadonlySet<string> = new Set()

  constructor(name: string, keys: readonly string[]) {
    this.#assignments = new Assignments(name, keys)
  }

  get assigned(): ReadonlySet<string> {
    return this.#assigned
  }

  /** @param members - The relays to which keys are assigned. */
  update(members: Iterable<string>): void {
    this.#assignments.update(members)
    this.#assigned = this.#assignments.assigned
  }

  /** Assigns no key to this relay until the next {@link update}. */
  clear(): void {
    this.#assigned = new Set()
  }

  /** @param isUnavailable - Whether a key is being acquired, or waits after a failure. */
  changes(runningKeys: readonly string[], isUnavailable: (key: string) => boolean): AssignmentChanges {
    const running = new Set(runningKeys)
    const acquire: string[] = []
    for (const key of this.#assigned) if (!running.has(key) && !isUnavailable(key)) acquire.push(key)
    return { release: runningKeys.filter((key) => !this.#assigned.has(key)), acquire }
  }
}
