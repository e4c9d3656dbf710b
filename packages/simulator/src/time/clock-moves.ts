/**
 * Running advances of a clock. An advance that starts during another one, for example in a timer, ends before the outer
 * one continues.
 */
import type { Clock } from '@brokerwire/core'
import { steer } from './steering.ts'

/** Dependencies of the advances. */
export interface ClockMovesContext {
  readonly clock: Clock
  /** Begins to track work that clients start. @returns Stops tracking. */
  readonly watch: () => () => void
  /** Called after each step of the clock. */
  readonly onStep: () => void
}

/** Advances of one clock. */
export interface ClockMoves {
  /** End of the longest running advance. */
  readonly untilMs: number | undefined
  /** @param settle - Waits until there is no more activity. */
  move(ms: number, settle: Settle): Promise<void>
}

type Settle = (options: { readonly isFirst: boolean }) => Promise<void>

interface Move {
  untilMs: number | undefined
  done: Promise<void>
}

/** Creates the advances of a clock. */
export function createClockMoves({ clock, watch, onStep }: ClockMovesContext): ClockMoves {
  /** In the order in which they started. */
  const moves = new Set<Move>()
  const firstAfter = (move: Move): Move | undefined => [...moves][[...moves].indexOf(move) + 1]

  const run = async (own: Move, ms: number, settle: Settle): Promise<void> => {
    // Tracks until the end: work that a timer starts synchronously counts too.
    const endWatch = watch()
    try {
      await steer(clock, ms, {
        async settle(isFirst) {
          onStep()
          await settle({ isFirst })
          for (let next = firstAfter(own); next !== undefined; next = firstAfter(own)) await next.done
        },
        onBegin(untilMs) {
          own.untilMs = untilMs
        },
      })
    } finally {
      endWatch()
      moves.delete(own)
    }
  }

  return {
    get untilMs() {
      const ends = [...moves].flatMap(({ untilMs }) => untilMs ?? [])
      return ends.length === 0 ? undefined : Math.max(...ends)
    },
    move(ms, settle) {
      const own: Move = { untilMs: undefined, done: Promise.resolve() }
      moves.add(own)
      const work = run(own, ms, settle)
      own.done = work.catch(() => undefined)
      return work
    },
  }
}
