/**
 * The life of one access token (specification, "Access token status"), as a table.
 *
 * EXPIRED for a PENDING token is always the service's word, never this host's clock: a clock that jumps must not
 * throw away a verification that a person has given. Events that come late or twice find no row and change nothing.
 */
import type {
  AccessTokenEffect,
  AccessTokenEvent,
  AccessTokenOutcome,
  AccessTokenState,
  PendingToken,
  Poll,
} from './access-state.ts'
import { rowsOf, runTable } from './state-table.ts'
import type { AccessTokenRecord, ApiFailure, ApiFailureKind } from './types.ts'

const row = rowsOf<AccessTokenState, AccessTokenEvent, AccessTokenEffect>()

type Answered = { readonly record: AccessTokenRecord; readonly nowMs: number }

const settled = (outcome: AccessTokenOutcome, failure?: ApiFailure): AccessTokenEffect => ({
  type: 'settled',
  outcome,
  failure,
})
const savedAs =
  (outcome: AccessTokenOutcome) =>
  (_state: unknown, _event: unknown): readonly AccessTokenEffect[] => [{ type: 'save' }, settled(outcome)]

const isOver = ({ record, nowMs }: Answered): boolean =>
  record.status === 'NORMAL' && record.expiresAtMs !== undefined && record.expiresAtMs <= nowMs
const says =
  (status: string) =>
  (_state: unknown, event: Answered): boolean =>
    event.record.status === status
const usable = (_state: unknown, event: Answered): boolean =>
  event.record.status === 'NORMAL' && !isOver(event)

const UNKNOWN_OUTCOME: readonly ApiFailureKind[] = ['no-answer', 'server-error', 'bad-answer']
/** Whether something may have happened at the service although the call failed. */
const outcomeUnknown = (_state: unknown, { failure }: { readonly failure: ApiFailure }): boolean =>
  UNKNOWN_OUTCOME.includes(failure.kind)

/** A check that states no expiry leaves the known one, unless the service calls a token NORMAL past it. */
const expiryAfter = (knownMs: number | undefined, { record, nowMs }: Answered): number | undefined =>
  record.expiresAtMs ?? (knownMs !== undefined && knownMs > nowMs ? knownMs : undefined)

/** The token as the check left it. */
const checkedPending = (pending: PendingToken, { record, nowMs }: Answered): PendingToken => ({
  ...pending,
  status: record.status,
  expiresAtMs: record.expiresAtMs ?? pending.expiresAtMs,
  checkedAtMs: nowMs,
})

/** The poll's end, moved along where the clock was set back since the last wait or check began. */
const endOf = (poll: Poll, nowMs: number): number => poll.endsAtMs - Math.max(0, poll.sinceMs - nowMs)
/** Whether another check fits in: the closing check, which began at the timeout, has none after it. */
const timeIsLeft = (poll: Poll, nowMs: number): boolean =>
  poll.sinceMs < poll.endsAtMs && nowMs < endOf(poll, nowMs)
/** The poll with its next check after `delayMs`; the last one falls on the timeout. */
const waitFor = (poll: Poll, nowMs: number, delayMs = poll.intervalMs): Poll => {
  const endsAtMs = endOf(poll, nowMs)
  return { ...poll, endsAtMs, nextAtMs: Math.min(nowMs + delayMs, endsAtMs), sinceMs: nowMs }
}
const wait = (_state: unknown, _event: unknown, { poll }: { readonly poll: Poll }): AccessTokenEffect => ({
  type: 'wait',
  untilMs: poll.nextAtMs,
})

/** The table. First match wins. */
export const ACCESS_TOKEN_TABLE = [
  row('create', {
    from: ['none'],
    to: 'creating',
    next: () => ({ name: 'creating' }),
    effects: (_state, { previousToken }) => [{ type: 'create', previousToken }],
  }),
  row('create', {
    from: ['uncertain'],
    when: ['the quiet time is over', (state, event) => event.nowMs >= state.untilMs],
    to: 'creating',
    next: () => ({ name: 'creating' }),
    effects: (_state, { previousToken }) => [{ type: 'create', previousToken }],
  }),

  row('created', {
    from: ['creating'],
    when: ['NORMAL', usable],
    to: 'normal',
    next: (_state, { record }) => ({ name: 'normal', token: record.token, expiresAtMs: record.expiresAtMs }),
    effects: savedAs('usable'),
  }),
  row('created', {
    from: ['creating'],
    when: ['INVALID', says('INVALID')],
    to: 'invalid',
    next: (_state, { record }) => ({ name: 'invalid', token: record.token, from: 'created' }),
    effects: savedAs('invalid'),
  }),
  row('created', {
    from: ['creating'],
    when: [
      'EXPIRED, or its expiry is over',
      (_state, event) => event.record.status === 'EXPIRED' || isOver(event),
    ],
    to: 'expired',
    next: (_state, { record }) => ({ name: 'expired', token: record.token, reason: 'created' }),
    effects: savedAs('expired'),
  }),
  row('created', {
    from: ['creating'],
    when: ['PENDING or an unknown status', () => true],
    to: 'pending',
    next: (_state, { record, nowMs }) => ({
      name: 'pending',
      pending: {
        token: record.token,
        status: record.status,
        expiresAtMs: record.expiresAtMs,
        createdAtMs: nowMs,
        checkedAtMs: undefined,
      },
    }),
    effects: (_state, { nowMs }) => [{ type: 'save' }, { type: 'notify', createdAtMs: nowMs }],
  }),
  row('create-failed', {
    from: ['creating'],
    when: ['its outcome is not known', outcomeUnknown],
    to: 'uncertain',
    next: (_state, { nowMs, quietMs }) => ({ name: 'uncertain', untilMs: nowMs + quietMs }),
    effects: (_state, { failure }) => [{ type: 'save' }, settled('failed', failure)],
  }),
  row('create-failed', {
    from: ['creating'],
    when: ['nothing was created', () => true],
    to: 'none',
    next: () => ({ name: 'none' }),
    effects: (_state, { failure }) => [{ type: 'save' }, settled('failed', failure)],
  }),

  row('follow', {
    from: ['pending'],
    to: 'waiting',
    next: ({ pending }, { nowMs, intervalMs, timeoutMs }) => {
      const lastMs = pending.checkedAtMs ?? pending.createdAtMs
      const restMs = timeoutMs === 0 || lastMs > nowMs ? 0 : Math.max(0, lastMs + intervalMs - nowMs)
      const poll = { intervalMs, endsAtMs: nowMs + timeoutMs, nextAtMs: nowMs, sinceMs: nowMs }
      return { name: 'waiting', pending, poll: waitFor(poll, nowMs, restMs) }
    },
    effects: (...step) => [wait(...step)],
  }),
  row('time', {
    from: ['waiting'],
    when: ['the clock was set back', ({ poll }, { nowMs }) => nowMs < poll.sinceMs],
    to: 'waiting',
    next: (state, { nowMs }) => ({ ...state, poll: waitFor(state.poll, nowMs) }),
    effects: (...step) => [wait(...step)],
  }),
  row('time', {
    from: ['waiting'],
    when: ['the next check is not due', ({ poll }, { nowMs }) => nowMs < poll.nextAtMs],
    to: 'waiting',
    next: (state) => state,
    effects: (...step) => [wait(...step)],
  }),
  row('time', {
    from: ['waiting'],
    // Timers fire a little late: the closing check belongs to the poll when it is late by less than one interval.
    when: ['the next check is due', ({ poll }, { nowMs }) => nowMs < poll.endsAtMs + poll.intervalMs],
    to: 'checking',
    next: (state, { nowMs }) => ({ ...state, name: 'checking', poll: { ...state.poll, sinceMs: nowMs } }),
    effects: ({ pending }) => [{ type: 'check', token: pending.token }],
  }),
  row('time', {
    from: ['waiting'],
    when: ['the poll’s timeout is long over', () => true],
    to: 'pending',
    next: ({ pending }) => ({ name: 'pending', pending }),
    effects: () => [settled('poll-timeout')],
  }),

  row('checked', {
    from: ['checking'],
    when: ['NORMAL', usable],
    to: 'normal',
    next: ({ pending }, event) => ({
      name: 'normal',
      token: pending.token,
      expiresAtMs: expiryAfter(pending.expiresAtMs, event),
    }),
    effects: savedAs('usable'),
  }),
  row('checked', {
    from: ['checking'],
    when: ['INVALID', says('INVALID')],
    to: 'invalid',
    next: ({ pending }) => ({ name: 'invalid', token: pending.token, from: 'pending' }),
    effects: savedAs('invalid'),
  }),
  row('checked', {
    from: ['checking'],
    when: ['EXPIRED: the window is over', says('EXPIRED')],
    to: 'expired',
    next: ({ pending }) => ({ name: 'expired', token: pending.token, reason: 'window' }),
    effects: savedAs('window-over'),
  }),
  row('checked', {
    from: ['checking'],
    when: ['NORMAL, but its expiry is over', (_state, event) => isOver(event)],
    to: 'expired',
    next: ({ pending }) => ({ name: 'expired', token: pending.token, reason: 'validity' }),
    effects: savedAs('expired'),
  }),
  row('checked', {
    from: ['checking'],
    when: ['undecided, time is left', ({ poll }, { nowMs }) => timeIsLeft(poll, nowMs)],
    to: 'waiting',
    next: ({ pending, poll }, event) => ({
      name: 'waiting',
      pending: checkedPending(pending, event),
      poll: waitFor(poll, event.nowMs),
    }),
    effects: (...step) => [{ type: 'save' }, wait(...step)],
  }),
  row('checked', {
    from: ['checking'],
    when: ['undecided at the poll’s timeout', () => true],
    to: 'pending',
    next: ({ pending }, event) => ({ name: 'pending', pending: checkedPending(pending, event) }),
    effects: savedAs('poll-timeout'),
  }),
  row('check-failed', {
    from: ['checking'],
    when: ['refused', (_state, { failure }) => failure.kind === 'refused'],
    to: 'pending',
    next: ({ pending }) => ({ name: 'pending', pending }),
    effects: (_state, { failure }) => [settled('failed', failure)],
  }),
  row('check-failed', {
    from: ['checking'],
    when: [
      'worth a repeat, time is left',
      ({ poll }, { nowMs, failure }) => timeIsLeft(poll, nowMs + (failure.retryAfterMs ?? 0)),
    ],
    to: 'waiting',
    next: ({ pending, poll }, { nowMs, failure }) => ({
      name: 'waiting',
      pending,
      poll: waitFor(poll, nowMs, Math.max(poll.intervalMs, failure.retryAfterMs ?? 0)),
    }),
    effects: (...step) => [wait(...step)],
  }),
  row('check-failed', {
    from: ['checking'],
    when: ['no time is left', () => true],
    to: 'pending',
    next: ({ pending }) => ({ name: 'pending', pending }),
    effects: (_state, { failure }) => [settled('poll-timeout', failure)],
  }),

  row('time', {
    from: ['normal'],
    when: [
      'its validity is over',
      ({ expiresAtMs }, { nowMs }) => expiresAtMs !== undefined && expiresAtMs <= nowMs,
    ],
    to: 'expired',
    next: ({ token }) => ({ name: 'expired', token, reason: 'validity' }),
    effects: () => [settled('expired')],
  }),
  row('verify', {
    from: ['normal'],
    to: 'verifying',
    next: (state) => ({ ...state, name: 'verifying' }),
    effects: ({ token }) => [{ type: 'check', token }],
  }),
  row('checked', {
    from: ['verifying'],
    when: ['NORMAL', usable],
    to: 'normal',
    next: (state, event) => ({
      name: 'normal',
      token: state.token,
      expiresAtMs: expiryAfter(state.expiresAtMs, event),
    }),
    effects: savedAs('usable'),
  }),
  row('checked', {
    from: ['verifying'],
    when: ['INVALID, as after no use', says('INVALID')],
    to: 'invalid',
    next: ({ token }) => ({ name: 'invalid', token, from: 'normal' }),
    effects: savedAs('invalid'),
  }),
  row('checked', {
    from: ['verifying'],
    when: [
      'EXPIRED, or its expiry is over',
      (_state, event) => event.record.status === 'EXPIRED' || isOver(event),
    ],
    to: 'expired',
    next: ({ token }) => ({ name: 'expired', token, reason: 'validity' }),
    effects: savedAs('expired'),
  }),
  row('checked', {
    from: ['verifying'],
    when: ['changed back to PENDING, or unknown', () => true],
    to: 'pending',
    next: ({ token, expiresAtMs }, { record, nowMs }) => ({
      name: 'pending',
      pending: {
        token,
        status: record.status,
        expiresAtMs: record.expiresAtMs ?? expiresAtMs,
        createdAtMs: nowMs,
        checkedAtMs: nowMs,
      },
    }),
    effects: () => [{ type: 'save' }],
  }),
  row('check-failed', {
    from: ['verifying'],
    to: 'normal',
    next: (state) => ({ ...state, name: 'normal' }),
    effects: (_state, { failure }) => [settled('failed', failure)],
  }),
] as const

/**
 * One step in the life of an access token. Pure: time arrives inside the events, effects are data.
 *
 * @returns The next state, and what is to be done, in this order. An event that does not fit the state is ignored on
 * purpose: the same state, no effects.
 */
export function accessTokenTransition(
  state: AccessTokenState,
  event: AccessTokenEvent,
): readonly [AccessTokenState, readonly AccessTokenEffect[]] {
  return runTable<AccessTokenState, AccessTokenEvent, AccessTokenEffect>(ACCESS_TOKEN_TABLE, state, event)
}
