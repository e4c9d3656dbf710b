/**
 * The life of one access token (specification, "Access token status"), as a table.
 *
 * EXPIRED for a PENDING token is always the service's word, never this host's clock: a clock that jumps must not
 * throw away a verification that a person has given. Events that come late or twice find no row and change nothing.
 */

import { runTable } from '../state-table.ts'
import { CREATE_ROWS } from './rows-create.ts'
import { NORMAL_ROWS } from './rows-normal.ts'
import { POLL_ROWS } from './rows-poll.ts'
import type { AccessTokenEffect, AccessTokenEvent, AccessTokenState } from './state.ts'

/** The table. First match wins. */
export const ACCESS_TOKEN_TABLE = [...CREATE_ROWS, ...POLL_ROWS, ...NORMAL_ROWS] as const

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
