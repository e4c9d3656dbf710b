/** From nothing to a token: the create and its answer. */

import type { ApiFailure, ApiFailureKind } from '../types.ts'
import { isOver, row, savedAs, says, settled, usable } from './rows.ts'

const UNKNOWN_OUTCOME: readonly ApiFailureKind[] = ['no-answer', 'server-error', 'bad-answer']
/** Whether something may have happened at the service although the call failed. */
const outcomeUnknown = (_state: unknown, { failure }: { readonly failure: ApiFailure }): boolean =>
  UNKNOWN_OUTCOME.includes(failure.kind)

/** Rows of the create. */
export const CREATE_ROWS = [
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
] as const
