/**
 * The runner of a pure state machine. It handles events one after the other, performs effects in order and
 * stores timers by name. Events that are dispatched while another event is handled are queued.
 */
import type { Clock } from './clock.ts'

/** An event for `dispatch()`. The runner adds `random`, and the current time if the event has no `at`. */
export type EventInput<Event> = Event extends unknown
  ? Omit<Event, 'at' | 'random'> & { readonly at?: number }
  : never

/** Returns the effects that clear these timers. */
export function clearTimers<T extends string>(
  timers: readonly T[],
): readonly { readonly type: 'clear-timer'; readonly timer: T }[] {
  return timers.map((timer) => ({ type: 'clear-timer', timer }))
}

/** Returns a function that picks these fields of a state. */
export function pick<Part extends object>(names: readonly (keyof Part & string)[]): (state: Part) => Part {
  return (state) => Object.fromEntries(names.map((name) => [name, state[name]])) as Part
}

/** The machine and its ports. */
export interface MachinePorts<State, Event, Effect> {
  /** Source of the time and of timers. */
  readonly clock: Clock
  /**
   * Returns the field `random` of each event, from 0, inclusive, to 1, exclusive.
   * @defaultValue events have no such field
   */
  readonly random?: (() => number) | undefined
  /** Returns the next state and the effects of an event. It must be pure. */
  readonly transition: (state: State, event: Event) => readonly [State, readonly Effect[]]
  /** Called after each transition, before its effects. @defaultValue none */
  readonly onStep?: ((before: State, state: State, at: number) => void) | undefined
  /**
   * Performs an effect. It is called for all effects except those of timers. When a timer fires, the runner
   * dispatches an event of type `timer` with the name of the timer.
   */
  readonly perform: (effect: Exclude<Effect, { readonly type: 'start-timer' | 'clear-timer' }>) => void
  /**
   * Returns an event that must be handled before the dispatched one, such as activity that was recorded but not
   * dispatched; `undefined` if there is none. @defaultValue none
   */
  readonly preceding?: (() => EventInput<Event> | undefined) | undefined
}

/** A running state machine. */
export class MachineRunner<State, Event, Effect extends { readonly type: string }> {
  state: State
  readonly #ports: MachinePorts<State, Event, Effect>
  readonly #timers = new Map<unknown, () => void>()
  readonly #inbox: EventInput<Event>[] = []
  #busy = false

  constructor(state: State, ports: MachinePorts<State, Event, Effect>) {
    this.state = state
    this.#ports = ports
  }

  dispatch(event: EventInput<Event>): void {
    const preceding = this.#ports.preceding?.()
    if (preceding !== undefined) this.#inbox.push(preceding)
    this.#inbox.push(event)
    if (this.#busy) return
    this.#busy = true
    try {
      for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) this.#step(next)
    } finally {
      this.#busy = false
    }
  }

  /** Clears all timers. */
  clearAllTimers(): void {
    for (const timer of [...this.#timers.keys()]) this.#clearTimer(timer)
  }

  #step(event: EventInput<Event>): void {
    const { clock, random, transition, onStep } = this.#ports
    const at = (event as { readonly at?: number }).at ?? clock.now()
    const before = this.state
    const [state, effects] = transition(before, { ...event, at, random: random?.() } as Event)
    this.state = state
    onStep?.(before, state, at)
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: Effect): void {
    const { type, timer, delayMs = 0 } = effect as { type: string; timer?: unknown; delayMs?: number }
    if (type !== 'start-timer' && type !== 'clear-timer') {
      this.#ports.perform(effect as Exclude<Effect, { readonly type: 'start-timer' | 'clear-timer' }>)
      return
    }
    this.#clearTimer(timer)
    if (type === 'clear-timer') return
    const fire = (): void => {
      this.#timers.delete(timer)
      this.dispatch({ type: 'timer', timer } as unknown as EventInput<Event>)
    }
    this.#timers.set(timer, this.#ports.clock.setTimer(fire, delayMs))
  }

  #clearTimer(timer: unknown): void {
    this.#timers.get(timer)?.()
    this.#timers.delete(timer)
  }
}
