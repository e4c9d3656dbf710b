/** A usable token: its end, and what a check says of it. */
import { expiryAfter, row, savedAs, says, settled } from './rows.ts'

/** Rows of a usable token. */
export const NORMAL_ROWS = [
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
    // Whatever this host's clock says of its expiry: the service is who takes the token.
    when: ['NORMAL', says('NORMAL')],
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
    when: ['EXPIRED', says('EXPIRED')],
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
