/**
 * The state machine of one MQTT connection with its subscriptions, as a pure function.
 *
 * Late events are ignored on purpose: a closed connection may still send events, which have the number of an old attempt.
 * The phase `ended` is final.
 *
 * Its shape, its backoff and its connection limit (core) are those of the supervisor of the event streams.
 * The rest differs: HTTP calls confirm subscriptions, one session has many subscriptions, there is no
 * backpressure, and the broker responds to PINGs.
 */
import { nextRetry, unreachable } from '@brokerwire/core/internal'
import { isSame } from '../selection/desired-subscriptions.ts'
import { connackName, connackPolicy } from './connack.ts'
import type {
  ConnectionEffect,
  ConnectionEvent,
  ConnectionState,
  ConnectionTimer,
  LiveState,
} from './machine-types.ts'
import type { QuotesPolicy } from './policy.ts'
import {
  backOffConnectionLimit,
  end,
  goIdle,
  INITIAL_MEMORY,
  noChange,
  pickMemory,
  type Reconnect,
  reconnect,
  type Step,
  startAttempt,
} from './steps.ts'
import { advance, onDesiredChanged, onResponse, onResubscribe, retryCall } from './subscribing.ts'

type EventOf<T extends ConnectionEvent['type']> = Extract<ConnectionEvent, { readonly type: T }>

/** The state without desired subscriptions. */
export function initialConnectionState(
  policy: QuotesPolicy,
  connection: number,
  maxSymbols: number,
): ConnectionState {
  return { ...INITIAL_MEMORY, policy, connection, maxSymbols, phase: 'idle' }
}

/** The transition function. @returns The next state, and the effects in order. */
export function connectionTransition(state: ConnectionState, event: ConnectionEvent): Step {
  if (state.phase === 'ended') return noChange(state)
  if ('attempt' in event && event.attempt !== state.attempt) return noChange(state)
  switch (event.type) {
    case 'set-desired':
      return onDesired(state, event)
    case 'stop':
      return end(state, { kind: 'stopped' })
    case 'connack':
      return state.phase === 'opening' ? onConnack(state, event) : noChange(state)
    case 'traffic':
      return state.phase === 'live' ? onTraffic(state, event) : noChange(state)
    case 'closed':
      if (state.phase !== 'live' && state.phase !== 'opening') return noChange(state)
      return onClosed(state, event)
    case 'response':
      return state.phase === 'live' ? onResponse(state, event) : noChange(state)
    case 'timer':
      return onTimer(state, event, event.timer)
    default:
      return unreachable(event)
  }
}

function onDesired(state: ConnectionState, event: EventOf<'set-desired'>): Step {
  const { desired } = event
  if (isSame(state.desired, desired)) return noChange(state)
  const lost = new Map([...state.lost, ...(event.lost ?? [])].filter(([key]) => desired.has(key)))
  const next: ConnectionState = { ...state, desired, lost }
  if (desired.size === 0) {
    // A running backoff continues. Without it, new subscriptions would open a connection at once.
    return next.phase === 'waiting' || next.phase === 'idle' ? noChange(next) : goIdle(next)
  }
  switch (next.phase) {
    case 'idle':
      return startAttempt(pickMemory(next))
    case 'live':
      return onDesiredChanged(next, event)
    default:
      return noChange(next)
  }
}

function onConnack(state: ConnectionState, event: EventOf<'connack'>): Step {
  const { code } = event
  const { policy } = state
  const action = connackPolicy(code, policy.retryCodes)
  switch (action) {
    case 'accept':
      return goLive(state, event)
    case 'slot':
      return backOffConnectionLimit(state, event, code, event.recentDropMs)
    case 'retry':
      return reconnect(state, event, { reason: 'refused', connackCode: code, backOff: true })
    case 'retry-few':
    case 'credentials':
    case 'client':
      return onConnackRejection(state, event, action)
    default:
      return unreachable(action)
  }
}

/**
 * Handles a refusal, which is final. If the broker accepted the connection before, a few retries come first,
 * because the service may be restarting.
 */
function onConnackRejection(
  state: ConnectionState,
  event: EventOf<'connack'>,
  action: 'retry-few' | 'credentials' | 'client',
): Step {
  const { code } = event
  const { policy } = state
  const connackRejections = state.connackRejections + 1
  const again: Reconnect = {
    reason: 'refused',
    connackCode: code,
    backOff: true,
    change: { connackRejections },
  }
  const retry = state.wasAccepted ? nextRetry(state.connackRejections, event.random) : undefined
  if (retry !== undefined) return reconnect(state, event, { ...again, ...retry })
  if (action === 'retry-few' && connackRejections < policy.unauthorizedAttempts)
    return reconnect(state, event, again)
  const name = connackName(code)
  return action === 'client'
    ? end(state, { kind: 'refused', connackCode: code, connackName: name })
    : end(state, { kind: 'auth-rejected', signal: 'connack', status: code, code: name })
}

function goLive(state: ConnectionState, event: ConnectionEvent): Step {
  const { policy } = state
  const live: LiveState = {
    ...pickMemory(state),
    connackRejections: 0,
    wasAccepted: true,
    phase: 'live',
    acceptedAtMs: event.at,
    lastActivityMs: event.at,
    confirmed: new Map(),
    queue: [],
    pending: undefined,
    deferred: [],
    subscribedReported: false,
    packetSeen: false,
    pingSent: false,
    dataSeen: false,
    idleMs: 0,
  }
  const timers: ConnectionEffect[] = [
    { type: 'clear-timer', timer: 'connect' },
    { type: 'start-timer', timer: 'liveness', delayMs: policy.pingIntervalMs },
    { type: 'start-timer', timer: 'stable', delayMs: policy.stableAfterMs },
    { type: 'start-timer', timer: 'stall', delayMs: policy.stallTimeoutMs },
  ]
  if (policy.resubscribeIntervalMs !== undefined)
    timers.push({ type: 'start-timer', timer: 'resubscribe', delayMs: policy.resubscribeIntervalMs })
  const [next, effects] = advance(live, event)
  return [next, [...timers, ...effects]]
}

/**
 * Records activity: any packet counts. Timers are not restarted, because they check the flags when they fire.
 */
function onTraffic(state: LiveState, event: EventOf<'traffic'>): Step {
  const data = event.data || state.dataSeen
  return [{ ...state, lastActivityMs: event.at, packetSeen: true, dataSeen: data }, []]
}

function onClosed(state: ConnectionState, event: EventOf<'closed'>): Step {
  const { systemCode, message, fault } = event
  return reconnect(state, event, {
    reason: fault === undefined ? 'disconnected' : 'malformed',
    fault,
    systemCode,
    message,
    isConnectionGone: true,
    // If the broker closed the connection before CONNACK, it rejected the connection.
    backOff: state.phase === 'opening' && systemCode === undefined,
  })
}

function onTimer(state: ConnectionState, event: ConnectionEvent, timer: ConnectionTimer): Step {
  switch (timer) {
    case 'connect':
      if (state.phase !== 'opening') return noChange(state)
      return reconnect(state, event, { reason: 'connect-timeout', backOff: true })
    case 'retry':
      if (state.phase !== 'waiting') return noChange(state)
      return state.desired.size === 0 ? goIdle(state) : startAttempt(pickMemory(state))
    case 'liveness':
      return state.phase === 'live' ? onLiveness(state, event) : noChange(state)
    case 'stall':
      return state.phase === 'live' ? onStall(state, event) : noChange(state)
    case 'call':
      return state.phase === 'live' ? retryCall(state, event) : noChange(state)
    case 'resubscribe':
      return state.phase === 'live' ? onResubscribe(state, event) : noChange(state)
    case 'stable':
      return state.phase === 'live' ? [{ ...state, failures: 0, limitWaits: 0 }, []] : noChange(state)
    default:
      return unreachable(timer)
  }
}

/**
 * Sends a PING, and checks after `pongTimeoutMs` whether any packet was received. It uses timers instead of
 * the clock, because clocks jump.
 */
function onLiveness(state: LiveState, event: ConnectionEvent): Step {
  const { policy, attempt } = state
  if (!state.pingSent) {
    return [
      { ...state, pingSent: true, packetSeen: false },
      [
        { type: 'ping', attempt },
        { type: 'start-timer', timer: 'liveness', delayMs: policy.pongTimeoutMs },
      ],
    ]
  }
  // The connection is closed with DISCONNECT, which frees its slot if the broker still receives it.
  if (!state.packetSeen) return reconnect(state, event, { reason: 'heartbeat-lost' })
  const delayMs = Math.max(1, policy.pingIntervalMs - policy.pongTimeoutMs)
  return [
    { ...state, pingSent: false, packetSeen: false },
    [{ type: 'start-timer', timer: 'liveness', delayMs }],
  ]
}

function onStall(state: LiveState, event: ConnectionEvent): Step {
  const { policy, connection, confirmed } = state
  const again: ConnectionEffect = { type: 'start-timer', timer: 'stall', delayMs: policy.stallTimeoutMs }
  if (state.dataSeen || confirmed.size === 0) return [{ ...state, dataSeen: false, idleMs: 0 }, [again]]
  const idleMs = state.idleMs + policy.stallTimeoutMs
  if (state.idleMs > 0) return [{ ...state, idleMs }, [again]]
  const notice = {
    type: 'notice',
    kind: 'stalled',
    atMs: event.at,
    connection,
    idleMs,
    symbols: confirmed.size,
  } as const
  return [{ ...state, idleMs }, [again, { type: 'notify', notice }]]
}
