/**
 * Runs a pure machine: its events one after the other, its timers by name, its effects in their order. What causes further
 * events while an event is handled puts them behind it.
 */
import type { Clock } from './clock.ts'

/** An event as it is dispatched: what has no instant of its own happens now. */
export type Unstamped<Event> = Event extends unknown
  ? Omit<Event, 'at' | 'draw'> & { readonly at?: number }
  : never

/** The effects that disarm these timers. */
export function disarm<T extends string>(
  timers: readonly T[],
): readonly { readonly type: 'disarm'; readonly timer: T }[] {
  return timers.map((timer) => ({ type: 'disarm', timer }))
}

/** Makes what takes these fields out of a state: what outlives its phase. */
export function partOf<Part extends object>(names: readonly (keyof Part & string)[]): (state: Part) => Part {
  return (state) => Object.fromEntries(names.map((name) => [name, state[name]])) as Part
}

/** What a machine is, and what it needs of the world. */
export interface MachinePorts<State, Event, Effect> {
  readonly clock: Clock
  /** From 0 up to but not including 1: the `draw` of each event. */
  readonly random?: (() => number) | undefined
  readonly transition: (state: State, event: Event) => readonly [State, readonly Effect[]]
  /** After each step, before its effects. */
  readonly onStep?: ((before: State, state: State, at: number) => void) | undefined
  /** All but the effects of timers. A timer that fires is an event `timer` with its name. */
  readonly perform: (effect: Exclude<Effect, { readonly type: 'arm' | 'disarm' }>) => void
  /** An event to step before the one that is dispatched, such as activity that needed no step when it was noted. */
  readonly preceding?: (() => Unstamped<Event> | undefined) | undefined
}

/** One machine that runs. */
export class MachineRunner<State, Event, Effect extends { readonly type: string }> {
  state: State
  readonly #ports: MachinePorts<State, Event, Effect>
  readonly #timers = new Map<unknown, () => void>()
  readonly #inbox: Unstamped<Event>[] = []
  #busy = false

  constructor(state: State, ports: MachinePorts<State, Event, Effect>) {
    this.state = state
    this.#ports = ports
  }

  dispatch(event: Unstamped<Event>): void {
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

  /** Disarms every timer. */
  disarmAll(): void {
    for (const timer of [...this.#timers.keys()]) this.#disarm(timer)
  }

  #step(event: Unstamped<Event>): void {
    const { clock, random, transition, onStep } = this.#ports
    const at = (event as { readonly at?: number }).at ?? clock.now()
    const before = this.state
    const [state, effects] = transition(before, { ...event, at, draw: random?.() } as Event)
    this.state = state
    onStep?.(before, state, at)
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: Effect): void {
    const { type, timer, delayMs = 0 } = effect as { type: string; timer?: unknown; delayMs?: number }
    if (type !== 'arm' && type !== 'disarm') {
      this.#ports.perform(effect as Exclude<Effect, { readonly type: 'arm' | 'disarm' }>)
      return
    }
    this.#disarm(timer)
    if (type === 'disarm') return
    const fire = (): void => {
      this.#timers.delete(timer)
      this.dispatch({ type: 'timer', timer } as unknown as Unstamped<Event>)
    }
    this.#timers.set(timer, this.#ports.clock.setTimer(fire, delayMs))
  }

  #disarm(timer: unknown): void {
    this.#timers.get(timer)?.()
    this.#timers.delete(timer)
  }
}
