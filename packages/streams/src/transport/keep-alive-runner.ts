/**
 * The runner of the keep-alive machine for one connection, and the PING intervals of a server.
 *
 * Data is received often, so only its instant is recorded. The machine gets it before its next event.
 */
import type { Clock } from '@brokerwire/core'
import { type EventInput, MachineRunner } from '@brokerwire/core/internal'
import {
  doubleIntervals,
  initialKeepAlive,
  type KeepAliveEffect,
  type KeepAliveEvent,
  type KeepAliveState,
  keepAliveTransition,
} from './keep-alive.ts'
import type { KeepAlivePolicy } from './options.ts'

/** The functions of a connection that the runner calls. */
export interface KeepAlivePorts {
  readonly clock: Clock
  /** Sends a PING. */
  readonly ping: (onAck: () => void) => void
  /** Called if a PING is not acknowledged in time. */
  readonly onDead: () => void
}

/** Sends the PINGs of one connection. */
export class KeepAliveRunner {
  readonly #clock: Clock
  readonly #machine: MachineRunner<KeepAliveState, KeepAliveEvent, KeepAliveEffect>
  /** The instant of the last data that the machine does not know yet. */
  #dataMs: number | undefined
  #stopped = false

  constructor(policy: KeepAlivePolicy | false, { clock, ping, onDead }: KeepAlivePorts) {
    this.#clock = clock
    this.#machine = new MachineRunner(initialKeepAlive(policy, clock.now()), {
      clock,
      transition: keepAliveTransition,
      perform(effect) {
        if (effect.type === 'dead') onDead()
        else ping(onAck)
      },
      preceding: () => {
        const at = this.#dataMs
        this.#dataMs = undefined
        return at === undefined ? undefined : { type: 'data', at }
      },
    })
    const onAck = (): void => this.dispatch({ type: 'acknowledged' })
  }

  /** Records that HEADERS or DATA were received. */
  noteActivity(): void {
    this.#dataMs = this.#clock.now()
  }

  dispatch(event: EventInput<KeepAliveEvent>): void {
    if (!this.#stopped) this.#machine.dispatch(event)
  }

  stop(): void {
    this.#stopped = true
    this.#machine.clearAllTimers()
  }
}

/**
 * A monotonic clock, whose timers do not keep the process alive.
 *
 * If the process was suspended, Node runs the timers before it reads what was received meanwhile. So each
 * timer waits for two more turns of the event loop: one to read the data, one to emit its events. Without
 * these turns, a received PING ACK would be ignored.
 */
export const monotonicClock: Clock = {
  now: () => performance.now(),
  setTimer(callback, delayMs) {
    let immediate: NodeJS.Immediate | undefined
    const timer = setTimeout(() => {
      immediate = setImmediate(() => {
        immediate = setImmediate(callback)
      })
    }, delayMs).unref()
    return () => {
      clearTimeout(timer)
      if (immediate !== undefined) clearImmediate(immediate)
    }
  },
}

/** The PING intervals that a server accepts. They also apply to its later connections. */
export class KeepAliveBackoff {
  policy: KeepAlivePolicy | false

  constructor(policy: KeepAlivePolicy | false) {
    this.policy = policy
  }

  /**
   * Doubles the intervals after the server received too many PINGs. Connections that used the same intervals
   * double them only once.
   *
   * @returns The new intervals, as the end of an error message.
   */
  increaseInterval(used: KeepAlivePolicy | false): string {
    if (used === false || this.policy === false) return ''
    const slower = doubleIntervals(used)
    if (slower.intervalMs > this.policy.intervalMs) this.policy = slower
    const { intervalMs, idleIntervalMs } = this.policy
    return `; HTTP/2 PINGs from now on every ${intervalMs} ms, without data ${idleIntervalMs} ms`
  }
}
