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
  keepAliveTransition,
  slowerKeepAlive,
} from './keep-alive.ts'

/** A connection under watch. */
export interface PingWatch {
  callBegan(): void
  callEnded(held: boolean): void
  /** HEADERS or DATA came. */
  noteData(): void
  held(): void
  released(): void
  stop(): void
}

/** The world of a watch. */
export interface PingPorts {
  readonly clock: Clock
  /** Sends a PING. */
  readonly ping: (onAnswer: () => void) => void
  /** No sign of life came after a PING. */
  readonly onDead: () => void
}

type EventInput = KeepAliveEvent extends infer E ? (E extends unknown ? Omit<E, 'at'> : never) : never

/** Watches a connection that was just opened. */
export function watchByPings(policy: KeepAlivePolicy, ports: PingPorts): PingWatch {
  const { clock } = ports
  let state = initialKeepAlive(policy, clock.now())
  let dataMs: number | undefined
  let stopped = false
  let disarm = (): void => {}

  const dispatch = (input: EventInput): void => {
    if (stopped) return
    if (dataMs !== undefined) {
      ;[state] = keepAliveTransition(state, { type: 'data', at: dataMs })
      dataMs = undefined
    }
    const [next, effects] = keepAliveTransition(state, { ...input, at: clock.now() })
    state = next
    for (const effect of effects) {
      if (effect.type === 'ping') ports.ping(() => dispatch({ type: 'answered' }))
      else {
        disarm()
        if (effect.type === 'arm') disarm = clock.setTimer(() => dispatch({ type: 'timer' }), effect.delayMs)
        else if (effect.type === 'dead') ports.onDead()
      }
    }
  }

  return {
    callBegan: () => dispatch({ type: 'call-began' }),
    callEnded: (held) => dispatch({ type: 'call-ended', held }),
    noteData() {
      dataMs = clock.now()
    },
    held: () => dispatch({ type: 'held' }),
    released: () => dispatch({ type: 'released' }),
    stop() {
      stopped = true
      disarm()
    },
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
export interface PingPace {
  readonly policy: KeepAlivePolicy
  /**
   * The server had too many PINGs. Connections that were equally fast and end together slow down once.
   *
   * @param used - The policy of the connection that it ended.
   */
  slowDown(used: KeepAlivePolicy): void
}

/** The pace at the start. */
export function createPingPace(initial: KeepAlivePolicy): PingPace {
  let policy = initial
  return {
    get policy() {
      return policy
    },
    slowDown(used) {
      const slower = slowerKeepAlive(used)
      if ((slower.intervalMs ?? 0) > (policy.intervalMs ?? 0)) policy = slower
    },
  }
}
