/**
 * When a connection is asked for a sign of life (an HTTP/2 PING), and when it counts as dead: a pure machine.
 *
 * Servers count the PINGs since they last sent HEADERS or DATA, and end the connection at the third one that came less
 * than five minutes after the one before (grpc-core, grpc-go and grpc-java, by default). So while nothing comes there
 * are two PINGs at the interval, and then one in five and a half minutes. If all reading is paused by a slow
 * consumer, the silence is ours and asks for no PING at the interval.
 */
import { unreachable } from '@brokerwire/core/internal'
import type { KeepAlivePolicy } from './options.ts'

export interface KeepAliveState {
  /** `false`: no PINGs. */
  readonly policy: KeepAlivePolicy | false
  readonly calls: number
  /** Calls whose reading is paused for a slow consumer. */
  readonly paused: number
  /** Last sign of life: the connection's begin, data, the answer to a PING. */
  readonly aliveMs: number
  /** Since when any of the calls is read, where none was before. */
  readonly readSinceMs: number
  /** PINGs since data last came, as the server may count them. */
  readonly pings: number
  /** When the PING went out that has no answer yet. */
  readonly askedMs: number | undefined
}

export type KeepAliveEvent = { readonly at: number } & (
  | { readonly type: 'call-began' }
  | { readonly type: 'call-ended'; readonly paused: boolean }
  /** HEADERS or DATA came. */
  | { readonly type: 'data' }
  /** A call is not read any more, because its consumer is slow. */
  | { readonly type: 'paused' }
  | { readonly type: 'resumed' }
  | { readonly type: 'answered' }
  | { readonly type: 'timer' }
)

/** What is done. Arming replaces the timer that runs. */
export type KeepAliveEffect =
  | { readonly type: 'ping' }
  | { readonly type: 'arm'; readonly delayMs: number }
  | { readonly type: 'disarm' }
  | { readonly type: 'dead' }

type Step = readonly [KeepAliveState, readonly KeepAliveEffect[]]

/** The third one would be one too many. */
const MAX_PINGS = 2
/** Timers may fire a fraction of a millisecond early. */
const EARLY_MS = 1
/** As long as TCP itself waits by default (RFC 1122, section 4.2.3.6). */
const SLOWEST_MS = 7_200_000

export function initialKeepAlive(policy: KeepAlivePolicy | false, nowMs: number): KeepAliveState {
  return {
    policy,
    calls: 0,
    paused: 0,
    aliveMs: nowMs,
    readSinceMs: nowMs,
    pings: 0,
    askedMs: undefined,
  }
}

/** One step. After `data` and `paused` nothing is due any sooner, so the timer that runs may look for itself. */
export function keepAliveTransition(state: KeepAliveState, event: KeepAliveEvent): Step {
  const { at } = event
  switch (event.type) {
    case 'call-began':
      return recount(state, 1, 0, at)
    case 'call-ended':
      return recount(state, -1, -Number(event.paused), at)
    case 'data':
      // A PING that is under way may reach the server after it sent this: there it is the first one since.
      return [{ ...state, aliveMs: at, pings: state.askedMs === undefined ? 0 : 1 }, []]
    case 'paused':
      return [{ ...state, paused: state.paused + 1 }, []]
    case 'resumed':
      return recount(state, 0, -1, at)
    case 'answered':
      return decide({ ...state, aliveMs: at, askedMs: undefined }, at)
    case 'timer':
      return decide(state, at)
    default:
      return unreachable(event)
  }
}

/** So many calls more, or less. While none was read, nothing could be heard: the time of listening begins anew. */
function recount(state: KeepAliveState, calls: number, paused: number, at: number): Step {
  const next = { ...state, calls: state.calls + calls, paused: state.paused + paused }
  const wasDeaf = state.calls > 0 && state.calls === state.paused
  return decide(wasDeaf && next.calls > next.paused ? { ...next, readSinceMs: at } : next, at)
}

function decide(state: KeepAliveState, at: number): Step {
  const { policy } = state
  if (policy === false) return [state, []]
  if (state.askedMs !== undefined) {
    const leftMs = Math.max(state.askedMs, state.aliveMs) + policy.timeoutMs - at
    return [state, [leftMs <= EARLY_MS ? { type: 'dead' } : { type: 'arm', delayMs: leftMs }]]
  }
  if (state.calls === 0) return [state, [{ type: 'disarm' }]]
  const leftMs = pingDueMs(state, policy) - at
  if (leftMs <= EARLY_MS) {
    const asked: KeepAliveState = { ...state, pings: state.pings + 1, askedMs: at }
    return [asked, [{ type: 'ping' }, { type: 'arm', delayMs: policy.timeoutMs }]]
  }
  // Data may come meanwhile, and bring the next PING nearer.
  return [state, [{ type: 'arm', delayMs: Math.min(leftMs, policy.intervalMs) }]]
}

function pingDueMs(state: KeepAliveState, { intervalMs, idleIntervalMs }: KeepAlivePolicy): number {
  const { aliveMs, readSinceMs } = state
  return state.pings < MAX_PINGS && state.calls > state.paused
    ? Math.max(aliveMs, readSinceMs) + intervalMs
    : aliveMs + Math.max(intervalMs, idleIntervalMs)
}

/** The policy for a server that said it had too many PINGs (GOAWAY with ENHANCE_YOUR_CALM): twice as long intervals. */
export function slowerKeepAlive(policy: KeepAlivePolicy): KeepAlivePolicy {
  const { intervalMs, idleIntervalMs } = policy
  return {
    ...policy,
    intervalMs: Math.min(SLOWEST_MS, intervalMs * 2),
    idleIntervalMs: Math.min(SLOWEST_MS, Math.max(intervalMs, idleIntervalMs) * 2),
  }
}
