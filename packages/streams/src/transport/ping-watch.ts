/**
 * Carries out what the keep-alive machine decides for one connection, and remembers what a target taught about PINGs.
 *
 * Data is the hot path: only its instant is noted, and the machine hears of it before anything else happens.
 */
import type { Clock } from '@brokerwire/core'
import { MachineRunner, type Unstamped } from '@brokerwire/core/internal'
import {
  initialKeepAlive,
  type KeepAliveEffect,
  type KeepAliveEvent,
  type KeepAliveState,
  keepAliveTransition,
  slowerKeepAlive,
} from './keep-alive.ts'
import type { KeepAlivePolicy } from './options.ts'

export interface PingPorts {
  readonly clock: Clock
  readonly ping: (onAnswer: () => void) => void
  readonly onDead: () => void
}

export class PingWatch {
  readonly #clock: Clock
  readonly #machine: MachineRunner<KeepAliveState, KeepAliveEvent, KeepAliveEffect>
  /** When data last came that the machine is to be informed of before its next event. */
  #dataMs: number | undefined
  #stopped = false

  constructor(policy: KeepAlivePolicy | false, { clock, ping, onDead }: PingPorts) {
    this.#clock = clock
    this.#machine = new MachineRunner(initialKeepAlive(policy, clock.now()), {
      clock,
      transition: keepAliveTransition,
      perform(effect) {
        if (effect.type === 'dead') onDead()
        else ping(answered)
      },
      preceding: () => {
        const at = this.#dataMs
        this.#dataMs = undefined
        return at === undefined ? undefined : { type: 'data', at }
      },
    })
    const answered = (): void => this.dispatch({ type: 'answered' })
  }

  noteData(): void {
    this.#dataMs = this.#clock.now()
  }

  dispatch(event: Unstamped<KeepAliveEvent>): void {
    if (!this.#stopped) this.#machine.dispatch(event)
  }

  stop(): void {
    this.#stopped = true
    this.#machine.disarmAll()
  }
}

/**
 * A clock that no correction of the time of day moves, and whose timers do not keep the process alive.
 *
 * After a time in which the process did not run, timers come first, and behind them what was received meanwhile: a turn
 * of the event loop to read it, and one until it is told. Each timer waits for both, so that an answer that is there
 * counts. (An immediate without a hold on the loop would not wake it.)
 */
export const hostClock: Clock = {
  now: () => performance.now(),
  setTimer(callback, delayMs) {
    let turn: NodeJS.Immediate | undefined
    const timer = setTimeout(() => {
      turn = setImmediate(() => {
        turn = setImmediate(callback)
      })
    }, delayMs).unref()
    return () => {
      clearTimeout(timer)
      if (turn !== undefined) clearImmediate(turn)
    }
  },
}

/** How often a target is asked. It outlives the connections to the target. */
export class PingPace {
  policy: KeepAlivePolicy | false

  constructor(policy: KeepAlivePolicy | false) {
    this.policy = policy
  }

  /** The server had too many PINGs. Connections that were equally fast and end together slow down once. @returns How. */
  slowDown(used: KeepAlivePolicy | false): string {
    if (used === false || this.policy === false) return ''
    const slower = slowerKeepAlive(used)
    if (slower.intervalMs > this.policy.intervalMs) this.policy = slower
    const { intervalMs, idleIntervalMs } = this.policy
    return `; HTTP/2 PINGs from now on every ${intervalMs} ms, without data ${idleIntervalMs} ms`
  }
}
