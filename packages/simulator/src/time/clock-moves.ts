/** The moves of one clock that are under way: one that is begun during another, as by a timer, ends before that goes on. */
import type { Clock } from '@brokerwire/core'
import { steer } from './steering.ts'

/** What a move works with. */
export interface ClockMovesContext {
  readonly clock: Clock
  /** Begins to count what clients begin. @returns Ends it. */
  readonly watch: () => () => void
  /** Called after each step of the clock. */
  readonly onStep: () => void
}

/** The moves. */
export interface ClockMoves {
  /** When the last of those that are under way ends. */
  readonly untilMs: number | undefined
  /** @param settle - Waits until nothing moves any more. */
  move(ms: number, settle: Settle): Promise<void>
}

type Settle = (options: { readonly isFirst: boolean }) => Promise<void>

interface Move {
  untilMs: number | undefined
  done: Promise<void>
}

/** Makes moves. */
export function createClockMoves({ clock, watch, onStep }: ClockMovesContext): ClockMoves {
  /** In the order in which they were begun. */
  const moves = new Set<Move>()
  const firstAfter = (move: Move): Move | undefined => [...moves][[...moves].indexOf(move) + 1]

  const run = async (own: Move, ms: number, settle: Settle): Promise<void> => {
    // From here to the end: what a timer begins in its own call is counted, too.
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
