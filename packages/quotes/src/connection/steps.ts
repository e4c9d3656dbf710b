/** Steps that several transitions share. Each returns the next state with its effects. */
import { backoffMs, clearTimers, connectionLimitMs, isSlotStillHeld, pick } from '@brokerwire/core/internal'
import type { MqttFault } from '../mqtt/packets.ts'
import type { QuotesReconnectReason } from '../notices.ts'
import { connackName } from './connack.ts'
import type {
  ConnectionEffect,
  ConnectionEvent,
  ConnectionMemory,
  ConnectionOutcome,
  ConnectionState,
  ConnectionTimer,
  LiveState,
  Lost,
} from './machine-types.ts'

export type Step = readonly [ConnectionState, readonly ConnectionEffect[]]

const ATTEMPT_TIMERS: readonly ConnectionTimer[] = [
  'connect',
  'liveness',
  'call',
  'stall',
  'resubscribe',
  'stable',
]

export const noChange = (state: ConnectionState): Step => [state, []]

export const INITIAL_MEMORY: Omit<ConnectionMemory, 'policy' | 'connection' | 'maxSymbols'> = {
  desired: new Map(),
  attempt: 0,
  call: 0,
  failures: 0,
  limitWaits: 0,
  connackRejections: 0,
  wasAccepted: false,
  callRejections: 0,
  lost: new Map(),
  droppedAtMs: undefined,
}
export const pickMemory: (state: ConnectionMemory) => ConnectionMemory = pick<ConnectionMemory>([
  'policy',
  'connection',
  'maxSymbols',
  ...(Object.keys(INITIAL_MEMORY) as (keyof typeof INITIAL_MEMORY)[]),
])

/** Returns the lost subscriptions after this connection ends. */
export const collectLost = ({ confirmed, lastActivityMs, lost }: LiveState): Lost =>
  new Map([...[...confirmed.keys()].map((key) => [key, lastActivityMs] as const), ...lost])

/** Returns the memory after an attempt ended. */
function endAttempt(state: ConnectionState, event: ConnectionEvent): ConnectionMemory {
  const memory = pickMemory(state)
  return state.phase === 'live' ? { ...memory, lost: collectLost(state), droppedAtMs: event.at } : memory
}

/**
 * Returns the effects that close the connection, if there is one. DISCONNECT is sent if the connection was
 * accepted and is still open.
 */
function closeEffects(state: ConnectionState, gone: boolean): readonly ConnectionEffect[] {
  if (state.phase !== 'live' && state.phase !== 'opening') return []
  const graceful = state.phase === 'live' && !gone
  return [...clearTimers(ATTEMPT_TIMERS), { type: 'close', attempt: state.attempt, graceful }]
}

export function startAttempt(memory: ConnectionMemory): Step {
  const attempt = memory.attempt + 1
  return [
    { ...memory, attempt, phase: 'opening' },
    [
      { type: 'start-timer', timer: 'connect', delayMs: memory.policy.connectTimeoutMs },
      { type: 'connect', attempt },
    ],
  ]
}

/** Closes the connection, because no subscription is desired. */
export function goIdle(state: ConnectionState): Step {
  return [
    { ...pickMemory(state), phase: 'idle' },
    [...closeEffects(state, false), { type: 'clear-timer', timer: 'retry' }],
  ]
}

export function end(state: ConnectionState, outcome: ConnectionOutcome): Step {
  return [
    { ...pickMemory(state), phase: 'ended' },
    [...closeEffects(state, false), { type: 'clear-timer', timer: 'retry' }, { type: 'end', outcome }],
  ]
}

/** Options of {@link reconnect}. */
export interface Reconnect {
  readonly reason: QuotesReconnectReason
  readonly connackCode?: number | undefined
  readonly fault?: MqttFault | undefined
  readonly systemCode?: string | undefined
  readonly message?: string | undefined
  /** Whether the service refused the connection, so that the delay must not be zero. */
  readonly backOff?: boolean | undefined
  readonly delayMs?: number | undefined
  /** Number of attempts after the next one, if the refusal becomes final after them. */
  readonly retriesLeft?: number | undefined
  readonly slotStillHeld?: boolean | undefined
  /** Whether the connection is closed already, so that no DISCONNECT can be sent. */
  readonly isConnectionGone?: boolean | undefined
  readonly change?: Partial<ConnectionMemory> | undefined
}

/** Closes the connection and schedules the next attempt, unless `maxAttempts` is reached. */
export function reconnect(state: ConnectionState, event: ConnectionEvent, how: Reconnect): Step {
  const left = endAttempt(state, event)
  const failures = left.failures + 1
  const { policy, connection } = left
  const { reason, connackCode } = how
  if (policy.maxAttempts !== undefined && failures >= policy.maxAttempts) {
    const [ended, effects] = end(state, { kind: 'gave-up', attempts: failures, reason, message: how.message })
    return [{ ...ended, ...left, failures, phase: 'ended' }, effects]
  }
  const delayMs = how.delayMs ?? backoffMs(policy, failures, how.backOff ?? false, event.random)
  return [
    { ...left, failures, ...how.change, phase: 'waiting' },
    [
      ...closeEffects(state, how.isConnectionGone ?? false),
      {
        type: 'notify',
        notice: {
          type: 'notice',
          kind: 'reconnecting',
          atMs: event.at,
          connection,
          reason,
          connackCode,
          connackName: connackCode === undefined ? undefined : connackName(connackCode),
          fault: how.fault,
          systemCode: how.systemCode,
          message: how.message,
          delayMs,
          retriesLeft: how.retriesLeft,
          attempt: left.attempt + 1,
          slotStillHeld: how.slotStillHeld ?? false,
        },
      },
      { type: 'start-timer', timer: 'retry', delayMs },
    ],
  ]
}

/** Handles CONNACK 105 with a long delay, which doubles each time. */
export function backOffConnectionLimit(
  state: ConnectionState,
  event: ConnectionEvent,
  connackCode: number,
  recentDropMs: number | undefined,
): Step {
  return reconnect(state, event, {
    reason: 'connection-limit',
    connackCode,
    delayMs: connectionLimitMs(state.policy, state.limitWaits),
    slotStillHeld: isSlotStillHeld([state.droppedAtMs, recentDropMs], event.at),
    change: { limitWaits: state.limitWaits + 1 },
  })
}
