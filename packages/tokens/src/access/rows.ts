/** What the rows of the access-token machine share. */

import { rowsOf } from '../state-table.ts'
import type { AccessTokenRecord, ApiFailure } from '../types.ts'
import type { AccessTokenEffect, AccessTokenEvent, AccessTokenOutcome, AccessTokenState } from './state.ts'

/** Makes a row of the access-token machine. */
export const row = rowsOf<AccessTokenState, AccessTokenEvent, AccessTokenEffect>()

/** An event that carries the service's answer. */
export type Answered = { readonly record: AccessTokenRecord; readonly nowMs: number }

/** The end of an undertaking. */
export const settled = (outcome: AccessTokenOutcome, failure?: ApiFailure): AccessTokenEffect => ({
  type: 'settled',
  outcome,
  failure,
})
/** The new state goes into the store before the undertaking ends. */
export const savedAs =
  (outcome: AccessTokenOutcome) =>
  (_state: unknown, _event: unknown): readonly AccessTokenEffect[] => [{ type: 'save' }, settled(outcome)]

/** Whether the service calls a token NORMAL whose time is over. */
export const isOver = ({ record, nowMs }: Answered): boolean =>
  record.status === 'NORMAL' && record.expiresAtMs !== undefined && record.expiresAtMs <= nowMs
/** Whether the answer has this status. */
export const says =
  (status: string) =>
  (_state: unknown, event: Answered): boolean =>
    event.record.status === status
/** Whether the answer makes the token usable. */
export const usable = (_state: unknown, event: Answered): boolean =>
  event.record.status === 'NORMAL' && !isOver(event)

/** A check that states no expiry leaves the known one, unless the service calls a token NORMAL past it. */
export const expiryAfter = (knownMs: number | undefined, { record, nowMs }: Answered): number | undefined =>
  record.expiresAtMs ?? (knownMs !== undefined && knownMs > nowMs ? knownMs : undefined)
