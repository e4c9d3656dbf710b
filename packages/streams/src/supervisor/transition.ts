/**
 * The supervisor's state machine, a pure function. It detects lost connections, and decides when to reconnect and when to end.
 *
 * Late events are ignored on purpose: a cancelled call may still deliver events, which have the number of an
 * earlier attempt. The phase `ended` is final.
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
import { heartbeatTimeoutMs, lateHeartbeatMs, type SupervisorPolicy, updatePingInterval } from './policy.ts'
import { CURSOR_STATUSES, isSubscriptionTaken, ONLY_CURSOR_STATUSES, OVERLOAD_STATUSES } from './status.ts'
import {
  authFailed,
  authRejected,
  backOffConnectionLimit,
  end,
  enterLive,
  INITIAL_MEMORY,
  memoryAfterAttempt,
  nextCheckDelayMs,
  noChange,
  open,
  reconnect,
  retryRefused,
  type Step,
  startLivenessTimer,
  subscriptionTaken,
} from './steps.ts'

type EventOf<T> = Extract<SupervisorEvent, { readonly type: T }>
type StateOf<P> = Extract<SupervisorState, { readonly phase: P }>
type LiveState = StateOf<'live'>
/** The name of a handler: the type of an event, or the name of a timer. */
type Name = Exclude<SupervisorEvent['type'], 'start' | 'stop' | 'timer'> | SupervisorTimer
type Handler<S, N> = (state: S, event: N extends SupervisorTimer ? EventOf<'timer'> : EventOf<N>) => Step
type Handlers = {
  readonly [P in SupervisorState['phase']]: { readonly [N in Name]?: Handler<StateOf<P>, N> }
}

/**
 * Returns the state before the event `start`.
 *
 * @example
 * ```ts
 * import { initialSupervisorState, readPolicy } from '@brokerwire/streams'
 *
 * console.log(initialSupervisorState(readPolicy()).phase) // idle
 * ```
 */
export function initialSupervisorState(policy: SupervisorPolicy): SupervisorState {
  return { ...INITIAL_MEMORY, policy, phase: 'idle' }
}

/**
 * Handles one event.
 *
 * @returns The next state, and the effects to perform, in order.
 *
 * @example
 * ```ts
 * import { initialSupervisorState, readPolicy, supervisorTransition } from '@brokerwire/streams'
 *
 * const idle = initialSupervisorState(readPolicy())
 * const [state, effects] = supervisorTransition(idle, { type: 'start', at: Date.now(), random: Math.random() })
 * console.log(state.phase, effects)
 * ```
 */
export function supervisorTransition(state: SupervisorState, event: SupervisorEvent): Step {
  if ('attempt' in event && event.attempt !== state.attempt) return noChange(state)
  if (event.type === 'start') return state.phase === 'idle' ? open(state) : noChange(state)
  if (event.type === 'stop')
    return state.phase === 'ended' ? noChange(state) : end(state, { kind: 'stopped' })
  const name = event.type === 'timer' ? event.timer : event.type
  const handler = HANDLERS[state.phase][name] as Handler<SupervisorState, unknown> | undefined
  return handler?.(state, event as never) ?? noChange(state)
}

/** The handlers of each phase. An event without a handler is late or has no meaning in that phase. */
const HANDLERS: Handlers = {
  idle: {},
  opening: {
    sent: (state, { tokenSent, cursorSent }) => [{ ...state, tokenSent, cursorSent }, []],
    frame: onFrame,
    ended: (state, event) =>
      reconnect(state, event, { reason: 'ended-before-subscribed', alwaysDelay: true }),
    failed: onFailed,
    'not-sent': onNotSent,
    // While reading is paused, missing frames prove nothing. HTTP/2 PINGs detect a lost connection.
    pause: (state) => [{ ...state, paused: true }, [{ type: 'clear-timer', timer: 'subscribe' }]],
    resume(state) {
      const { subscribeTimeoutMs: delayMs } = state.policy
      if (!state.paused) return noChange(state)
      return [{ ...state, paused: false }, [{ type: 'start-timer', timer: 'subscribe', delayMs }]]
    },
    subscribe: (state, event) =>
      state.paused ? noChange(state) : reconnect(state, event, { reason: 'subscribe-timeout' }),
    'give-up': giveUp,
  },
  live: {
    frame: onFrame,
    frames: (state, event) => (event.pings > 0 ? onPings(state, event) : onActivity(state)),
    ended: (state, event) => reconnect(state, event, { reason: 'ended' }),
    failed: onFailed,
    pause: (state) => [{ ...state, paused: true }, [{ type: 'clear-timer', timer: 'liveness' }]],
    resume: (state) =>
      state.paused
        ? [
            { ...state, paused: false, hasActivity: false, idleMs: 0, heartbeatOverdue: false },
            [startLivenessTimer(state)],
          ]
        : noChange(state),
    liveness: (state, event) => (state.paused ? noChange(state) : onIdle(state, event)),
    stable: (state) => [
      { ...state, failures: 0, authRetried: false, retries: 0, tokenWithheld: false, limitWaits: 0 },
      [],
    ],
    backfill: (state) => [
      state,
      [
        { type: 'start-timer', timer: 'backfill', delayMs: state.policy.backfillIntervalMs },
        { type: 'backfill', cause: 'timer' },
      ],
    ],
  },
  waiting: {
    retry: (state) => open(state),
    'contender-live': (state, { heldBy }) =>
      state.subscriptionTaken ? end(state, { kind: 'subscription-conflict', heldBy }) : noChange(state),
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
  const { frame, serverTimeMs } = event
  switch (frame) {
    case 'auth-error':
      return authFailed(state, event, { signal: 'auth-error', serverTimeMs })
    case 'connection-limit':
      return backOffConnectionLimit(state, event, event.recentDropMs)
    case 'expired':
      return reconnect(state, event, { reason: 'expired' })
    case 'subscribed':
    case 'event':
      return state.phase === 'live' ? onActivity(state) : enterLive(state, event)
    case 'ping':
      if (state.phase !== 'live') return noChange(state)
      return onPings(state, { ...event, type: 'frames', pings: 1, lastPingMs: serverTimeMs })
    case 'unknown':
      return state.phase === 'live' ? onActivity(state) : noChange(state)
    default:
      return unreachable(frame)
  }
}

/** Whether a frame may change the phase. Such a frame is a separate event of the machine. */
export function mayChangePhase(phase: SupervisorState['phase'], frame: FrameClass): boolean {
  if (frame === 'ping' || frame === 'unknown') return false
  return phase !== 'live' || (frame !== 'event' && frame !== 'subscribed')
}

/** Records that a frame was received. The timer is not restarted: it reads `hasActivity` when it fires. */
function onActivity(state: LiveState): Step {
  const next: LiveState = { ...state, hasActivity: true, heartbeatOverdue: false }
  if (!state.heartbeatOverdue || state.paused) return [next, []]
  return [{ ...next, hasActivity: false, idleMs: 0 }, [startLivenessTimer(next)]]
}

/** Measures the ping interval, by the frames' own timestamps if they have some, so that a slow consumer does not distort it. */
function onPings(state: LiveState, { at, pings, lastPingMs }: EventOf<'frames'>): Step {
  const pingMs = lastPingMs ?? at
  const pingIntervalMs =
    state.lastPingMs === undefined
      ? state.pingIntervalMs
      : updatePingInterval(state.policy, state.pingIntervalMs, (pingMs - state.lastPingMs) / pings)
  const activity = { lastPingMs: pingMs, hasActivity: false, idleMs: 0, heartbeatOverdue: false }
  const next: LiveState = { ...state, pingIntervalMs, ...activity }
  return [next, state.paused ? [] : [startLivenessTimer(next)]]
}

/**
 * Handles a failure of a function of the caller. Only a failure of the token provider is retried, because
 * only the provider depends on the service.
 */
function onNotSent(state: StateOf<'opening'>, event: EventOf<'not-sent'>): Step {
  const { step, retryable, cause } = event
  if (retryable) return reconnect(state, event, { reason: 'access-token', alwaysDelay: true })
  const retry = step === 'access-token' ? retryRefused(state, event, { reason: 'access-token' }) : undefined
  return retry ?? end(state, { kind: 'not-sent', step, cause })
}

function onFailed(state: StateOf<'opening'> | LiveState, event: EventOf<'failed'>): Step {
  const { status, serverMessage } = event
  if (isSubscriptionTaken(status, serverMessage)) return subscriptionTaken(state, event)
  if (isCredentialStatus(status)) return authFailed(state, event, { signal: 'status', failure: event })
  const failureClass = classifyFailure({ status, workedBefore: state.wasLive })
  if (failureClass === 'transient') {
    const alwaysDelay = OVERLOAD_STATUSES.has(status)
    return reconnect(state, event, { failure: event, reason: 'status', alwaysDelay })
  }
  const isCursor = state.phase === 'opening' && state.cursorSent && CURSOR_STATUSES.has(status)
  if (failureClass === 'unknown' && !(isCursor && ONLY_CURSOR_STATUSES.has(status))) {
    const retry = retryRefused(state, event, { failure: event, reason: 'status' })
    if (retry !== undefined) return retry
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

function onRecovered(state: StateOf<'recovering'>, event: SupervisorEvent, recovery: Recovery): Step {
  const { signal, failure } = state
  if (state.authRetried)
    return authRejected(state, event, { signal, failure, cause: recovery.cause ?? state.authCause })
  if (!recovery.retry) {
    if (recovery.retryLater === true)
      return reconnect(state, event, { reason: 'access-token', failure, alwaysDelay: true })
    return authRejected(state, event, { signal, failure, cause: recovery.cause })
  }
  return reconnect(state, event, {
    reason: 'auth-error',
    failure,
    delayMs: 0,
    change: { authRetried: true, authCause: recovery.cause },
  })
}

function giveUp(state: SupervisorState, event: SupervisorEvent): Step {
  // In the phase `recovering`, the attempt has failed and is not counted yet.
  const attempts = state.failures + (state.phase === 'recovering' ? 1 : 0)
  return end(
    { ...memoryAfterAttempt(state, event), phase: 'waiting' },
    { kind: 'gave-up', limit: 'elapsed', attempts, reason: state.lastReason },
  )
}

/**
 * Handles the liveness timer: sends the notice `heartbeat-late` when it is due, and replaces the connection
 * at the timeout.
 */
function onIdle(state: LiveState, event: SupervisorEvent): Step {
  const { policy, pingIntervalMs } = state
  const elapsedMs = nextCheckDelayMs(state, state.idleMs)
  // A frame since the last check may have been received right after that check.
  const idleMs = state.hasActivity ? elapsedMs : state.idleMs + elapsedMs
  const timeoutMs = heartbeatTimeoutMs(policy, pingIntervalMs)
  // The service may have changed the interval, so it is measured again.
  const change = { pingIntervalMs: undefined }
  if (idleMs >= timeoutMs) return reconnect(state, event, { reason: 'heartbeat-lost', change })
  const heartbeatOverdue = idleMs >= lateHeartbeatMs(policy, pingIntervalMs)
  const effects: SupervisorEffect[] = [startLivenessTimer(state, idleMs)]
  if (heartbeatOverdue && !state.heartbeatOverdue) {
    const notice = { type: 'notice', kind: 'heartbeat-late', atMs: event.at, idleMs, timeoutMs } as const
    effects.unshift({ type: 'notify', notice })
  }
  return [{ ...state, hasActivity: false, idleMs, heartbeatOverdue }, effects]
}
