/**
 * Runs advances of a clock. If an advance starts during another one, for example in a timer, the later
 * advance ends before the earlier one continues.
 */
import type { Clock } from '@brokerwire/core'
import { advanceClock } from './clock-control.ts'

/** Dependencies of the advances. */
export interface ClockAdvancesContext {
  readonly clock: Clock
  /**
   * Starts to track the work that clients start.
   *
   * @returns A function that stops tracking.
   */
  readonly trackWork: () => () => void
  /** Called after each step of the clock. */
  readonly onStep: () => void
}

/** Advances of one clock. */
export interface ClockAdvances {
  /** Time at which the last of the running advances ends. `undefined` if no advance is running. */
  readonly untilMs: number | undefined
  /** Advances the clock. @param settle - Waits until there is no more activity. */
  advance(ms: number, settle: Settle): Promise<void>
}

type Settle = (options: { readonly isFirst: boolean }) => Promise<void>

interface Advance {
  untilMs: number | undefined
  done: Promise<void>
}

/** Creates the advances of a clock. */
export function createClockAdvances({ clock, trackWork, onStep }: ClockAdvancesContext): ClockAdvances {
  /** The advances, in the order in which they started. */
  const advances = new Set<Advance>()
  const firstAfter = (advance: Advance): Advance | undefined =>
    [...advances][[...advances].indexOf(advance) + 1]

  const run = async (current: Advance, ms: number, settle: Settle): Promise<void> => {
    // Work is tracked until the advance ends, so that work that a timer starts synchronously counts too.
    const stopTracking = trackWork()
    try {
      await advanceClock(clock, ms, {
        async settle(isFirst) {
          onStep()
          await settle({ isFirst })
          for (let next = firstAfter(current); next !== undefined; next = firstAfter(current)) await next.done
        },
        onBegin(untilMs) {
          current.untilMs = untilMs
        },
      })
    } finally {
      stopTracking()
      advances.delete(current)
    }
  }

  return {
    get untilMs() {
      const ends = [...advances].flatMap(({ untilMs }) => untilMs ?? [])
      return ends.length === 0 ? undefined : Math.max(...ends)
    },
    advance(ms, settle) {
      const started: Advance = { untilMs: undefined, done: Promise.resolve() }
      advances.add(started)
      const work = run(started, ms, settle)
      started.done = work.catch(() => undefined)
      return work
    },
  }
}
