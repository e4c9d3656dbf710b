/** What a scenario is: a sentence that it promises, and a run that checks it. */

/** Figures of a run, for the table. */
export type Figures = Readonly<Record<string, string | number>>

/** What a run is given. */
export interface RunContext {
  /** Fewer rounds and shorter waits; the promises are the same. */
  readonly short: boolean
  /** A directory for this run alone. */
  readonly folder: string
  /** Notes a promise that does not hold. */
  promise(holds: boolean, what: string): void
  /** Calls it at the end, whatever happens. */
  atEnd(action: () => Promise<unknown>): void
}

/** A fault, and what is promised under it. */
export interface Scenario {
  readonly name: string
  readonly promise: string
  run(context: RunContext): Promise<Figures>
}
