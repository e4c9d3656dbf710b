/**
 * Computes from the current members which apps are assigned to this relay, and which apps to acquire and to
 * release. Pure.
 */
import { Assignments } from './rendezvous.ts'

/** The apps to release and the apps to acquire. */
export interface AssignmentChanges {
  readonly release: readonly string[]
  readonly acquire: readonly string[]
}

export class Assignment {
  readonly #assignments: Assignments
  /** Empty while this relay is not a member. */
  #assigned: ReadonlySet<string> = new Set()

  constructor(name: string, apps: readonly string[]) {
    this.#assignments = new Assignments(name, apps)
  }

  get assigned(): ReadonlySet<string> {
    return this.#assigned
  }

  /** Computes the apps of this relay. @param members - The relays to which apps are assigned. */
  update(members: Iterable<string>): void {
    this.#assignments.update(members)
    this.#assigned = this.#assignments.assigned
  }

  /** Assigns no app to this relay until the next {@link update}. */
  clear(): void {
    this.#assigned = new Set()
  }

  /**
   * Returns the changes to the running apps.
   *
   * @param isUnavailable - Whether an app is being acquired, or waits after a failure.
   */
  changes(runningApps: readonly string[], isUnavailable: (app: string) => boolean): AssignmentChanges {
    const running = new Set(runningApps)
    const acquire: string[] = []
    for (const app of this.#assigned) if (!running.has(app) && !isUnavailable(app)) acquire.push(app)
    return { release: runningApps.filter((app) => !this.#assigned.has(app)), acquire }
  }
}
