/** Drives the supervisor's machine in tests: events in, state and effects out. */
import type { SupervisorEffect, SupervisorEvent, SupervisorState } from '../supervisor/machine-types.ts'
import { readPolicy, type SupervisionOptions } from '../supervisor/policy.ts'
import { initialSupervisorState, supervisorTransition } from '../supervisor/transition.ts'

type Distribute<E> = E extends unknown ? Omit<E, 'at' | 'random' | 'attempt'> : never
/** An event without what the driver fills in. */
export type Input = Distribute<SupervisorEvent> & {
  readonly at?: number
  readonly random?: number
  readonly attempt?: number
}

/** A machine that a test drives. */
export interface TestMachine {
  readonly state: SupervisorState
  /** Sends an event of the current attempt. @returns Its effects. */
  send(input: Input): readonly SupervisorEffect[]
}

/** Creates a machine. `at` defaults to that of the last event. */
export function testMachine(options: SupervisionOptions = {}): TestMachine {
  let state = initialSupervisorState(readPolicy(options))
  let at = 0
  return {
    get state() {
      return state
    },
    send(input) {
      at = input.at ?? at
      const event = { random: 0.5, attempt: state.attempt, ...input, at } as SupervisorEvent
      const [next, effects] = supervisorTransition(state, event)
      state = next
      return effects
    },
  }
}

/** Returns the notices among effects. */
export function noticesOf(effects: readonly SupervisorEffect[]) {
  return effects.flatMap((effect) => (effect.type === 'notify' ? [effect.notice] : []))
}

/** Returns the outcome among effects. */
export function outcomeOf(effects: readonly SupervisorEffect[]) {
  return effects.find((effect) => effect.type === 'end')?.outcome
}

/** The delay of the timer that these effects start, in milliseconds. */
export function timerDelay(effects: readonly SupervisorEffect[], timer: string): number | undefined {
  return effects.flatMap((effect) =>
    effect.type === 'start-timer' && effect.timer === timer ? [effect.delayMs] : [],
  )[0]
}
