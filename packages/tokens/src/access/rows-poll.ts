/** A token that awaits its second factor: the poll, its timeout, and what the service says. */
import { type Answered, expiryAfter, row, savedAs, says, settled } from './rows.ts'
import type { AccessTokenEffect, PendingToken, Poll } from './state.ts'

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

/** Rows of the poll. */
export const POLL_ROWS = [
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
    // Whatever this host's clock says of its expiry.
    when: ['NORMAL', says('NORMAL')],
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
] as const
