/**
 * Transitions that several events share: reconnecting, ending, entering the phase `live`.
 *
 * Each function returns the next state with its effects. None reads a clock.
 */
import {
  backoffMs,
  boundedRetryAfterMs,
  clearTimers,
  connectionLimitMs,
  isSlotStillHeld,
  nextRetry,
  pick,
} from '@brokerwire/core/internal'
import { type ReconnectReason, tokenMissing } from '../items/notices.ts'
import type {
  CallFailure,
  SupervisorEffect,
  SupervisorEvent,
  SupervisorMemory,
  SupervisorOutcome,
  SupervisorState,
  SupervisorTimer,
} from './machine-types.ts'
import { heartbeatTimeoutMs, lateHeartbeatMs } from './policy.ts'

/** The next state and its effects. */
export type Step = readonly [SupervisorState, readonly SupervisorEffect[]]

const ATTEMPT_TIMERS: readonly SupervisorTimer[] = ['subscribe', 'liveness', 'stable', 'backfill', 'recover']
const ALL_TIMERS: readonly SupervisorTimer[] = [...ATTEMPT_TIMERS, 'retry', 'give-up']

/** The memory before the first attempt. */
export const INITIAL_MEMORY: Omit<SupervisorMemory, 'policy'> = {
  attempt: 0,
  failures: 0,
  authRetried: false,
  tokenWithheld: false,
  authCause: undefined,
  wasLive: false,
  retries: 0,
  limitWaits: 0,
  subscriptionTaken: false,
  paused: false,
  tokenSent: false,
  cursorSent: false,
  pingIntervalMs: undefined,
  droppedAtMs: undefined,
  cursorRejected: false,
  inOutage: false,
  lastReason: 'none',
}
const NAMES = Object.keys(INITIAL_MEMORY) as (keyof typeof INITIAL_MEMORY)[]
const pickMemory = pick<SupervisorMemory>(['policy', ...NAMES])
const pickFailure = pick<CallFailure>(['status', 'serverMessage', 'host', 'systemCode', 'retryAfterMs'])

/** Ignores an event. */
export const noChange = (state: SupervisorState): Step => [state, []]

/** Ends the stream. */
export function end(state: SupervisorState, outcome: SupervisorOutcome): Step {
  return [
    { ...pickMemory(state), phase: 'ended' },
    [...clearTimers(ALL_TIMERS), { type: 'close', attempt: state.attempt }, { type: 'end', outcome }],
  ]
}

/** Returns the memory after the end of an attempt. */
export function memoryAfterAttempt(state: SupervisorState, event: SupervisorEvent): SupervisorMemory {
  const memory = { ...pickMemory(state), paused: false }
  if (state.phase !== 'live') return memory
  return { ...memory, droppedAtMs: event.at }
}

/** Starts the next attempt. */
export function open(state: SupervisorState): Step {
  const memory = pickMemory(state)
  const attempt = memory.attempt + 1
  return [
    {
      ...memory,
      attempt,
      subscriptionTaken: false,
      paused: false,
      tokenSent: false,
      cursorSent: false,
      phase: 'opening',
    },
    [
      { type: 'start-timer', timer: 'subscribe', delayMs: memory.policy.subscribeTimeoutMs },
      { type: 'open', attempt },
    ],
  ]
}

/** The reason and the timing of the next attempt. */
export interface Reconnect {
  readonly reason: ReconnectReason
  readonly failure?: CallFailure | undefined
  /**
   * Whether the attempt after the first failure has a delay too, because the service refused the last
   * attempt.
   */
  readonly alwaysDelay?: boolean | undefined
  /** The delay that replaces the backoff. */
  readonly delayMs?: number | undefined
  /** Number of attempts after the next one, if a refusal is final after these attempts. */
  readonly retriesLeft?: number | undefined
  readonly slotStillHeld?: boolean | undefined
  /** Changes of the memory. */
  readonly change?: Partial<SupervisorMemory> | undefined
}

/** Returns the effect that starts the timer of `maxElapsedMs` at the first failure of an outage. */
function startOutage({ policy, inOutage }: SupervisorMemory): readonly SupervisorEffect[] {
  return policy.maxElapsedMs === undefined || inOutage
    ? []
    : [{ type: 'start-timer', timer: 'give-up', delayMs: policy.maxElapsedMs }]
}

/** Ends the attempt and waits for the next one, or ends the stream if a limit of the caller is reached. */
export function reconnect(state: SupervisorState, event: SupervisorEvent, plan: Reconnect): Step {
  const memory = memoryAfterAttempt(state, event)
  const failures = memory.failures + 1
  const { policy } = memory
  if (policy.maxAttempts !== undefined && failures >= policy.maxAttempts) {
    return end(
      { ...memory, failures, phase: 'waiting' },
      { kind: 'gave-up', limit: 'attempts', attempts: failures, reason: plan.reason },
    )
  }
  const waitMs = plan.delayMs ?? backoffMs(policy, failures, plan.alwaysDelay ?? false, event.random)
  const delayMs = Math.max(waitMs, boundedRetryAfterMs(plan.failure?.retryAfterMs ?? 0))
  return [
    { ...memory, failures, inOutage: true, lastReason: plan.reason, ...plan.change, phase: 'waiting' },
    [
      ...clearTimers(ATTEMPT_TIMERS),
      { type: 'close', attempt: memory.attempt },
      {
        type: 'notify',
        notice: {
          type: 'notice',
          kind: 'reconnecting',
          atMs: event.at,
          reason: plan.reason,
          status: plan.failure?.status,
          message: plan.failure?.serverMessage,
          host: plan.failure?.host,
          systemCode: plan.failure?.systemCode,
          delayMs,
          retriesLeft: plan.retriesLeft,
          attempt: memory.attempt + 1,
          slotStillHeld: plan.slotStillHeld ?? false,
        },
      },
      ...startOutage(memory),
      { type: 'start-timer', timer: 'retry', delayMs },
    ],
  ]
}

/**
 * Plans the next attempt after a refusal. There are five attempts, spread over about five minutes, because a
 * proxy that reloads or a rolling deployment refuses calls for a short time. The first attempt after a live
 * subscription has the delay of the backoff.
 *
 * @returns `undefined` if the refusal is final: the stream was never live, or there were five attempts.
 */
export function retryRefused(
  state: SupervisorState,
  event: SupervisorEvent,
  plan: Reconnect,
): Step | undefined {
  const retry = nextRetry(state.retries, event.random, plan.failure?.retryAfterMs)
  if (!state.wasLive || retry === undefined) return undefined
  const { retriesLeft } = retry
  const delayMs = state.phase === 'live' && state.retries === 0 ? undefined : retry.delayMs
  const change = { ...plan.change, retries: state.retries + 1 }
  return reconnect(state, event, { ...plan, alwaysDelay: true, delayMs, retriesLeft, change })
}

/**
 * Waits after the connection limit was reached, twice as long each time.
 *
 * @param refusal - The failed call, if the limit was reported by a status instead of NumOfConnExceed.
 */
export function backOffConnectionLimit(
  state: SupervisorState,
  event: SupervisorEvent,
  recentDropMs: number | undefined,
  refusal?: CallFailure,
): Step {
  return reconnect(state, event, {
    reason: 'connection-limit',
    failure: refusal,
    delayMs: connectionLimitMs(state.policy, state.limitWaits),
    slotStillHeld: isSlotStillHeld([state.droppedAtMs, recentDropMs], event.at),
    change: { limitWaits: state.limitWaits + 1, subscriptionTaken: refusal !== undefined },
  })
}

/**
 * Handles a refusal whose reason is that the app key already has its only subscription. Ends the stream if
 * another stream of this process has that subscription, because waiting would be pointless.
 */
export function subscriptionTaken(
  state: SupervisorState,
  event: Extract<SupervisorEvent, { type: 'failed' }>,
): Step {
  const { heldBy } = event
  if (heldBy !== undefined) return end(state, { kind: 'subscription-conflict', heldBy })
  return backOffConnectionLimit(state, event, event.recentDropMs, event)
}

/**
 * Handles AuthError, or a status with the same meaning: starts a recovery. If the attempt after the first recovery
 * fails too, further recoveries only correct the clock, and a stream that was never live calls {@link authRejected}.
 */
export function authFailed(
  state: SupervisorState,
  event: SupervisorEvent,
  cause: {
    readonly signal: 'auth-error' | 'status'
    readonly failure?: CallFailure | undefined
    readonly serverTimeMs?: number | undefined
  },
): Step {
  const { tokenSent } = state
  const { signal, failure } = cause
  if (state.authRetried && !state.wasLive)
    return authRejected(state, event, { signal, failure, cause: state.authCause })
  const memory = memoryAfterAttempt(state, event)
  // The clock may have jumped since the first recovery. The next attempts need its correction.
  const mode = tokenSent && !state.authRetried ? 'token' : 'clock'
  const change = { inOutage: true, lastReason: 'auth-error' }
  return [
    { ...memory, ...change, phase: 'recovering', mode, signal, failure: failure && pickFailure(failure) },
    [
      ...clearTimers(ATTEMPT_TIMERS),
      { type: 'close', attempt: memory.attempt },
      ...startOutage(memory),
      { type: 'start-timer', timer: 'recover', delayMs: memory.policy.subscribeTimeoutMs },
      { type: 'recover', attempt: memory.attempt, mode, serverTimeMs: cause.serverTimeMs },
    ],
  ]
}

/**
 * Handles credentials that the recovery could not replace: one attempt without the access token if
 * `onTokenRejected` allows it, then {@link retryRefused}, then the end of the stream.
 */
export function authRejected(
  state: SupervisorState,
  event: SupervisorEvent,
  rejection: {
    readonly signal: 'auth-error' | 'status'
    readonly failure?: CallFailure | undefined
    readonly cause?: unknown
  },
): Step {
  const { tokenSent, tokenWithheld, policy } = state
  const { signal, failure, cause } = rejection
  if (!tokenSent || tokenWithheld || policy.onTokenRejected !== 'without-token') {
    const retry = retryRefused(state, event, { reason: 'auth-error', failure })
    const sent = tokenSent || tokenWithheld
    return (
      retry ?? end(state, { kind: 'auth-rejected', signal, status: failure?.status, tokenSent: sent, cause })
    )
  }
  const [next, effects] = reconnect(state, event, {
    reason: 'auth-error',
    failure,
    delayMs: 0,
    change: { authRetried: true, tokenWithheld: true, authCause: cause },
  })
  const notice = tokenMissing('rejected', event.at)
  return [next, [{ type: 'withhold-token' }, { type: 'notify', notice }, ...effects]]
}

/** Enters the phase `live`. */
export function enterLive(state: SupervisorState, event: Extract<SupervisorEvent, { type: 'frame' }>): Step {
  const { policy, cursorRejected, attempt } = state
  const implied = event.frame === 'event'
  const subscription = { attempt, connectionId: implied ? undefined : event.connectionId, implied }
  const effects: SupervisorEffect[] = [
    ...clearTimers<SupervisorTimer>(['subscribe', 'give-up']),
    { type: 'start-timer', timer: 'stable', delayMs: policy.stableAfterMs },
    { type: 'start-timer', timer: 'backfill', delayMs: policy.backfillIntervalMs },
    { type: 'notify', notice: { type: 'notice', kind: 'subscribed', atMs: event.at, ...subscription } },
  ]
  if (!state.paused) effects.push(startLivenessTimer(state))
  effects.push(
    { type: 'live', hostMs: event.at, serviceMs: event.serverTimeMs, implied, cursorRejected },
    { type: 'backfill', cause: 'subscribed' },
  )
  const change = { cursorRejected: false, inOutage: false, wasLive: true }
  const activity = { lastPingMs: undefined, hasActivity: false, idleMs: 0, heartbeatOverdue: false }
  return [{ ...pickMemory(state), ...change, ...activity, phase: 'live' }, effects]
}

/** Starts the timer of the next liveness check. @param idleMs - Time without a frame so far. */
export function startLivenessTimer(state: SupervisorMemory, idleMs = 0): SupervisorEffect {
  return { type: 'start-timer', timer: 'liveness', delayMs: nextCheckDelayMs(state, idleMs) }
}

/**
 * Returns the delay of the next liveness check: a tenth of the timeout, or less if the notice or the timeout is due before.
 *
 * Timers measure the time without a frame, because clocks can be set. The instant of a frame between two checks is not known. So
 * a connection may be replaced too early by a tenth of the timeout, but never too late.
 *
 * @param idleMs - Time without a frame so far.
 */
export function nextCheckDelayMs({ policy, pingIntervalMs }: SupervisorMemory, idleMs: number): number {
  const timeoutMs = heartbeatTimeoutMs(policy, pingIntervalMs)
  const dueMs = lateHeartbeatMs(policy, pingIntervalMs)
  return Math.min(Math.ceil(timeoutMs / 10), (idleMs < dueMs ? dueMs : timeoutMs) - idleMs)
}
