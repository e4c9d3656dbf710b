/**
 * The supervisor: what keeps a stream alive, decides when to try again and when to stop, as a pure function.
 *
 * Late events are ignored on purpose: a connection that was abandoned may still speak, and its session number tells
 * it apart. Nothing leaves the phase `ended`.
 */
import { classifyFailure, isCredentialStatus, unreachable } from '@brokerwire/core/internal'
import type { FrameClass } from '../items/frame-class.ts'
import type {
  Recovery,
  SupervisorEffect,
  SupervisorEvent,
  SupervisorState,
  SupervisorTimer,
} from './machine-types.ts'
import { heartbeatTimeoutMs, lateMs, learnRhythm, type SupervisorPolicy } from './policy.ts'
import { CURSOR_STATUSES, isSubscriptionTaken, ONLY_CURSOR_STATUSES, OVERLOAD_STATUSES } from './status.ts'
import {
  armLiveness,
  authFailed,
  authRejected,
  end,
  goLive,
  leaveSession,
  lookAgainMs,
  NOTHING_REMEMBERED,
  open,
  reconnect,
  retryRefused,
  type Step,
  stay,
  subscriptionTaken,
  waitForSlot,
} from './steps.ts'

type EventOf<T> = Extract<SupervisorEvent, { readonly type: T }>
type StateOf<P> = Extract<SupervisorState, { readonly phase: P }>
type LiveState = StateOf<'live'>
/** A timer that fires is an event under its own name. */
type Name = Exclude<SupervisorEvent['type'], 'start' | 'stop' | 'timer'> | SupervisorTimer
type Move<S, N> = (state: S, event: N extends SupervisorTimer ? EventOf<'timer'> : EventOf<N>) => Step
type Moves = {
  readonly [P in SupervisorState['phase']]: { readonly [N in Name]?: Move<StateOf<P>, N> }
}

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
  if ('session' in event && event.session !== state.session) return stay(state)
  if (event.type === 'start') return state.phase === 'idle' ? open(state) : stay(state)
  if (event.type === 'stop') return state.phase === 'ended' ? stay(state) : end(state, { kind: 'stopped' })
  const name = event.type === 'timer' ? event.timer : event.type
  const move = MOVES[state.phase][name] as Move<SupervisorState, unknown> | undefined
  return move?.(state, event as never) ?? stay(state)
}

/** What each phase answers. What is not here comes too late, or says nothing there. */
const MOVES: Moves = {
  idle: {},
  opening: {
    sent: (state, { tokenSent, cursorSent }) => [{ ...state, tokenSent, cursorSent }, []],
    frame: onFrame,
    ended: (state, event) => reconnect(state, event, { reason: 'ended-before-subscribed', notAtOnce: true }),
    failed: onFailed,
    'not-sent': onNotSent,
    // Nobody reads, so silence says nothing: HTTP/2 PING decides meanwhile.
    pause: (state) => [{ ...state, paused: true }, [{ type: 'disarm', timer: 'subscribe' }]],
    resume(state) {
      const { subscribeTimeoutMs: delayMs } = state.policy
      if (!state.paused) return stay(state)
      return [{ ...state, paused: false }, [{ type: 'arm', timer: 'subscribe', delayMs }]]
    },
    subscribe: (state, event) =>
      state.paused ? stay(state) : reconnect(state, event, { reason: 'subscribe-timeout' }),
    'give-up': giveUp,
  },
  live: {
    frame: onFrame,
    frames: (state, event) => (event.pings > 0 ? onPings(state, event) : onSignOfLife(state)),
    ended: (state, event) => reconnect(state, event, { reason: 'ended' }),
    failed: onFailed,
    pause: (state) => [{ ...state, paused: true }, [{ type: 'disarm', timer: 'liveness' }]],
    resume: (state) =>
      state.paused
        ? [{ ...state, paused: false, seen: false, quietMs: 0, late: false }, [armLiveness(state)]]
        : stay(state),
    liveness: (state, event) => (state.paused ? stay(state) : onSilence(state, event)),
    stable: (state) => [
      { ...state, failures: 0, authRetried: false, retries: 0, tokenWithheld: false, limitWaits: 0 },
      [],
    ],
    backfill: (state) => [
      state,
      [
        { type: 'arm', timer: 'backfill', delayMs: state.policy.backfillIntervalMs },
        { type: 'backfill', cause: 'timer' },
      ],
    ],
  },
  waiting: {
    retry: (state) => open(state),
    taken: (state, { heldBy }) =>
      state.subscriptionTaken ? end(state, { kind: 'subscription-conflict', heldBy }) : stay(state),
    'give-up': giveUp,
  },
  recovering: {
    recovered: (state, event) => onRecovered(state, event, event),
    recover: (state, event) => onRecovered(state, event, { retry: state.mode === 'clock' }),
    'give-up': giveUp,
  },
  ended: {},
}

function onFrame(state: StateOf<'opening'> | LiveState, event: EventOf<'frame'>): Step {
  const { frame, serverMs } = event
  switch (frame) {
    case 'auth-error':
      return authFailed(state, event, { signal: 'auth-error', serverMs })
    case 'connection-limit':
      return waitForSlot(state, event, event.recentDropMs)
    case 'expired':
      return reconnect(state, event, { reason: 'expired' })
    case 'subscribed':
    case 'event':
      return state.phase === 'live' ? onSignOfLife(state) : goLive(state, event)
    case 'ping':
      if (state.phase !== 'live') return stay(state)
      return onPings(state, { ...event, type: 'frames', pings: 1, lastPingMs: serverMs })
    case 'unknown':
      return state.phase === 'live' ? onSignOfLife(state) : stay(state)
    default:
      return unreachable(frame)
  }
}

/** Whether a frame may change more than when the connection was last heard of: such a one is an event by itself. */
export function needsOwnStep(phase: SupervisorState['phase'], frame: FrameClass): boolean {
  if (frame === 'ping' || frame === 'unknown') return false
  return phase !== 'live' || (frame !== 'event' && frame !== 'subscribed')
}

/** Any frame shows that the connection lives. The timer is left alone: it looks at `seen` when it fires. */
function onSignOfLife(state: LiveState): Step {
  const next: LiveState = { ...state, seen: true, late: false }
  if (!state.late || state.paused) return [next, []]
  return [{ ...next, seen: false, quietMs: 0 }, [armLiveness(next)]]
}

/** The rhythm is read from the frames' own timestamps where they have one: a slow reader does not disturb it. */
function onPings(state: LiveState, { at, pings, lastPingMs }: EventOf<'frames'>): Step {
  const pingMs = lastPingMs ?? at
  const pingIntervalMs =
    state.lastPingMs === undefined
      ? state.pingIntervalMs
      : learnRhythm(state.policy, state.pingIntervalMs, (pingMs - state.lastPingMs) / pings)
  const heard = { lastPingMs: pingMs, seen: false, quietMs: 0, late: false }
  const next: LiveState = { ...state, pingIntervalMs, ...heard }
  return [next, state.paused ? [] : [armLiveness(next)]]
}

/** A hook of the caller failed. Only the one for the access token depends on the service. */
function onNotSent(state: StateOf<'opening'>, event: EventOf<'not-sent'>): Step {
  const { step, retryable, cause } = event
  if (retryable) return reconnect(state, event, { reason: 'access-token', notAtOnce: true })
  const again = step === 'access-token' ? retryRefused(state, event, { reason: 'access-token' }) : undefined
  return again ?? end(state, { kind: 'not-sent', step, cause })
}

function onFailed(state: StateOf<'opening'> | LiveState, event: EventOf<'failed'>): Step {
  const { status, serverMessage } = event
  if (isSubscriptionTaken(status, serverMessage)) return subscriptionTaken(state, event)
  if (isCredentialStatus(status)) return authFailed(state, event, { signal: 'status', failure: event })
  const failureClass = classifyFailure({ status, workedBefore: state.wasLive })
  if (failureClass === 'transient') {
    const notAtOnce = OVERLOAD_STATUSES.has(status)
    return reconnect(state, event, { failure: event, reason: 'status', notAtOnce })
  }
  const isCursor = state.phase === 'opening' && state.cursorSent && CURSOR_STATUSES.has(status)
  if (failureClass === 'unknown' && !(isCursor && ONLY_CURSOR_STATUSES.has(status))) {
    const again = retryRefused(state, event, { failure: event, reason: 'status' })
    if (again !== undefined) return again
  }
  return isCursor ? onCursorRejected(state, event) : end(state, { kind: 'refused', status, serverMessage })
}

function onCursorRejected(state: SupervisorState, event: EventOf<'failed'>): Step {
  const { status, serverMessage } = event
  if (state.policy.onCursorRejected === 'fail') {
    return end(state, { kind: 'cursor-rejected', status, serverMessage })
  }
  const change = { cursorRejected: true }
  const [next, effects] = reconnect(state, event, { failure: event, reason: 'cursor-rejected', change })
  return [next, [{ type: 'reset-cursors' }, ...effects]]
}

function onRecovered(state: StateOf<'recovering'>, event: SupervisorEvent, learned: Recovery): Step {
  const { signal, status } = state
  const failure = status && { status }
  if (!learned.retry) {
    if (learned.retryLater === true)
      return reconnect(state, event, { reason: 'access-token', failure, notAtOnce: true })
    return authRejected(state, event, { signal, failure, cause: learned.cause })
  }
  return reconnect(state, event, {
    reason: 'auth-error',
    failure,
    delayMs: 0,
    change: { authRetried: true, authCause: learned.cause },
  })
}

function giveUp(state: SupervisorState, event: SupervisorEvent): Step {
  return end(
    { ...leaveSession(state, event), phase: 'waiting' },
    { kind: 'gave-up', limit: 'elapsed', attempts: state.failures, reason: state.lastReason },
  )
}

/** First late, with a notice; then lost. */
function onSilence(state: LiveState, event: SupervisorEvent): Step {
  const { policy, pingIntervalMs } = state
  const passedMs = lookAgainMs(state, state.quietMs)
  // Where a frame came meanwhile, it may have come right at the beginning.
  const quietMs = state.seen ? passedMs : state.quietMs + passedMs
  const limitMs = heartbeatTimeoutMs(policy, pingIntervalMs)
  // The rhythm may be another one by now: it is learned anew.
  const change = { pingIntervalMs: undefined }
  if (quietMs >= limitMs) return reconnect(state, event, { reason: 'heartbeat-lost', change })
  const late = quietMs >= lateMs(policy, pingIntervalMs)
  const effects: SupervisorEffect[] = [armLiveness(state, quietMs)]
  if (late && !state.late) {
    const notice = { type: 'notice', kind: 'heartbeat-late', atMs: event.at, quietMs, limitMs } as const
    effects.unshift({ type: 'notify', notice })
  }
  return [{ ...state, seen: false, quietMs, late }, effects]
}
