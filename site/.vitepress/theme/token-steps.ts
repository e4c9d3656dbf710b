/** The events that a reader of the workbench can choose for an access token. The state machine is that of the package. */
import { Secret } from '@brokerwire/core'
import {
  type AccessTokenEvent,
  type accessTokenState,
  accessTokenTransition,
  type StoredAccessToken,
} from '@brokerwire/tokens'

const MINUTE_MS = 60_000
const VALIDITY_MS = 15 * 24 * 60 * MINUTE_MS

/** A record, and the time of the page: it moves only with the buttons. */
export interface TokenView {
  readonly record: StoredAccessToken
  readonly nowMs: number
}

export const EMPTY_VIEW: TokenView = { record: {}, nowMs: Date.UTC(2026, 0, 31, 12) }

/** A button of the page. */
export interface TokenStep {
  readonly label: string
  /** Returns the view after the step, or the same record and time if the step has no effect. */
  apply(view: TokenView): TokenView
}

const response = (token: Secret, status: string, nowMs: number) => ({
  token,
  status,
  expiresAtMs: nowMs + VALIDITY_MS,
})

/** Creates a step from an event. The event is `undefined` if it cannot happen now. */
const step = (label: string, eventOf: (view: TokenView) => AccessTokenEvent | undefined): TokenStep => ({
  label,
  apply(view) {
    const event = eventOf(view)
    return event === undefined ? view : { ...view, record: accessTokenTransition(view.record, event) }
  },
})

const created = (label: string, status: string): TokenStep =>
  step(label, ({ record, nowMs }) => {
    if (record.lastCreate === undefined) return
    const { atMs } = record.lastCreate
    return {
      type: 'created',
      atMs,
      nowMs,
      response: response(new Secret(`token-${atMs}-${status}`), status, nowMs),
    }
  })

const checked = (label: string, status: string): TokenStep =>
  step(label, ({ record, nowMs }) => {
    const token = (record.pending ?? record.current)?.token
    return token && { type: 'checked', token, nowMs, response: response(token, status, nowMs) }
  })

/** Moves the time. A reader of the record then sees it as `accessTokenTransition` returns it for that time. */
const wait = (label: string, ms: number): TokenStep => ({
  label,
  apply: ({ record, nowMs }) => ({
    record: accessTokenTransition(record, { type: 'time', nowMs: nowMs + ms }),
    nowMs: nowMs + ms,
  }),
})

/** All steps, in the order of the page. */
export const TOKEN_STEPS: readonly TokenStep[] = [
  {
    label: 'Send a create request',
    // A second create within the same instant would have the same identity.
    apply: ({ record, nowMs }) => ({
      record: accessTokenTransition(record, { type: 'create', atMs: nowMs }),
      nowMs: nowMs + 1000,
    }),
  },
  created('Response: NORMAL', 'NORMAL'),
  created('Response: PENDING, a person must enter a code', 'PENDING'),
  step(
    'No response to the create',
    ({ record }) =>
      record.lastCreate && { type: 'create-failed', atMs: record.lastCreate.atMs, kind: 'no-response' },
  ),
  step(
    'The create is rejected',
    ({ record }) =>
      record.lastCreate && { type: 'create-failed', atMs: record.lastCreate.atMs, kind: 'rejected' },
  ),
  checked('Check: NORMAL, the code was entered', 'NORMAL'),
  checked('Check: still PENDING', 'PENDING'),
  checked('Check: INVALID', 'INVALID'),
  checked('Check: EXPIRED', 'EXPIRED'),
  wait('Wait 5 minutes', 5 * MINUTE_MS),
  wait('Wait 15 days', VALIDITY_MS),
]

/** The meaning of each state for a caller of `get()`. */
export const TOKEN_STATES: ReadonlyMap<ReturnType<typeof accessTokenState>, string> = new Map([
  ['none', 'There is no token. The first get() creates one.'],
  ['unresolved', 'A create was sent, and its result is not known yet.'],
  ['pending', 'A person must enter a code. get() waits, or fails with TOKEN_PENDING.'],
  ['unrecognized', 'The service returned an unknown status. get() continues to check.'],
  ['normal', 'get() returns the token.'],
  ['renewing', 'get() returns the old token, while the new one waits for its code.'],
  ['expired', 'The token has expired. In production only renew() asks a person again.'],
  ['invalid', 'The service ended the token. In production only renew() asks a person again.'],
  ['unreadable', 'The stored record cannot be read. renew() replaces it.'],
])

/** Whether the step changes the record. Steps of time always apply. */
export function isPossible({ apply }: TokenStep, view: TokenView): boolean {
  const after = apply(view)
  return after.record !== view.record || after.nowMs - view.nowMs > 1000
}
