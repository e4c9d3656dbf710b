/**
 * From the difference between wanted and confirmed to calls, one at a time, and from their answers to what is confirmed. A
 * call that fails because of some of its symbols is sent again in halves, or without those that the service names.
 */
import {
  type BoundedRetry,
  backoffMs,
  boundedRetryAfterMs,
  nextRetry,
  unreachable,
} from '@brokerwire/core/internal'
import type { QuotesNotice } from '../notices.ts'
import { symbolsBy, typesOf, type Want, type Wants, wantKey, withoutTypes } from '../selection/wants.ts'
import type { CallOutcome, Refusal } from './call-outcome.ts'
import { callsForAll, confirmedAfter, halves, nextCall, type StreamingCall, withoutSymbols } from './calls.ts'
import type { ConnectionEffect, ConnectionEvent, LiveState, PendingCall } from './machine-types.ts'
import { end, lostOf, reconnect, type Step, stay } from './steps.ts'

/** A session that was just made may not be known for so long at first; then twice as long, and so on. */
const FIRST_GRACE_MS = 250
/** How often a call is sent in a row before those behind it go first. */
const FAILURES_BEFORE_OTHERS = 2

const DISARM_CALL: ConnectionEffect = { type: 'disarm', timer: 'call' }

type Answered = Extract<ConnectionEvent, { readonly type: 'answered' }>
type OutcomeOf<Kind> = Extract<CallOutcome, { readonly kind: Kind }>

const keysOf = ({ category, symbols }: StreamingCall): readonly string[] =>
  symbols.map((symbol) => wantKey(category, symbol))

/** Whether what a queued call asks for is still wanted: what is wanted may have changed since. */
function stillWanted(call: StreamingCall, wanted: Wants): boolean {
  return call.action === 'unsubscribe' || keysOf(call).every((key) => wanted.has(key))
}

/** Sends the next call, where none is under way; where there is none, all that is wanted is confirmed. */
export function advance(state: LiveState, event: ConnectionEvent): Step {
  const { pending } = state
  if (pending !== undefined) return pending.isLast ? goBefore(pending, state) : stay(state)
  const queue = state.queue.filter((call) => stillWanted(call, state.wanted))
  const [first, ...others] = queue
  const call = first ?? nextCall(state.wanted, withParked(state), state.maxSymbols)
  if (call === undefined) return unpark({ ...state, queue: [] }, event)
  return send({ ...state, queue: others }, firstOf(call))
}

/** Sends what is asked for besides a call that waits. Where that is nothing, its wait goes on: it would never end otherwise. */
function goBefore(last: PendingCall, state: LiveState): Step {
  const parked = [{ ...last, isLast: false }, ...state.parked]
  const call = nextCall(state.wanted, withParked({ ...state, parked }), state.maxSymbols)
  if (call === undefined) return stay(state)
  const [next, effects] = send({ ...state, parked }, firstOf(call))
  return [next, [DISARM_CALL, ...effects]]
}

const firstOf = (call: StreamingCall): PendingCall => ({
  call,
  failures: 0,
  retries: 0,
  delayMs: 0,
  isLast: false,
})

function send(state: LiveState, pending: PendingCall): Step {
  const number = state.call + 1
  return [
    { ...state, call: number, pending: { ...pending, isLast: false } },
    [{ type: 'call', attempt: state.attempt, number, call: pending.call }],
  ]
}

/** What is confirmed once those that failed are done: they are not asked for beside themselves. */
function withParked({ confirmed, parked }: LiveState): Wants {
  let after = confirmed
  for (const { call } of parked) after = confirmedAfter(after, call)
  return after
}

/** Nothing is left to ask for but what failed before. */
function unpark(state: LiveState, event: ConnectionEvent): Step {
  const [pending, ...parked] = state.parked
  if (pending === undefined) return settled(state, event)
  return wait({ ...state, parked }, { ...pending, isLast: true })
}

/** Nothing is left to ask for. */
function settled(state: LiveState, event: ConnectionEvent): Step {
  if (state.told) return stay(state)
  const { connection, confirmed } = state
  const notice = {
    type: 'notice',
    kind: 'subscribed',
    atMs: event.at,
    connection,
    symbols: confirmed.size,
  } as const
  // Whatever is still lost was refused.
  return [{ ...state, told: true, lost: new Map() }, [{ type: 'notify', notice }]]
}

/** What was lost and is confirmed again is told at once, by the instant of its loss: what else is asked for may never be. */
function comeBack(state: LiveState, atMs: number): readonly [LiveState, readonly ConnectionEffect[]] {
  const { connection, confirmed, lost } = state
  const gaps = symbolsBy((_, key) => lost.get(key) ?? atMs, lost.keys(), confirmed)
  const effects = [...gaps].map(([fromMs, symbols]): ConnectionEffect => {
    const notice = { type: 'notice', kind: 'gap', atMs, connection, fromMs, toMs: atMs, symbols } as const
    return { type: 'notify', notice }
  })
  return [{ ...state, lost: new Map([...lost].filter(([key]) => !confirmed.has(key))) }, effects]
}

/** What is wanted has changed. */
export function onWant(state: LiveState, event: ConnectionEvent): Step {
  // What is wanted again after all, and what is only wanted in part, is looked at anew.
  const isKept = ({ call }: PendingCall): boolean =>
    keysOf(call).every((key) => state.wanted.has(key) === (call.action === 'subscribe'))
  const next: LiveState = { ...state, told: false, parked: state.parked.filter(isKept) }
  if (!state.pending?.isLast || isKept(state.pending)) return advance(next, event)
  const [after, effects] = advance({ ...next, pending: undefined }, event)
  return [after, [DISARM_CALL, ...effects]]
}

/** Sends all that is wanted once more, after what is under way. */
export function onReassert(state: LiveState, event: ConnectionEvent): Step {
  const again: ConnectionEffect = {
    type: 'arm',
    timer: 'reassert',
    delayMs: state.policy.reassertMs ?? state.policy.quietMs,
  }
  // What is not confirmed yet is asked for anyway.
  const queue = state.told ? callsForAll(state.wanted, state.maxSymbols) : state.queue
  const [next, effects] = advance({ ...state, queue }, event)
  return [next, [again, ...effects]]
}

/** The time before a call is repeated is over. Where less is wanted by now, the difference is looked at anew. */
export function repeatCall(state: LiveState, event: ConnectionEvent): Step {
  const { pending } = state
  if (pending === undefined) return stay(state)
  if (!stillWanted(pending.call, state.wanted)) return advance({ ...state, pending: undefined }, event)
  return send(state, pending)
}

/** An answer of the call that is under way. */
export function onAnswer(state: LiveState, event: Answered): Step {
  const { pending } = state
  if (pending === undefined || event.call !== state.call) return stay(state)
  const { call } = pending
  const { outcome } = event
  const asked: LiveState = { ...state, pending: undefined }
  if (outcome.kind === 'done') {
    // The service answers: whatever failed is worth another call, all of it together.
    const confirmed = confirmedAfter(state.confirmed, call)
    const after = { ...asked, parked: [], confirmed, callRefusals: 0 }
    const [back, gaps] = comeBack(after, event.at)
    const [next, effects] = advance(back, event)
    return [next, [...effects, ...gaps]]
  }
  switch (outcome.kind) {
    case 'session-unknown':
      return onSessionUnknown(state, event)
    case 'failed':
      return repeatLater(state, event, outcome)
    case 'unauthorized':
      return onUnauthorized(state, event, outcome)
    case 'unusable':
      return onUnusable(state, event, outcome)
    default:
  }
  // What cannot be taken away is gone: the service does not know it there.
  if (call.action === 'unsubscribe') {
    return advance({ ...asked, confirmed: confirmedAfter(state.confirmed, call) }, event)
  }
  if (outcome.kind === 'unknown' || outcome.kind === 'refused') {
    // A call that worked before the connection was lost is not refused at once.
    const workedBefore = keysOf(call).every((key) => state.lost.has(key))
    const isUnknown = outcome.kind === 'unknown' || workedBefore
    const retry = isUnknown ? nextRetry(pending.retries, event.draw, retryAfterOf(outcome)) : undefined
    if (retry !== undefined) return repeatLater(state, event, outcome, retry)
    return reject(asked, event, call, outcome)
  }
  return onRefusal(asked, event, call, outcome)
}

const retryAfterOf = (outcome: CallOutcome): number | undefined =>
  'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined

function onRefusal(
  state: LiveState,
  event: Answered,
  call: StreamingCall,
  outcome: OutcomeOf<'symbols-refused' | 'too-many'>,
): Step {
  switch (outcome.kind) {
    case 'too-many':
      return call.symbols.length > 1 ? inHalves(state, event, call) : overflow(state, event)
    case 'symbols-refused': {
      const { symbols } = outcome
      if (symbols === undefined) {
        return call.symbols.length > 1 ? inHalves(state, event, call) : reject(state, event, call, outcome)
      }
      const rest = withoutSymbols(call, new Set(symbols))
      return reject(state, event, { ...call, symbols }, outcome, rest)
    }
    default:
      return unreachable(outcome)
  }
}

function inHalves(state: LiveState, event: Answered, call: StreamingCall): Step {
  return advance({ ...state, queue: [...halves(call), ...state.queue] }, event)
}

/** @param rest - What of the call is sent next. */
function reject(
  state: LiveState,
  event: Answered,
  call: StreamingCall,
  { code, message }: Refusal,
  rest?: StreamingCall | undefined,
): Step {
  const keys = keysOf(call)
  const notice: QuotesNotice = {
    type: 'notice',
    kind: 'rejected',
    atMs: event.at,
    symbols: call.symbols.map((symbol) => ({ category: call.category, symbol })),
    types: typesOf(call.types),
    code,
    message,
  }
  const wanted = withoutTypes(state.wanted, keys, call.types)
  const queue = rest === undefined ? state.queue : [rest, ...state.queue]
  const [next, effects] = advance({ ...state, wanted, queue }, event)
  // Whoever is told may change what is wanted, which is without them by then.
  return [next, [{ type: 'reject', keys, types: call.types }, { type: 'notify', notice }, ...effects]]
}

/** Not even one more symbol: what is not confirmed goes elsewhere. */
function overflow(state: LiveState, event: Answered): Step {
  const { confirmed } = state
  const isWhole = ([key, want]: readonly [string, Want]): boolean =>
    (want.types & ~(confirmed.get(key)?.types ?? 0)) === 0
  const wanted = new Map([...state.wanted].filter(isWhole))
  const keys = [...state.wanted.keys()].filter((key) => !wanted.has(key))
  const [next, effects] = advance({ ...state, wanted, queue: [] }, event)
  const lost = new Map([...lostOf(state)].filter(([key]) => !wanted.has(key)))
  return [next, [{ type: 'overflow', keys, capacity: wanted.size, lost }, ...effects]]
}

/** Just after CONNACK the session may not be known yet. Later it is dead, or it never was in this environment. */
function onSessionUnknown(state: LiveState, event: Answered): Step {
  const { pending, policy, acceptedAtMs } = state
  const failures = (pending?.failures ?? 0) + 1
  const delayMs = FIRST_GRACE_MS * 2 ** (failures - 1)
  const isNew = event.at + delayMs <= acceptedAtMs + policy.sessionGraceMs && event.at >= acceptedAtMs
  if (pending === undefined || !isNew) {
    return reconnect(state, event, { reason: 'session-unknown', hold: true })
  }
  return [{ ...state, pending: { ...pending, failures } }, [{ type: 'arm', timer: 'call', delayMs }]]
}

function repeatLater(
  state: LiveState,
  event: Answered,
  failed: Refusal & { readonly retryAfterMs?: number | undefined },
  retry?: BoundedRetry | undefined,
): Step {
  const { pending, policy, connection } = state
  if (pending === undefined) return stay(state)
  const failures = pending.failures + 1
  const { retryAfterMs } = failed
  const askedMs = retryAfterMs === undefined ? undefined : boundedRetryAfterMs(retryAfterMs)
  const delayMs = retry?.delayMs ?? askedMs ?? backoffMs(policy, failures, true, event.draw)
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
  const again: PendingCall = { ...pending, failures, retries, delayMs }
  const [next, effects] =
    failures < FAILURES_BEFORE_OTHERS
      ? wait(state, again)
      : advance({ ...state, pending: undefined, parked: [...state.parked, again] }, event)
  return [next, [{ type: 'notify', notice }, ...effects]]
}

const wait = (state: LiveState, pending: PendingCall): Step => [
  { ...state, pending },
  [{ type: 'arm', timer: 'call', delayMs: pending.delayMs }],
]

/** Once it may be a token that was just replaced; twice in a row it is not, unless calls succeeded before. */
function onUnauthorized(state: LiveState, event: Answered, outcome: OutcomeOf<'unauthorized'>): Step {
  const retry = nextRefusedCall(state, event, outcome)
  if (retry === undefined && state.callRefusals > 0) {
    const { code, status } = outcome
    return end(state, { kind: 'auth-rejected', signal: 'call', status, code })
  }
  return repeatRefused(state, event, outcome, retry)
}

/** Nobody at the path, or a token source that gave up. At first that is final; later a proxy may be reloading. */
function onUnusable(state: LiveState, event: Answered, outcome: OutcomeOf<'unusable'>): Step {
  const retry = nextRefusedCall(state, event, outcome)
  if (retry !== undefined) return repeatRefused(state, event, outcome, retry)
  const { code, status, cause } = outcome
  return end(state, { kind: 'call-unusable', code, status, cause })
}

/** The next attempt after a refusal that concerns all calls; `undefined` if none succeeded before, or none is left. */
function nextRefusedCall(
  { callRefusals }: LiveState,
  event: Answered,
  { workedBefore }: OutcomeOf<'unauthorized' | 'unusable'>,
): BoundedRetry | undefined {
  return workedBefore ? nextRetry(callRefusals, event.draw) : undefined
}

function repeatRefused(
  state: LiveState,
  event: Answered,
  refusal: Refusal,
  retry: BoundedRetry | undefined,
): Step {
  return repeatLater({ ...state, callRefusals: state.callRefusals + 1 }, event, refusal, retry)
}
