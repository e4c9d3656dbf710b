/**
 * Carries out what the keep-alive machine decides for one connection, and remembers what a target taught about PINGs.
 *
 * Data is the hot path: only its instant is noted, and the machine hears of it before anything else happens.
 */
import type { Clock } from '@brokerwire/core'
import {
  initialKeepAlive,
  type KeepAliveEvent,
  type KeepAlivePolicy,
  type KeepAliveState,
  keepAliveTransition,
  slowerKeepAlive,
} from './keep-alive.ts'

export interface PingPorts {
  readonly clock: Clock
  readonly ping: (onAnswer: () => void) => void
  readonly onDead: () => void
}

type EventInput = KeepAliveEvent extends infer E ? (E extends unknown ? Omit<E, 'at'> : never) : never

export class PingWatch {
  readonly #ports: PingPorts
  #state: KeepAliveState
  #dataMs: number | undefined
  #stopped = false
  #disarm = (): void => {}

  constructor(policy: KeepAlivePolicy, ports: PingPorts) {
    this.#ports = ports
    this.#state = initialKeepAlive(policy, ports.clock.now())
  }

  /** HEADERS or DATA came. */
  noteData(): void {
    this.#dataMs = this.#ports.clock.now()
  }

  dispatch(input: EventInput): void {
    const { clock, ping, onDead } = this.#ports
    if (this.#stopped) return
    if (this.#dataMs !== undefined) {
      ;[this.#state] = keepAliveTransition(this.#state, { type: 'data', at: this.#dataMs })
      this.#dataMs = undefined
    }
    const [next, effects] = keepAliveTransition(this.#state, { ...input, at: clock.now() })
    this.#state = next
    for (const effect of effects) {
      if (effect.type === 'ping') ping(() => this.dispatch({ type: 'answered' }))
      else {
        this.#disarm()
        if (effect.type === 'arm')
          this.#disarm = clock.setTimer(() => this.dispatch({ type: 'timer' }), effect.delayMs)
        else if (effect.type === 'dead') onDead()
      }
    }
  }

  stop(): void {
    this.#stopped = true
    this.#disarm()
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
  policy: KeepAlivePolicy

  constructor(policy: KeepAlivePolicy) {
    this.policy = policy
  }

  /** The server had too many PINGs. Connections that were equally fast and end together slow down once. */
  slowDown(used: KeepAlivePolicy): void {
    const slower = slowerKeepAlive(used)
    if ((slower.pingIntervalMs ?? 0) > (this.policy.pingIntervalMs ?? 0)) this.policy = slower
  }
}
