/**
 * The subscribe calls of a connection, one at a time: the difference of desired and confirmed subscriptions gives the next
 * call, and its response updates the confirmed ones. A call that is rejected because of some symbols is sent again in halves,
 * or without the symbols that the service names.
 */
import {
  type BoundedRetry,
  backoffMs,
  boundedRetryAfterMs,
  nextRetry,
  unreachable,
} from '@brokerwire/core/internal'
import type { QuotesNotice } from '../notices.ts'
import {
  type DesiredSubscription,
  type DesiredSubscriptions,
  subscriptionKey,
  symbolsBy,
  typesFromBits,
  withoutTypes,
} from '../selection/desired-subscriptions.ts'
import type { CallOutcome, CallRejection } from './call-outcome.ts'
import { bisect, callsForAll, confirmedAfter, nextCall, type StreamingCall, withoutSymbols } from './calls.ts'
import type { ConnectionEffect, ConnectionEvent, LiveState, PendingCall } from './machine-types.ts'
import { collectLost, end, noChange, reconnect, type Step } from './steps.ts'

/** First delay after `session-unknown`, doubled each time. */
const FIRST_GRACE_MS = 250
/** Number of failures of a call after which other calls are sent before it. */
const FAILURES_BEFORE_OTHERS = 2

const CLEAR_CALL_TIMER: ConnectionEffect = { type: 'clear-timer', timer: 'call' }

type ResponseEvent = Extract<ConnectionEvent, { readonly type: 'response' }>
type OutcomeOf<Kind> = Extract<CallOutcome, { readonly kind: Kind }>

const subscriptionKeys = ({ category, symbols }: StreamingCall): readonly string[] =>
  symbols.map((symbol) => subscriptionKey(category, symbol))

/** Whether the subscriptions of a queued call are still desired. */
function isStillDesired(call: StreamingCall, desired: DesiredSubscriptions): boolean {
  return call.action === 'unsubscribe' || subscriptionKeys(call).every((key) => desired.has(key))
}

/** Sends the next call, if none is in flight. */
export function advance(state: LiveState, event: ConnectionEvent): Step {
  const { pending } = state
  if (pending !== undefined) return pending.runsLast ? preempt(pending, state) : noChange(state)
  const queue = state.queue.filter((call) => isStillDesired(call, state.desired))
  const [first, ...others] = queue
  const call = first ?? nextCall(state.desired, withDeferred(state), state.maxSymbols)
  if (call === undefined) return resumeDeferred({ ...state, queue: [] }, event)
  return send({ ...state, queue: others }, newPendingCall(call))
}

/**
 * Sends a new call before the one that waits for its retry. If there is no new call, the wait continues. It
 * is not started again, because with frequent events it would never end.
 */
function preempt(last: PendingCall, state: LiveState): Step {
  const deferred: LiveState['deferred'] = [last, ...state.deferred]
  const call = nextCall(state.desired, withDeferred({ ...state, deferred }), state.maxSymbols)
  if (call === undefined) return noChange(state)
  const [next, effects] = send({ ...state, deferred }, newPendingCall(call))
  return [next, [CLEAR_CALL_TIMER, ...effects]]
}

const newPendingCall = (call: StreamingCall): PendingCall => ({
  call,
  failures: 0,
  retries: 0,
  delayMs: 0,
  runsLast: false,
})

function send(state: LiveState, pending: PendingCall): Step {
  const number = state.call + 1
  return [
    { ...state, call: number, pending: { ...pending, runsLast: false } },
    [{ type: 'call', attempt: state.attempt, number, call: pending.call }],
  ]
}

/** The confirmed subscriptions as if deferred calls had succeeded, so that they are not requested twice. */
function withDeferred({ confirmed, deferred }: LiveState): DesiredSubscriptions {
  let after = confirmed
  for (const { call } of deferred) after = confirmedAfter(after, call)
  return after
}

/** Waits for the retry of the first deferred call, as no other call is needed. */
function resumeDeferred(state: LiveState, event: ConnectionEvent): Step {
  const [pending, ...deferred] = state.deferred
  if (pending === undefined) return reportSubscribed(state, event)
  return wait({ ...state, deferred }, { ...pending, runsLast: true })
}

/** Reports `subscribed`, as all desired subscriptions are confirmed. */
function reportSubscribed(state: LiveState, event: ConnectionEvent): Step {
  if (state.subscribedReported) return noChange(state)
  const { connection, confirmed } = state
  const notice = {
    type: 'notice',
    kind: 'subscribed',
    atMs: event.at,
    connection,
    symbols: confirmed.size,
  } as const
  // A subscription that is still in `lost` was rejected, so no gap is reported for it.
  return [{ ...state, subscribedReported: true, lost: new Map() }, [{ type: 'notify', notice }]]
}

/**
 * Reports the gaps of confirmed subscriptions at once, grouped by their start. It does not wait for the other
 * lost subscriptions, because they may never be confirmed.
 */
function reportGaps(state: LiveState, atMs: number): readonly [LiveState, readonly ConnectionEffect[]] {
  const { connection, confirmed, lost } = state
  const gaps = symbolsBy((_, key) => lost.get(key) ?? atMs, lost.keys(), confirmed)
  const effects = [...gaps].map(([fromMs, symbols]): ConnectionEffect => {
    const notice = { type: 'notice', kind: 'gap', atMs, connection, fromMs, toMs: atMs, symbols } as const
    return { type: 'notify', notice }
  })
  return [{ ...state, lost: new Map([...lost].filter(([key]) => !confirmed.has(key))) }, effects]
}

/** Handles a change of the desired subscriptions. */
export function onDesiredChanged(state: LiveState, event: ConnectionEvent): Step {
  // Deferred calls that do not match the desired subscriptions any more are calculated again.
  const isKept = ({ call }: PendingCall): boolean =>
    subscriptionKeys(call).every((key) => state.desired.has(key) === (call.action === 'subscribe'))
  const next: LiveState = { ...state, subscribedReported: false, deferred: state.deferred.filter(isKept) }
  if (!state.pending?.runsLast || isKept(state.pending)) return advance(next, event)
  const [after, effects] = advance({ ...next, pending: undefined }, event)
  return [after, [CLEAR_CALL_TIMER, ...effects]]
}

/** Sends all subscriptions again, after the call in flight. */
export function onResubscribe(state: LiveState, event: ConnectionEvent): Step {
  const again: ConnectionEffect = {
    type: 'start-timer',
    timer: 'resubscribe',
    delayMs: state.policy.resubscribeIntervalMs ?? state.policy.stallTimeoutMs,
  }
  // While some subscriptions are unconfirmed, they are requested anyway, so nothing is added to the queue.
  const queue = state.subscribedReported ? callsForAll(state.desired, state.maxSymbols) : state.queue
  const [next, effects] = advance({ ...state, queue }, event)
  return [next, [again, ...effects]]
}

/** Retries the pending call. If its subscriptions are no longer desired, the next call is sent instead. */
export function retryCall(state: LiveState, event: ConnectionEvent): Step {
  const { pending } = state
  if (pending === undefined) return noChange(state)
  if (!isStillDesired(pending.call, state.desired)) return advance({ ...state, pending: undefined }, event)
  return send(state, pending)
}

/** Handles the response to the call in flight. */
export function onResponse(state: LiveState, event: ResponseEvent): Step {
  const { pending } = state
  if (pending === undefined || event.call !== state.call) return noChange(state)
  const { call } = pending
  const { outcome } = event
  const withoutCall: LiveState = { ...state, pending: undefined }
  if (outcome.kind === 'done') {
    // The service works, so all deferred subscriptions are requested again.
    const confirmed = confirmedAfter(state.confirmed, call)
    const after = { ...withoutCall, deferred: [], confirmed, callRejections: 0 }
    const [back, gaps] = reportGaps(after, event.at)
    const [next, effects] = advance(back, event)
    return [next, [...effects, ...gaps]]
  }
  switch (outcome.kind) {
    case 'session-unknown':
      return onSessionUnknown(state, event)
    case 'failed':
      return retryLater(state, event, outcome)
    case 'unauthorized':
      return onUnauthorized(state, event, outcome)
    case 'unusable':
      return onUnusable(state, event, outcome)
    default:
  }
  // If an unsubscribe call is rejected, the service does not have its subscriptions.
  if (call.action === 'unsubscribe') {
    return advance({ ...withoutCall, confirmed: confirmedAfter(state.confirmed, call) }, event)
  }
  if (outcome.kind === 'unknown' || outcome.kind === 'rejected') {
    // If the same subscriptions were confirmed before the connection was lost, the rejection may be
    // transient.
    const workedBefore = subscriptionKeys(call).every((key) => state.lost.has(key))
    const isUnknown = outcome.kind === 'unknown' || workedBefore
    const retry = isUnknown ? nextRetry(pending.retries, event.random, getRetryAfterMs(outcome)) : undefined
    if (retry !== undefined) return retryLater(state, event, outcome, retry)
    return reject(withoutCall, event, call, outcome)
  }
  return onRejection(withoutCall, event, call, outcome)
}

const getRetryAfterMs = (outcome: CallOutcome): number | undefined =>
  'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined

function onRejection(
  state: LiveState,
  event: ResponseEvent,
  call: StreamingCall,
  outcome: OutcomeOf<'symbols-rejected' | 'too-many'>,
): Step {
  switch (outcome.kind) {
    case 'too-many':
      return call.symbols.length > 1 ? retryBisected(state, event, call) : overflow(state, event)
    case 'symbols-rejected': {
      const { symbols } = outcome
      if (symbols === undefined) {
        return call.symbols.length > 1
          ? retryBisected(state, event, call)
          : reject(state, event, call, outcome)
      }
      const rest = withoutSymbols(call, new Set(symbols))
      return reject(state, event, { ...call, symbols }, outcome, rest)
    }
    default:
      return unreachable(outcome)
  }
}

function retryBisected(state: LiveState, event: ResponseEvent, call: StreamingCall): Step {
  return advance({ ...state, queue: [...bisect(call), ...state.queue] }, event)
}

/** Reports a rejected call. @param rest - A call for the symbols that were not rejected. It is sent next. */
function reject(
  state: LiveState,
  event: ResponseEvent,
  call: StreamingCall,
  { code, message }: CallRejection,
  rest?: StreamingCall | undefined,
): Step {
  const keys = subscriptionKeys(call)
  const notice: QuotesNotice = {
    type: 'notice',
    kind: 'rejected',
    atMs: event.at,
    symbols: call.symbols.map((symbol) => ({ category: call.category, symbol })),
    types: typesFromBits(call.types),
    code,
    message,
  }
  const desired = withoutTypes(state.desired, keys, call.types)
  const queue = rest === undefined ? state.queue : [rest, ...state.queue]
  const [next, effects] = advance({ ...state, desired, queue }, event)
  // 'reject' comes before the notice, because the receiver of the notice may change the desired
  // subscriptions.
  return [next, [{ type: 'reject', keys, types: call.types }, { type: 'notify', notice }, ...effects]]
}

/** Handles a full connection: unconfirmed symbols move to another connection. */
function overflow(state: LiveState, event: ResponseEvent): Step {
  const { confirmed } = state
  const isFullyConfirmed = ([key, subscription]: readonly [string, DesiredSubscription]): boolean =>
    (subscription.types & ~(confirmed.get(key)?.types ?? 0)) === 0
  const desired = new Map([...state.desired].filter(isFullyConfirmed))
  const keys = [...state.desired.keys()].filter((key) => !desired.has(key))
  const [next, effects] = advance({ ...state, desired, queue: [] }, event)
  const lost = new Map([...collectLost(state)].filter(([key]) => !desired.has(key)))
  return [next, [{ type: 'overflow', keys, capacity: desired.size, lost }, ...effects]]
}

/**
 * Handles a session that the service does not know. Just after CONNACK the session may be too new. Later it
 * has ended, or belongs to another environment.
 */
function onSessionUnknown(state: LiveState, event: ResponseEvent): Step {
  const { pending, policy, acceptedAtMs } = state
  const failures = (pending?.failures ?? 0) + 1
  const delayMs = FIRST_GRACE_MS * 2 ** (failures - 1)
  const isNew = event.at + delayMs <= acceptedAtMs + policy.sessionGraceMs && event.at >= acceptedAtMs
  if (pending === undefined || !isNew) {
    return reconnect(state, event, { reason: 'session-unknown', backOff: true })
  }
  return [{ ...state, pending: { ...pending, failures } }, [{ type: 'start-timer', timer: 'call', delayMs }]]
}

function retryLater(
  state: LiveState,
  event: ResponseEvent,
  failed: CallRejection & { readonly retryAfterMs?: number | undefined },
  retry?: BoundedRetry | undefined,
): Step {
  const { pending, policy, connection } = state
  if (pending === undefined) return noChange(state)
  const failures = pending.failures + 1
  const { retryAfterMs } = failed
  const askedMs = retryAfterMs === undefined ? undefined : boundedRetryAfterMs(retryAfterMs)
  const delayMs = retry?.delayMs ?? askedMs ?? backoffMs(policy, failures, true, event.random)
  const { code, status, message } = failed
  const notice = {
    type: 'notice',
    kind: 'subscribe-failed',
    atMs: event.at,
    connection,
    code,
    status,
    message,
    delayMs,
    retriesLeft: retry?.retriesLeft,
  } as const
  const retries = pending.retries + (retry === undefined ? 0 : 1)
  const retried: PendingCall = { ...pending, failures, retries, delayMs }
  const [next, effects] =
    failures < FAILURES_BEFORE_OTHERS
      ? wait(state, retried)
      : advance({ ...state, pending: undefined, deferred: [...state.deferred, retried] }, event)
  return [next, [{ type: 'notify', notice }, ...effects]]
}

const wait = (state: LiveState, pending: PendingCall): Step => [
  { ...state, pending },
  [{ type: 'start-timer', timer: 'call', delayMs: pending.delayMs }],
]

/**
 * Handles rejected credentials. A first status 401 may concern a token that was just replaced. A second one
 * is final, unless calls succeeded before.
 */
function onUnauthorized(state: LiveState, event: ResponseEvent, outcome: OutcomeOf<'unauthorized'>): Step {
  const retry = nextRejectedCall(state, event, outcome)
  if (retry === undefined && state.callRejections > 0) {
    const { code, status } = outcome
    return end(state, { kind: 'auth-rejected', signal: 'call', status, code })
  }
  return retryRejected(state, event, outcome, retry)
}

/**
 * Handles a missing path or a failed token provider. The failure is final if no call succeeded before.
 * Otherwise the call is retried a few times, because a proxy may be reloading.
 */
function onUnusable(state: LiveState, event: ResponseEvent, outcome: OutcomeOf<'unusable'>): Step {
  const retry = nextRejectedCall(state, event, outcome)
  if (retry !== undefined) return retryRejected(state, event, outcome, retry)
  const { code, status, cause } = outcome
  return end(state, { kind: 'call-unusable', code, status, cause })
}

/**
 * Returns the next retry after a rejection that concerns all calls; `undefined` if no call succeeded before,
 * or no retry remains.
 */
function nextRejectedCall(
  { callRejections }: LiveState,
  event: ResponseEvent,
  { workedBefore }: OutcomeOf<'unauthorized' | 'unusable'>,
): BoundedRetry | undefined {
  return workedBefore ? nextRetry(callRejections, event.random) : undefined
}

function retryRejected(
  state: LiveState,
  event: ResponseEvent,
  rejection: CallRejection,
  retry: BoundedRetry | undefined,
): Step {
  return retryLater({ ...state, callRejections: state.callRejections + 1 }, event, rejection, retry)
}
