/** Decisions that only the code of a program shows. The checks list them, so that none is forgotten. */

/** A decision, and what to look for. */
export interface Decision {
  readonly check: string
  readonly text: string
}

/** Decisions of a program that uses the packages. */
export const PROGRAM_DECISIONS: readonly Decision[] = [
  {
    check: 'program: store',
    text: 'not visible here: every process must pass the same store, and no store in memory',
  },
  {
    check: 'program: rate limiter',
    text: 'not visible here: processes with one app key share the limits of token calls and operations if they pass limiters with the same store',
  },
  {
    check: 'program: second factor',
    text: 'not visible here: onSecondFactor must reach a person, who has five minutes to enter the code',
  },
  {
    check: 'program: streams',
    text: 'not visible here: an app key has five event connections, in all processes together; use a relay for more readers',
  },
]
