/**
 * The state machine of keep-alive: decides when to send HTTP/2 PINGs, and when a connection is lost. A pure function.
 *
 * By default, grpc-core, grpc-go and grpc-java count the PINGs since they last sent HEADERS or DATA, and end
 * the connection at the third one that arrives less than five minutes after the previous one. So without data
 * there are two PINGs at `intervalMs`, then one every `idleIntervalMs`. While a slow consumer pauses all
 * calls, missing data proves nothing, and only `idleIntervalMs` applies.
 */
import { unreachable } from '@brokerwire/core/internal'
import type { KeepAlivePolicy } from './options.ts'

/** The state of one connection. */
export interface KeepAliveState {
  /** `false`: no PINGs. */
  readonly policy: KeepAlivePolicy | false
  /** Number of open calls. */
  readonly calls: number
  /** Number of open calls that a slow consumer has paused. */
  readonly paused: number
  /** The latest instant at which the connection opened, data was received, or a PING was acknowledged. */
  readonly lastActivityMs: number
  /** The instant since which at least one call is not paused. */
  readonly readingSinceMs: number
  /** PINGs since the last data, as the server may count them. */
  readonly pings: number
  /** The instant of the PING that is not acknowledged yet. */
  readonly pingSentMs: number | undefined
}

/** An event of one connection. `at` is a time of a monotonic clock, in milliseconds. */
export type KeepAliveEvent = { readonly at: number } & (
  | { readonly type: 'call-began' }
  | { readonly type: 'call-ended'; readonly paused: boolean }
  /** HEADERS or DATA were received. */
  | { readonly type: 'data' }
  /** Reading of a call was paused, because its consumer is slow. */
  | { readonly type: 'paused' }
  | { readonly type: 'resumed' }
  | { readonly type: 'acknowledged' }
  | { readonly type: 'timer' }
)

/** An effect to perform. Starting the timer replaces the running one. */
export type KeepAliveEffect =
  | { readonly type: 'ping' }
  | { readonly type: 'start-timer'; readonly delayMs: number }
  | { readonly type: 'clear-timer' }
  | { readonly type: 'dead' }

type Step = readonly [KeepAliveState, readonly KeepAliveEffect[]]

/** Maximum number of PINGs at `intervalMs` without data. Servers reject the third one. */
const MAX_PINGS = 2
/** Timers may fire a fraction of a millisecond early. */
const EARLY_MS = 1
/** The default interval of TCP keep-alive (RFC 1122, section 4.2.3.6). */
const MAX_INTERVAL_MS = 7_200_000

/** Returns the state of a connection that has just opened. */
export function initialKeepAlive(policy: KeepAlivePolicy | false, nowMs: number): KeepAliveState {
  return {
    policy,
    calls: 0,
    paused: 0,
    lastActivityMs: nowMs,
    readingSinceMs: nowMs,
    pings: 0,
    pingSentMs: undefined,
  }
}

/**
 * Handles one event. `data` and `paused` make nothing due before the running timer fires, so the timer stays.
 */
export function keepAliveTransition(state: KeepAliveState, event: KeepAliveEvent): Step {
  const { at } = event
  switch (event.type) {
    case 'call-began':
      return updateCalls(state, 1, 0, at)
    case 'call-ended':
      return updateCalls(state, -1, -Number(event.paused), at)
    case 'data':
      // A PING that is not acknowledged may reach the server after it sent this data, so it counts as the
      // first PING after the data.
      return [{ ...state, lastActivityMs: at, pings: state.pingSentMs === undefined ? 0 : 1 }, []]
    case 'paused':
      return [{ ...state, paused: state.paused + 1 }, []]
    case 'resumed':
      return updateCalls(state, 0, -1, at)
    case 'acknowledged':
      return decide({ ...state, lastActivityMs: at, pingSentMs: undefined }, at)
    case 'timer':
      return decide(state, at)
    default:
      return unreachable(event)
  }
}

/** Changes the numbers of calls. If all calls were paused before, the time without data starts now. */
function updateCalls(state: KeepAliveState, calls: number, paused: number, at: number): Step {
  const next = { ...state, calls: state.calls + calls, paused: state.paused + paused }
  const allPaused = state.calls > 0 && state.calls === state.paused
  return decide(allPaused && next.calls > next.paused ? { ...next, readingSinceMs: at } : next, at)
}

function decide(state: KeepAliveState, at: number): Step {
  const { policy } = state
  if (policy === false) return [state, []]
  if (state.pingSentMs !== undefined) {
    const leftMs = Math.max(state.pingSentMs, state.lastActivityMs) + policy.timeoutMs - at
    return [state, [leftMs <= EARLY_MS ? { type: 'dead' } : { type: 'start-timer', delayMs: leftMs }]]
  }
  if (state.calls === 0) return [state, [{ type: 'clear-timer' }]]
  const leftMs = pingDueMs(state, policy) - at
  if (leftMs <= EARLY_MS) {
    const pinged: KeepAliveState = { ...state, pings: state.pings + 1, pingSentMs: at }
    return [pinged, [{ type: 'ping' }, { type: 'start-timer', delayMs: policy.timeoutMs }]]
  }
  // The timer is at most `intervalMs`, because data may make the next PING due earlier.
  return [state, [{ type: 'start-timer', delayMs: Math.min(leftMs, policy.intervalMs) }]]
}

function pingDueMs(state: KeepAliveState, { intervalMs, idleIntervalMs }: KeepAlivePolicy): number {
  const { lastActivityMs, readingSinceMs } = state
  return state.pings < MAX_PINGS && state.calls > state.paused
    ? Math.max(lastActivityMs, readingSinceMs) + intervalMs
    : lastActivityMs + Math.max(intervalMs, idleIntervalMs)
}

/** Returns a policy with doubled intervals, for a server that received too many PINGs (GOAWAY with ENHANCE_YOUR_CALM). */
export function doubleIntervals(policy: KeepAlivePolicy): KeepAlivePolicy {
  const { intervalMs, idleIntervalMs } = policy
  return {
    ...policy,
    intervalMs: Math.min(MAX_INTERVAL_MS, intervalMs * 2),
    idleIntervalMs: Math.min(MAX_INTERVAL_MS, Math.max(intervalMs, idleIntervalMs) * 2),
  }
}
