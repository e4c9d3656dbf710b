/**
 * One MQTT connection with its subscriptions, as a pure function: when it is opened, what is asked for, when it is given up.
 *
 * Late events are ignored on purpose: a connection that was left may still speak, and its attempt's number tells it apart.
 * Nothing leaves the phase `ended`.
 *
 * Of the event streams' supervisor it shares the shape, the backoff and the wait for a slot (core). The rest differs: there,
 * a frame of the stream itself says that a subscription stands; here, HTTP calls that fail on their own do, one session
 * carries many subscriptions, nothing is ever held back for a slow reader, and PINGs are answered.
 */
import { nextRetry, unreachable } from '@brokerwire/core/internal'
import { isSame } from '../selection/wants.ts'
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
  end,
  memoryOf,
  NOTHING_REMEMBERED,
  open,
  reconnect,
  rest,
  type Step,
  stay,
  waitForSlot,
} from './steps.ts'
import { advance, onAnswer, onReassert, onWant, repeatCall } from './subscribing.ts'

type EventOf<T extends ConnectionEvent['type']> = Extract<ConnectionEvent, { readonly type: T }>

/** The state before anything is wanted. */
export function initialConnectionState(
  policy: QuotesPolicy,
  connection: number,
  maxSymbols: number,
): ConnectionState {
  return { ...NOTHING_REMEMBERED, policy, connection, maxSymbols, phase: 'idle' }
}

/** One step. @returns The next state, and what the runner has to do, in order. */
export function connectionTransition(state: ConnectionState, event: ConnectionEvent): Step {
  if (state.phase === 'ended') return stay(state)
  if ('attempt' in event && event.attempt !== state.attempt) return stay(state)
  switch (event.type) {
    case 'want':
      return onWanted(state, event)
    case 'stop':
      return end(state, { kind: 'stopped' })
    case 'connack':
      return state.phase === 'opening' ? onConnack(state, event) : stay(state)
    case 'traffic':
      return state.phase === 'live' ? onTraffic(state, event) : stay(state)
    case 'closed':
      if (state.phase !== 'live' && state.phase !== 'opening') return stay(state)
      return onClosed(state, event)
    case 'answered':
      return state.phase === 'live' ? onAnswer(state, event) : stay(state)
    case 'timer':
      return onTimer(state, event, event.timer)
    default:
      return unreachable(event)
  }
}

function onWanted(state: ConnectionState, event: EventOf<'want'>): Step {
  const { wanted } = event
  if (isSame(state.wanted, wanted)) return stay(state)
  const lost = new Map([...state.lost, ...(event.lost ?? [])].filter(([key]) => wanted.has(key)))
  const next: ConnectionState = { ...state, wanted, lost }
  if (wanted.size === 0) {
    // A wait that the service asked for is over when it is over: what is wanted again would not wait otherwise.
    return next.phase === 'waiting' || next.phase === 'idle' ? stay(next) : rest(next)
  }
  switch (next.phase) {
    case 'idle':
      return open(memoryOf(next))
    case 'live':
      return onWant(next, event)
    default:
      return stay(next)
  }
}

function onConnack(state: ConnectionState, event: EventOf<'connack'>): Step {
  const { code } = event
  const { policy } = state
  const connackPolicyOfCode = connackPolicy(code, policy.retryCodes)
  switch (connackPolicyOfCode) {
    case 'accept':
      return goLive(state, event)
    case 'slot':
      return waitForSlot(state, event, code, event.recentDropMs)
    case 'retry':
      return reconnect(state, event, { reason: 'refused', connackCode: code, hold: true })
    case 'retry-few':
    case 'credentials':
    case 'client':
      return refusedByConnack(state, event, connackPolicyOfCode)
    default:
      return unreachable(connackPolicyOfCode)
  }
}

/** A refusal is final, but not at once if the connection was accepted before: the service may be starting anew. */
function refusedByConnack(
  state: ConnectionState,
  event: EventOf<'connack'>,
  connackPolicyOfCode: 'retry-few' | 'credentials' | 'client',
): Step {
  const { code } = event
  const { policy } = state
  const connackRefusals = state.connackRefusals + 1
  const again = { reason: 'refused', connackCode: code, hold: true, change: { connackRefusals } } as const
  const retry = state.wasAccepted ? nextRetry(state.connackRefusals, event.draw) : undefined
  if (retry !== undefined) return reconnect(state, event, { ...again, ...retry })
  if (connackPolicyOfCode === 'retry-few' && connackRefusals < policy.unauthorizedAttempts)
    return reconnect(state, event, again)
  const name = connackName(code)
  return connackPolicyOfCode === 'client'
    ? end(state, { kind: 'refused', connackCode: code, connackName: name })
    : end(state, { kind: 'auth-rejected', signal: 'connack', status: code, code: name })
}

function goLive(state: ConnectionState, event: ConnectionEvent): Step {
  const { policy } = state
  const live: LiveState = {
    ...memoryOf(state),
    connackRefusals: 0,
    wasAccepted: true,
    phase: 'live',
    acceptedAtMs: event.at,
    lastSeenMs: event.at,
    confirmed: new Map(),
    queue: [],
    pending: undefined,
    parked: [],
    told: false,
    seen: false,
    pinged: false,
    dataSeen: false,
    quietMs: 0,
  }
  const timers: ConnectionEffect[] = [
    { type: 'disarm', timer: 'connect' },
    { type: 'arm', timer: 'liveness', delayMs: policy.pingIntervalMs },
    { type: 'arm', timer: 'stable', delayMs: policy.stableAfterMs },
    { type: 'arm', timer: 'quiet', delayMs: policy.quietMs },
  ]
  if (policy.reassertMs !== undefined)
    timers.push({ type: 'arm', timer: 'reassert', delayMs: policy.reassertMs })
  const [next, effects] = advance(live, event)
  return [next, [...timers, ...effects]]
}

/** Any packet shows that the connection lives. The timers are left alone: they look at what was seen when they fire. */
function onTraffic(state: LiveState, event: EventOf<'traffic'>): Step {
  const data = event.data || state.dataSeen
  return [{ ...state, lastSeenMs: event.at, seen: true, dataSeen: data }, []]
}

function onClosed(state: ConnectionState, event: EventOf<'closed'>): Step {
  const { systemCode, message, fault } = event
  return reconnect(state, event, {
    reason: fault === undefined ? 'disconnected' : 'malformed',
    fault,
    systemCode,
    message,
    gone: true,
    // A broker that hangs up before CONNACK turned the attempt away.
    hold: state.phase === 'opening' && systemCode === undefined,
  })
}

function onTimer(state: ConnectionState, event: ConnectionEvent, timer: ConnectionTimer): Step {
  switch (timer) {
    case 'connect':
      if (state.phase !== 'opening') return stay(state)
      return reconnect(state, event, { reason: 'connect-timeout', hold: true })
    case 'retry':
      if (state.phase !== 'waiting') return stay(state)
      return state.wanted.size === 0 ? rest(state) : open(memoryOf(state))
    case 'liveness':
      return state.phase === 'live' ? onLiveness(state, event) : stay(state)
    case 'quiet':
      return state.phase === 'live' ? onQuiet(state, event) : stay(state)
    case 'call':
      return state.phase === 'live' ? repeatCall(state, event) : stay(state)
    case 'reassert':
      return state.phase === 'live' ? onReassert(state, event) : stay(state)
    case 'stable':
      return state.phase === 'live' ? [{ ...state, failures: 0, limitWaits: 0 }, []] : stay(state)
    default:
      return unreachable(timer)
  }
}

/** First a PING, then its answer or any other packet within the time for it: timers measure, because clocks jump. */
function onLiveness(state: LiveState, event: ConnectionEvent): Step {
  const { policy, attempt } = state
  if (!state.pinged) {
    return [
      { ...state, pinged: true, seen: false },
      [
        { type: 'ping', attempt },
        { type: 'arm', timer: 'liveness', delayMs: policy.pongTimeoutMs },
      ],
    ]
  }
  // It may stand still and be alive: DISCONNECT frees its slot then.
  if (!state.seen) return reconnect(state, event, { reason: 'heartbeat-lost' })
  const delayMs = Math.max(1, policy.pingIntervalMs - policy.pongTimeoutMs)
  return [{ ...state, pinged: false, seen: false }, [{ type: 'arm', timer: 'liveness', delayMs }]]
}

function onQuiet(state: LiveState, event: ConnectionEvent): Step {
  const { policy, connection, confirmed } = state
  const again: ConnectionEffect = { type: 'arm', timer: 'quiet', delayMs: policy.quietMs }
  if (state.dataSeen || confirmed.size === 0) return [{ ...state, dataSeen: false, quietMs: 0 }, [again]]
  const quietMs = state.quietMs + policy.quietMs
  if (state.quietMs > 0) return [{ ...state, quietMs }, [again]]
  const notice = {
    type: 'notice',
    kind: 'silent',
    atMs: event.at,
    connection,
    quietMs,
    symbols: confirmed.size,
  } as const
  return [{ ...state, quietMs }, [again, { type: 'notify', notice }]]
}
