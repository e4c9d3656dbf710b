/** The moves that several transitions share. Each returns the whole next state with its effects; none reads a clock. */
import { backoffMs, connectionLimitMs, disarm, isLingering, partOf } from '@brokerwire/core/internal'
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
  'quiet',
  'reassert',
  'stable',
]

export const stay = (state: ConnectionState): Step => [state, []]

export const NOTHING_REMEMBERED: Omit<ConnectionMemory, 'policy' | 'connection' | 'maxSymbols'> = {
  wanted: new Map(),
  attempt: 0,
  call: 0,
  failures: 0,
  limitWaits: 0,
  connackRefusals: 0,
  wasAccepted: false,
  callRefusals: 0,
  lost: new Map(),
  droppedAtMs: undefined,
}
export const memoryOf: (state: ConnectionMemory) => ConnectionMemory = partOf<ConnectionMemory>([
  'policy',
  'connection',
  'maxSymbols',
  ...(Object.keys(NOTHING_REMEMBERED) as (keyof typeof NOTHING_REMEMBERED)[]),
])

/** Since when messages are missed, and of which symbols, once what is confirmed is so no more. */
export const lostOf = ({ confirmed, lastSeenMs, lost }: LiveState): Lost =>
  new Map([...[...confirmed.keys()].map((key) => [key, lastSeenMs] as const), ...lost])

/** What is remembered of an attempt that is over. */
function leave(state: ConnectionState, event: ConnectionEvent): ConnectionMemory {
  const memory = memoryOf(state)
  return state.phase === 'live' ? { ...memory, lost: lostOf(state), droppedAtMs: event.at } : memory
}

/** Leaves whatever connection there is. With DISCONNECT where it was accepted and still stands. */
function leaving(state: ConnectionState, gone: boolean): readonly ConnectionEffect[] {
  if (state.phase !== 'live' && state.phase !== 'opening') return []
  const graceful = state.phase === 'live' && !gone
  return [...disarm(ATTEMPT_TIMERS), { type: 'leave', attempt: state.attempt, graceful }]
}

export function open(memory: ConnectionMemory): Step {
  const attempt = memory.attempt + 1
  return [
    { ...memory, attempt, phase: 'opening' },
    [
      { type: 'arm', timer: 'connect', delayMs: memory.policy.connectTimeoutMs },
      { type: 'connect', attempt },
    ],
  ]
}

/** Nothing is wanted: the connection goes, and with it what the service knows of its session. */
export function rest(state: ConnectionState): Step {
  return [
    { ...memoryOf(state), phase: 'idle' },
    [...leaving(state, false), { type: 'disarm', timer: 'retry' }],
  ]
}

export function end(state: ConnectionState, outcome: ConnectionOutcome): Step {
  return [
    { ...memoryOf(state), phase: 'ended' },
    [...leaving(state, false), { type: 'disarm', timer: 'retry' }, { type: 'end', outcome }],
  ]
}

/** Why and how a connection comes back. */
export interface Reconnect {
  readonly reason: QuotesReconnectReason
  readonly connackCode?: number | undefined
  readonly fault?: MqttFault | undefined
  readonly systemCode?: string | undefined
  readonly message?: string | undefined
  /** The service turned the attempt away: never again at once. */
  readonly hold?: boolean | undefined
  readonly delayMs?: number | undefined
  /** Attempts that are left, if the refusal is final after them. */
  readonly retriesLeft?: number | undefined
  readonly lingeringSlot?: boolean | undefined
  /** There is no connection left to say DISCONNECT on. */
  readonly gone?: boolean | undefined
  readonly change?: Partial<ConnectionMemory> | undefined
}

/** Leaves the attempt and waits for the next one, unless the caller's limit is reached. */
export function reconnect(state: ConnectionState, event: ConnectionEvent, how: Reconnect): Step {
  const left = leave(state, event)
  const failures = left.failures + 1
  const { policy, connection } = left
  const { reason, connackCode } = how
  if (policy.maxAttempts !== undefined && failures >= policy.maxAttempts) {
    const [ended, effects] = end(state, { kind: 'gave-up', attempts: failures, reason, message: how.message })
    return [{ ...ended, ...left, failures, phase: 'ended' }, effects]
  }
  const delayMs = how.delayMs ?? backoffMs(policy, failures, how.hold ?? false, event.draw)
  return [
    { ...left, failures, ...how.change, phase: 'waiting' },
    [
      ...leaving(state, how.gone ?? false),
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
          lingeringSlot: how.lingeringSlot ?? false,
        },
      },
      { type: 'arm', timer: 'retry', delayMs },
    ],
  ]
}

/** CONNACK 105: a long wait, twice as long each time. */
export function waitForSlot(
  state: ConnectionState,
  event: ConnectionEvent,
  connackCode: number,
  recentDropMs: number | undefined,
): Step {
  return reconnect(state, event, {
    reason: 'connection-limit',
    connackCode,
    delayMs: connectionLimitMs(state.policy, state.limitWaits),
    lingeringSlot: isLingering([state.droppedAtMs, recentDropMs], event.at),
    change: { limitWaits: state.limitWaits + 1 },
  })
}
