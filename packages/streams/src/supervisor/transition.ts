/**
 * The supervisor: what keeps a stream alive, decides when to try again and when to stop, as a pure function.
 *
 * Late events are ignored on purpose: a connection that was abandoned may still speak, and its session number tells
 * it apart. Nothing leaves the phase `ended`.
 */
import { unreachable } from '@brokerwire/core'
import { lateMs, learnRhythm, lookAgainMs, silenceMs } from './delays.ts'
import type {
  FrameClass,
  SupervisorEffect,
  SupervisorEvent,
  SupervisorState,
  SupervisorTimer,
} from './machine-types.ts'
import type { SupervisorPolicy } from './policy.ts'
import { classifyStatus, refusesCursor } from './status.ts'
import {
  armLiveness,
  authFailed,
  end,
  goLive,
  leaveSession,
  memoryOf,
  NOTHING_REMEMBERED,
  open,
  reconnect,
  type Step,
  stay,
  waitForSlot,
} from './steps.ts'

type EventOf<T extends SupervisorEvent['type']> = Extract<SupervisorEvent, { readonly type: T }>
type LiveState = Extract<SupervisorState, { readonly phase: 'live' }>

/** The state before anything happened. */
export function initialSupervisorState(policy: SupervisorPolicy): SupervisorState {
  return { ...NOTHING_REMEMBERED, policy, phase: 'idle' }
}

/**
 * One step.
 *
 * @returns The next state, and what the runner has to do, in order.
 *
 * @example
 * ```ts
 * import { initialSupervisorState, readPolicy, supervisorTransition } from '@brokerwire/streams'
 *
 * const idle = initialSupervisorState(readPolicy())
 * const [state, effects] = supervisorTransition(idle, { type: 'start', at: Date.now(), draw: Math.random() })
 * console.log(state.phase, effects)
 * ```
 */
export function supervisorTransition(state: SupervisorState, event: SupervisorEvent): Step {
  if (state.phase === 'ended') return stay(state)
  if ('session' in event && event.session !== state.session) return stay(state)
  switch (event.type) {
    case 'start':
      return state.phase === 'idle' ? open(memoryOf(state)) : stay(state)
    case 'stop':
      return end(state, { kind: 'stopped' })
    case 'sent':
      return state.phase === 'opening'
        ? [{ ...state, tokenSent: event.tokenSent, cursorSent: event.cursorSent }, []]
        : stay(state)
    case 'frame':
      return state.phase === 'opening' || state.phase === 'live' ? onFrame(state, event) : stay(state)
    case 'frames':
      return state.phase === 'live' ? onFrames(state, event) : stay(state)
    case 'ended':
      if (state.phase === 'live') return reconnect(state, event, { reason: 'ended' })
      if (state.phase === 'opening') {
        return reconnect(state, event, { reason: 'ended-before-subscribed', hold: true })
      }
      return stay(state)
    case 'failed':
      return state.phase === 'opening' || state.phase === 'live' ? onFailed(state, event) : stay(state)
    case 'not-sent':
      if (state.phase !== 'opening') return stay(state)
      return event.retryable
        ? reconnect(state, event, { reason: 'access-token', hold: true })
        : end(state, { kind: 'not-sent', step: event.step, cause: event.cause })
    case 'full':
      return onFull(state)
    case 'drained':
      return onDrained(state)
    case 'recovered':
      if (state.phase !== 'recovering') return stay(state)
      return event.retry ? retryAuth(state, event, event.cause) : rejectAuth(state)
    case 'timer':
      return onTimer(state, event, event.timer)
    default:
      return unreachable(event)
  }
}

function onFrame(state: SupervisorState, event: EventOf<'frame'>): Step {
  switch (event.frame) {
    case 'auth-error':
      return authFailed(state, event, { signal: 'auth-error', serverMs: event.serverMs })
    case 'connection-limit':
      return waitForSlot(state, event, event.recentDropMs)
    case 'expired':
      return reconnect(state, event, { reason: 'expired' })
    case 'subscribed':
      return state.phase === 'live'
        ? onSignOfLife(state, event)
        : goLive(state, event, { implied: false, connectionId: event.connectionId })
    case 'event':
      return state.phase === 'live' ? onSignOfLife(state, event) : goLive(state, event, { implied: true })
    case 'ping':
      return state.phase === 'live' ? onPings(state, event, 1, event.serverMs) : stay(state)
    case 'unknown':
      return state.phase === 'live' ? onSignOfLife(state, event) : stay(state)
    default:
      return unreachable(event.frame)
  }
}

/** Whether a frame may change more than when the connection was last heard of: such a one is an event by itself. */
export function steers(state: SupervisorState, frame: FrameClass): boolean {
  switch (frame) {
    case 'ping':
    case 'unknown':
      return false
    case 'event':
    case 'subscribed':
      return state.phase !== 'live'
    default:
      return true
  }
}

function onFrames(state: LiveState, event: EventOf<'frames'>): Step {
  return event.pings > 0 ? onPings(state, event, event.pings, event.lastPingMs) : onSignOfLife(state, event)
}

/** Any frame shows that the connection lives. The timer is left alone: it looks at `seen` when it fires. */
function onSignOfLife(state: SupervisorState, event: SupervisorEvent): Step {
  if (state.phase !== 'live') return stay(state)
  const next: LiveState = { ...state, lastSeenMs: event.at, seen: true, late: false }
  if (!state.late || state.paused) return [next, []]
  return [{ ...next, seen: false, quietMs: 0 }, [armLiveness(next)]]
}

/** The rhythm is read from the frames' own timestamps where they have one: a slow reader does not disturb it. */
function onPings(
  state: LiveState,
  event: SupervisorEvent,
  pings: number,
  serverMs: number | undefined,
): Step {
  const pingMs = serverMs ?? event.at
  const pingIntervalMs =
    state.lastPingMs === undefined
      ? state.pingIntervalMs
      : learnRhythm(state.policy, state.pingIntervalMs, (pingMs - state.lastPingMs) / pings)
  const next: LiveState = {
    ...state,
    pingIntervalMs,
    lastPingMs: pingMs,
    lastSeenMs: event.at,
    seen: false,
    quietMs: 0,
    late: false,
  }
  return [next, state.paused ? [] : [armLiveness(next)]]
}

function onFailed(state: SupervisorState, event: EventOf<'failed'>): Step {
  const { status, serverMessage, host, systemCode } = event
  const told = { status, message: serverMessage, host, systemCode }
  if (state.phase === 'opening' && state.cursorSent && refusesCursor(status)) {
    if (state.policy.onCursorRejected === 'fail') {
      return end(state, { kind: 'cursor-rejected', status, serverMessage })
    }
    const [next, effects] = reconnect(state, event, {
      ...told,
      reason: 'cursor-rejected',
      change: { cursorRejected: true },
    })
    return [next, [{ type: 'forget-cursors' }, ...effects]]
  }
  const meaning = classifyStatus(status)
  switch (meaning) {
    case 'auth':
      return authFailed(state, event, { signal: 'status', status })
    case 'request':
      if (state.phase === 'opening') return end(state, { kind: 'refused', status, serverMessage })
      return reconnect(state, event, { ...told, reason: 'status', hold: true })
    case 'hold':
      return reconnect(state, event, { ...told, reason: 'status', hold: true })
    case 'retry':
      return reconnect(state, event, { ...told, reason: 'status' })
    default:
      return unreachable(meaning)
  }
}

/** Nobody reads, so silence says nothing: HTTP/2 PING decides meanwhile. */
function onFull(state: SupervisorState): Step {
  if (state.paused) return stay(state)
  if (state.phase === 'live') return [{ ...state, paused: true }, [{ type: 'disarm', timer: 'liveness' }]]
  if (state.phase === 'opening') return [{ ...state, paused: true }, [{ type: 'disarm', timer: 'subscribe' }]]
  return stay(state)
}

function onDrained(state: SupervisorState): Step {
  if (!state.paused) return stay(state)
  if (state.phase === 'live')
    return [{ ...state, paused: false, seen: false, quietMs: 0, late: false }, [armLiveness(state)]]
  if (state.phase === 'opening') {
    return [
      { ...state, paused: false },
      [{ type: 'arm', timer: 'subscribe', delayMs: state.policy.subscribeTimeoutMs }],
    ]
  }
  return stay(state)
}

type RecoveringState = Extract<SupervisorState, { readonly phase: 'recovering' }>

function retryAuth(state: RecoveringState, event: SupervisorEvent, authCause: unknown): Step {
  return reconnect(state, event, {
    reason: 'auth-error',
    status: state.status,
    delayMs: 0,
    change: { authRetried: true, authCause },
  })
}

function rejectAuth(state: RecoveringState): Step {
  const { signal, status, mode } = state
  return end(state, { kind: 'auth-rejected', signal, status, tokenSent: mode === 'token' })
}

function onTimer(state: SupervisorState, event: SupervisorEvent, timer: SupervisorTimer): Step {
  switch (timer) {
    case 'retry':
      return state.phase === 'waiting' ? open(memoryOf(state)) : stay(state)
    case 'subscribe':
      return state.phase === 'opening' && !state.paused
        ? reconnect(state, event, { reason: 'subscribe-timeout' })
        : stay(state)
    case 'liveness':
      return state.phase === 'live' && !state.paused ? onSilence(state, event) : stay(state)
    case 'stable':
      return state.phase === 'live'
        ? [{ ...state, failures: 0, authRetried: false, limitWaits: 0 }, []]
        : stay(state)
    case 'reconcile':
      if (state.phase !== 'live') return stay(state)
      return [
        state,
        [
          { type: 'arm', timer: 'reconcile', delayMs: state.policy.reconcileIntervalMs },
          { type: 'reconcile', cause: 'timer' },
        ],
      ]
    case 'recover':
      if (state.phase !== 'recovering') return stay(state)
      return state.mode === 'clock' ? retryAuth(state, event, undefined) : rejectAuth(state)
    case 'give-up':
      if (state.phase === 'live' || state.phase === 'idle') return stay(state)
      return end(
        { ...leaveSession(state, event), phase: 'waiting' },
        { kind: 'gave-up', limit: 'elapsed', attempts: state.failures, reason: state.lastReason },
      )
    default:
      return unreachable(timer)
  }
}

/** First late, with a notice; then lost. */
function onSilence(state: LiveState, event: SupervisorEvent): Step {
  const { policy, pingIntervalMs } = state
  const passedMs = lookAgainMs(policy, pingIntervalMs, state.quietMs)
  // Where a frame came meanwhile, it may have come right at the beginning.
  const quietMs = state.seen ? passedMs : state.quietMs + passedMs
  const limitMs = silenceMs(policy, pingIntervalMs)
  if (quietMs >= limitMs) return reconnect(state, event, { reason: 'heartbeat-lost' })
  const late = quietMs >= lateMs(policy, pingIntervalMs)
  const effects: SupervisorEffect[] = [armLiveness(state, quietMs)]
  if (late && !state.late) {
    const notice = { type: 'notice', kind: 'heartbeat-late', atMs: event.at, quietMs, limitMs } as const
    effects.unshift({ type: 'notify', notice })
  }
  return [{ ...state, seen: false, quietMs, late }, effects]
}
