/**
 * When a connection is asked for a sign of life (an HTTP/2 PING), and when it counts as dead: a pure machine.
 *
 * Servers count the PINGs since they last sent HEADERS or DATA, and end the connection at the third one that came less
 * than five minutes after the one before (grpc-core, grpc-go and grpc-java, by default). So while nothing comes there
 * are two PINGs at the interval, and then one in five and a half minutes. Where all reading is held back by a slow
 * consumer, the silence is ours and asks for no PING at the interval.
 */
import { unreachable } from '@brokerwire/core'

/** How often is asked. Durations in milliseconds. */
export interface KeepAlivePolicy {
  /** Time without a sign of life after which is asked. `undefined`: never. */
  readonly intervalMs: number | undefined
  /** The same, once two PINGs went out without data coming since. */
  readonly quietIntervalMs: number
  /** Time without a sign of life after a PING, after which the connection is dead. */
  readonly timeoutMs: number
}

export interface KeepAliveState {
  readonly policy: KeepAlivePolicy
  readonly calls: number
  /** Those of them whose reading is held back for a slow consumer. */
  readonly held: number
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
  | { readonly type: 'call-ended'; readonly held: boolean }
  /** HEADERS or DATA came. */
  | { readonly type: 'data' }
  /** A call is not read any more, because its consumer is slow. */
  | { readonly type: 'held' }
  | { readonly type: 'released' }
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

export function initialKeepAlive(policy: KeepAlivePolicy, nowMs: number): KeepAliveState {
  return {
    policy,
    calls: 0,
    held: 0,
    aliveMs: nowMs,
    readSinceMs: nowMs,
    pings: 0,
    askedMs: undefined,
  }
}

/** One step. After `data` and `held` nothing is due any sooner, so the timer that runs may look for itself. */
export function keepAliveTransition(state: KeepAliveState, event: KeepAliveEvent): Step {
  const { at } = event
  switch (event.type) {
    case 'call-began':
      return decide(readAgain(state, { calls: state.calls + 1 }, at), at)
    case 'call-ended':
      return decide(
        readAgain(state, { calls: state.calls - 1, held: state.held - Number(event.held) }, at),
        at,
      )
    case 'data':
      // A PING that is under way may reach the server after it sent this: there it is the first one since.
      return [{ ...state, aliveMs: at, pings: state.askedMs === undefined ? 0 : 1 }, []]
    case 'held':
      return [{ ...state, held: state.held + 1 }, []]
    case 'released':
      return decide(readAgain(state, { held: state.held - 1 }, at), at)
    case 'answered':
      return decide({ ...state, aliveMs: at, askedMs: undefined }, at)
    case 'timer':
      return decide(state, at)
    default:
      return unreachable(event)
  }
}

/** While no call was read, nothing could be heard: the time of listening begins anew. */
function readAgain(state: KeepAliveState, change: Partial<KeepAliveState>, at: number): KeepAliveState {
  const next = { ...state, ...change }
  const wasDeaf = state.calls > 0 && state.calls === state.held
  return wasDeaf && next.calls > next.held ? { ...next, readSinceMs: at } : next
}

function decide(state: KeepAliveState, at: number): Step {
  const { intervalMs, timeoutMs } = state.policy
  if (intervalMs === undefined) return [state, []]
  if (state.askedMs !== undefined) {
    const leftMs = Math.max(state.askedMs, state.aliveMs) + timeoutMs - at
    return [state, [leftMs <= EARLY_MS ? { type: 'dead' } : { type: 'arm', delayMs: leftMs }]]
  }
  if (state.calls === 0) return [state, [{ type: 'disarm' }]]
  const leftMs = pingDueMs(state, intervalMs) - at
  if (leftMs <= EARLY_MS) {
    const asked: KeepAliveState = { ...state, pings: state.pings + 1, askedMs: at }
    return [asked, [{ type: 'ping' }, { type: 'arm', delayMs: timeoutMs }]]
  }
  // Data may come meanwhile, and bring the next PING nearer.
  return [state, [{ type: 'arm', delayMs: Math.min(leftMs, intervalMs) }]]
}

function pingDueMs(state: KeepAliveState, intervalMs: number): number {
  const { aliveMs, readSinceMs, policy } = state
  const atInterval = state.pings < MAX_PINGS && state.calls > state.held
  return atInterval
    ? Math.max(aliveMs, readSinceMs) + intervalMs
    : aliveMs + Math.max(intervalMs, policy.quietIntervalMs)
}

/** The policy for a server that said it had too many PINGs (GOAWAY with ENHANCE_YOUR_CALM): twice as long intervals. */
export function slowerKeepAlive(policy: KeepAlivePolicy): KeepAlivePolicy {
  const { intervalMs, quietIntervalMs } = policy
  if (intervalMs === undefined) return policy
  return {
    ...policy,
    intervalMs: Math.min(SLOWEST_MS, intervalMs * 2),
    quietIntervalMs: Math.min(SLOWEST_MS, Math.max(intervalMs, quietIntervalMs) * 2),
  }
}
