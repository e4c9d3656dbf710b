/** Drives the machine of one connection in tests: events in, state and effects out. */
import type { StreamingCall } from '../connection/calls.ts'
import type { ConnectionEffect, ConnectionEvent, ConnectionState } from '../connection/machine-types.ts'
import { parsePolicy, type QuotesSupervisionOptions } from '../connection/policy.ts'
import { connectionTransition, initialConnectionState } from '../connection/transition.ts'
import {
  type DesiredSubscriptions,
  type QuoteType,
  withSelection,
} from '../selection/desired-subscriptions.ts'

type Distribute<E> = E extends unknown ? Omit<E, 'at' | 'random' | 'attempt' | 'call'> : never
/** An event without the fields that the driver adds. */
export type Input = Distribute<ConnectionEvent> & {
  readonly at?: number
  readonly random?: number
  readonly attempt?: number
  readonly call?: number
}

/** A machine that a test drives. */
export interface TestConnection {
  readonly state: ConnectionState
  /** Sends an event of the current attempt and call. @returns Its effects. */
  send(input: Input): readonly ConnectionEffect[]
}

/** Creates a driver. `at` of an event defaults to that of the event before. */
export function testConnection(options: QuotesSupervisionOptions = {}, maxSymbols = 100): TestConnection {
  let state = initialConnectionState(parsePolicy(options), 1, maxSymbols)
  let at = 0
  return {
    get state() {
      return state
    },
    send(input) {
      at = input.at ?? at
      const event = { random: 0.5, attempt: state.attempt, call: state.call, ...input, at } as ConnectionEvent
      const [next, effects] = connectionTransition(state, event)
      state = next
      return effects
    },
  }
}

/** Desired subscriptions in a short notation. */
export function toSubscriptions(
  symbols: string,
  types: readonly QuoteType[] = ['snapshot'],
  category = 'US_STOCK',
): DesiredSubscriptions {
  const names = symbols.split(' ').filter((name) => name !== '')
  return withSelection(new Map(), { symbols: names, types, category, depth: undefined, overnight: undefined })
}

/** Symbols `S1` to `Sn`. */
export const manySymbols = (count: number): string =>
  Array.from({ length: count }, (_, index) => `S${index + 1}`).join(' ')

/** A machine that is connected and requests these subscriptions. */
export function live(
  desired: DesiredSubscriptions,
  options?: QuotesSupervisionOptions,
  maxSymbols?: number,
): TestConnection {
  const machine = testConnection(options, maxSymbols)
  machine.send({ type: 'set-desired', desired, at: 1000 })
  machine.send({ type: 'connack', code: 0, at: 2000 })
  return machine
}

/** The calls among effects, in short: `subscribe US_STOCK 2: A B`. */
export function callsOf(effects: readonly ConnectionEffect[]): readonly string[] {
  const short = ({ action, category, types, symbols }: StreamingCall): string =>
    `${action} ${category} ${types}: ${symbols.join(' ')}`
  return effects.flatMap((effect) => (effect.type === 'call' ? [short(effect.call)] : []))
}

/** The notices among effects. */
export function noticesOf(effects: readonly ConnectionEffect[]) {
  return effects.flatMap((effect) => (effect.type === 'notify' ? [effect.notice] : []))
}

/** The outcome among effects. */
export function outcomeOf(effects: readonly ConnectionEffect[]) {
  return effects.find((effect) => effect.type === 'end')?.outcome
}

/** The delay of the timer that these effects start, in milliseconds. */
export function timerDelay(effects: readonly ConnectionEffect[], timer: string): number | undefined {
  return effects.flatMap((effect) =>
    effect.type === 'start-timer' && effect.timer === timer ? [effect.delayMs] : [],
  )[0]
}
