/** Options of a measurement. */
import type { Secret } from '@brokerwire/core'
import type { Endpoint } from '@brokerwire/core/endpoints'
import type { Connection } from '../../settings/read-settings.ts'

/** The stored token, or the reason why there is no usable one. */
export type StoredToken = { readonly value: Secret } | { readonly missing: string }

/** Options of `measure`. */
export interface MeasureOptions {
  readonly connection: Connection
  readonly endpoint: Endpoint
  /** Accounts of the subscriptions. If there are none, those of the list of accounts are used. */
  readonly accounts: readonly string[]
  readonly token: StoredToken
  /** Time limit of each call, in milliseconds. */
  readonly timeoutMs: number
  /** Prints a line before a call. */
  readonly announce: (line: string) => void
  /** Asks before a step. */
  readonly confirm: (step: string) => Promise<boolean>
  readonly signal: AbortSignal
  /** Time between two calls, in milliseconds. */
  readonly pauseMs: number
  /** Longest wait for pings, in milliseconds. */
  readonly pingWaitMs: number
}

export const getToken = (token: StoredToken): Secret | undefined =>
  'value' in token ? token.value : undefined
