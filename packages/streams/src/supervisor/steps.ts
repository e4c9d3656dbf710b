/**
 * The moves that several transitions share: leaving a session, waiting, ending, going live.
 *
 * Each returns the whole next state with its effects; none reads a clock.
 */
import {
  backoffMs,
  boundedRetryAfterMs,
  connectionLimitMs,
  disarm,
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
import { heartbeatTimeoutMs, lateMs } from './policy.ts'

export type Step = readonly [SupervisorState, readonly SupervisorEffect[]]

const SESSION_TIMERS: readonly SupervisorTimer[] = ['subscribe', 'liveness', 'stable', 'backfill', 'recover']
const ALL_TIMERS: readonly SupervisorTimer[] = [...SESSION_TIMERS, 'retry', 'give-up']

export const NOTHING_REMEMBERED: Omit<SupervisorMemory, 'policy'> = {
  session: 0,
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
const NAMES = Object.keys(NOTHING_REMEMBERED) as (keyof typeof NOTHING_REMEMBERED)[]
const memoryOf = pick<SupervisorMemory>(['policy', ...NAMES])

export const stay = (state: SupervisorState): Step => [state, []]

export function end(state: SupervisorState, outcome: SupervisorOutcome): Step {
  return [
    { ...memoryOf(state), phase: 'ended' },
    [...disarm(ALL_TIMERS), { type: 'close', session: state.session }, { type: 'end', outcome }],
  ]
}

/** What is remembered of a session that is over. */
export function leaveSession(state: SupervisorState, event: SupervisorEvent): SupervisorMemory {
  const memory = { ...memoryOf(state), paused: false }
  if (state.phase !== 'live') return memory
  return { ...memory, droppedAtMs: event.at }
}

export function open(state: SupervisorState): Step {
  const memory = memoryOf(state)
  const session = memory.session + 1
  return [
    {
      ...memory,
      session,
      subscriptionTaken: false,
      paused: false,
      tokenSent: false,
      cursorSent: false,
      phase: 'opening',
    },
    [
      { type: 'arm', timer: 'subscribe', delayMs: memory.policy.subscribeTimeoutMs },
      { type: 'open', session },
    ],
  ]
}

/** Why and how a stream comes back. */
export interface Reconnect {
  readonly reason: ReconnectReason
  readonly failure?: CallFailure | undefined
  /** The service turned the attempt away: never again at once. */
  readonly notAtOnce?: boolean | undefined
  readonly delayMs?: number | undefined
  /** Attempts that are left, if a refusal is final after them. */
  readonly retriesLeft?: number | undefined
  readonly lingeringSlot?: boolean | undefined
  readonly change?: Partial<SupervisorMemory> | undefined
}

/** Leaves the session and waits for the next attempt, unless the caller's limits are reached. */
export function reconnect(state: SupervisorState, event: SupervisorEvent, how: Reconnect): Step {
  const left = leaveSession(state, event)
  const failures = left.failures + 1
  const { policy } = left
  if (policy.maxAttempts !== undefined && failures >= policy.maxAttempts) {
    return end(
      { ...left, failures, phase: 'waiting' },
      { kind: 'gave-up', limit: 'attempts', attempts: failures, reason: how.reason },
    )
  }
  const waitMs = how.delayMs ?? backoffMs(policy, failures, how.notAtOnce ?? false, event.draw)
  const delayMs = Math.max(waitMs, boundedRetryAfterMs(how.failure?.retryAfterMs ?? 0))
  const giveUp: readonly SupervisorEffect[] =
    policy.maxElapsedMs !== undefined && !left.inOutage
      ? [{ type: 'arm', timer: 'give-up', delayMs: policy.maxElapsedMs }]
      : []
  return [
    { ...left, failures, inOutage: true, lastReason: how.reason, ...how.change, phase: 'waiting' },
    [
      ...disarm(SESSION_TIMERS),
      { type: 'close', session: left.session },
      {
        type: 'notify',
        notice: {
          type: 'notice',
          kind: 'reconnecting',
          atMs: event.at,
          reason: how.reason,
          status: how.failure?.status,
          message: how.failure?.serverMessage,
          host: how.failure?.host,
          systemCode: how.failure?.systemCode,
          delayMs,
          retriesLeft: how.retriesLeft,
          attempt: left.session + 1,
          lingeringSlot: how.lingeringSlot ?? false,
        },
      },
      ...giveUp,
      { type: 'arm', timer: 'retry', delayMs },
    ],
  ]
}

/**
 * One of five attempts in about five minutes, after a refusal of a stream that was live before: a proxy that reloads and a rolling
 * deployment refuse for a moment. A live stream that ends with a refusal comes back after the backoff the first time.
 *
 * @returns `undefined` if the refusal is final.
 */
export function retryRefused(
  state: SupervisorState,
  event: SupervisorEvent,
  how: Reconnect,
): Step | undefined {
  const retry = nextRetry(state.retries, event.draw, how.failure?.retryAfterMs)
  if (!state.wasLive || retry === undefined) return undefined
  const { retriesLeft } = retry
  const delayMs = state.phase === 'live' && state.retries === 0 ? undefined : retry.delayMs
  const change = { ...how.change, retries: state.retries + 1 }
  return reconnect(state, event, { ...how, notAtOnce: true, delayMs, retriesLeft, change })
}

/**
 * The connection limit: a long wait, twice as long each time.
 *
 * @param refusal - A failed call whose status and message say the same as NumOfConnExceed.
 */
export function waitForSlot(
  state: SupervisorState,
  event: SupervisorEvent,
  recentDropMs: number | undefined,
  refusal?: CallFailure,
): Step {
  return reconnect(state, event, {
    reason: 'connection-limit',
    failure: refusal,
    delayMs: connectionLimitMs(state.policy, state.limitWaits),
    lingeringSlot: isSlotStillHeld([state.droppedAtMs, recentDropMs], event.at),
    change: { limitWaits: state.limitWaits + 1, subscriptionTaken: refusal !== undefined },
  })
}

/** The app key has its one subscription already. A stream of this process that has it would be waited for without end. */
export function subscriptionTaken(
  state: SupervisorState,
  event: Extract<SupervisorEvent, { type: 'failed' }>,
): Step {
  const { heldBy } = event
  if (heldBy !== undefined) return end(state, { kind: 'subscription-conflict', heldBy })
  return waitForSlot(state, event, event.recentDropMs, event)
}

/**
 * AuthError or a status that says the same: one further attempt, after learning something new. Then the credentials are
 * {@link authRejected}.
 */
export function authFailed(
  state: SupervisorState,
  event: SupervisorEvent,
  cause: {
    readonly signal: 'auth-error' | 'status'
    readonly failure?: CallFailure | undefined
    readonly serverMs?: number | undefined
  },
): Step {
  const { tokenSent } = state
  const { signal, failure } = cause
  if (state.authRetried) return authRejected(state, event, { signal, failure, cause: state.authCause })
  const left = leaveSession(state, event)
  const mode = tokenSent ? 'token' : 'clock'
  return [
    { ...left, phase: 'recovering', mode, signal, status: failure?.status },
    [
      ...disarm(SESSION_TIMERS),
      { type: 'close', session: left.session },
      { type: 'arm', timer: 'recover', delayMs: left.policy.subscribeTimeoutMs },
      { type: 'recover', session: left.session, mode, serverMs: cause.serverMs },
    ],
  ]
}

/** Nothing new was learned: one attempt without the access token, then {@link retryRefused}, then the end. */
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
    const again = retryRefused(state, event, { reason: 'auth-error', failure })
    const sent = tokenSent || tokenWithheld
    return (
      again ?? end(state, { kind: 'auth-rejected', signal, status: failure?.status, tokenSent: sent, cause })
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

export function goLive(state: SupervisorState, event: Extract<SupervisorEvent, { type: 'frame' }>): Step {
  const { policy, cursorRejected, session: attempt } = state
  const implied = event.frame === 'event'
  const said = { attempt, connectionId: implied ? undefined : event.connectionId, implied }
  const effects: SupervisorEffect[] = [
    ...disarm<SupervisorTimer>(['subscribe', 'give-up']),
    { type: 'arm', timer: 'stable', delayMs: policy.stableAfterMs },
    { type: 'arm', timer: 'backfill', delayMs: policy.backfillIntervalMs },
    { type: 'notify', notice: { type: 'notice', kind: 'subscribed', atMs: event.at, ...said } },
  ]
  if (!state.paused) effects.push(armLiveness(state))
  effects.push(
    { type: 'live', hostMs: event.at, serviceMs: event.serverMs, implied, cursorRejected },
    { type: 'backfill', cause: 'subscribed' },
  )
  const change = { cursorRejected: false, inOutage: false, wasLive: true }
  const activity = { lastPingMs: undefined, seen: false, quietMs: 0, late: false }
  return [{ ...memoryOf(state), ...change, ...activity, phase: 'live' }, effects]
}

/** Watches for silence from now on. @param quietMs - How long it has been silent. */
export function armLiveness(state: SupervisorMemory, quietMs = 0): SupervisorEffect {
  return { type: 'arm', timer: 'liveness', delayMs: lookAgainMs(state, quietMs) }
}

/**
 * Until silence is looked at again: a tenth of what is borne, and never past an instant at which something is due.
 *
 * Timers measure silence, because clocks jump. When a frame came since the last look is not known, so a tenth is how
 * much too early a connection may be given up, and it is never too late.
 *
 * @param quietMs - How long it has been silent.
 */
export function lookAgainMs({ policy, pingIntervalMs }: SupervisorMemory, quietMs: number): number {
  const limitMs = heartbeatTimeoutMs(policy, pingIntervalMs)
  const dueMs = lateMs(policy, pingIntervalMs)
  return Math.min(Math.ceil(limitMs / 10), (quietMs < dueMs ? dueMs : limitMs) - quietMs)
}
