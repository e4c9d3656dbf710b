/**
 * Checks of a token with the service. The result of a check of a usable token, also an error, is reused for
 * `pollIntervalMs`, so that a failing service is not called again for each `get()`.
 */
import type { AbortSignalLike, Secret } from '@brokerwire/core'
import { abortable, throwIfAborted, withTimeoutOrUndefined } from '@brokerwire/core/internal'
import { callEndpoint, callFailed, noResponseFailure } from '../token-call.ts'
import { isTokensError } from '../tokens-error.ts'
import type { AccessTokenResponse, TokenCallFailure, TokenCallResult } from '../types.ts'
import { isExpired } from './machine.ts'
import { type StoredAccessToken, sameToken, type UsableToken } from './record.ts'
import type { AccessContext } from './store.ts'

/**
 * Checks a token and records the status in the store. A token that the service rejects with one of
 * `rejectionCodes` counts as INVALID.
 *
 * @param isPending - Whether the token was pending when the check began. If it has become the current token
 * since then, a PENDING response is ignored.
 */
export type Check = (
  token: Secret,
  signal: AbortSignalLike,
  isPending?: boolean,
) => Promise<TokenCallResult<AccessTokenResponse>>

/** Statuses that are recorded even if the token is no longer pending. */
const FINAL_OR_NORMAL: readonly string[] = ['NORMAL', 'INVALID', 'EXPIRED']

/** Creates the function that checks a token. */
export function createCheck(context: AccessContext): Check {
  const { endpoints, clock, rejectionCodes, store } = context
  /** A rejection with one of `rejectionCodes` means the same as the status INVALID. */
  const isTokenRejected = ({ kind, status, code }: TokenCallFailure): boolean =>
    kind === 'rejected' && status === 401 && code !== undefined && rejectionCodes.includes(code)

  return async (token, signal, isPending = false) => {
    throwIfAborted(signal)
    const call = callEndpoint(context, 'check', (options) => endpoints.check(token, options), { signal })
    const result = await abortable(call, signal)
    if (!result.ok && !isTokenRejected(result.failure)) return result
    const response = result.ok ? result.value : { token, expiresAtMs: undefined, status: 'INVALID' }
    const isRelevant = ({ pending }: StoredAccessToken): boolean =>
      !isPending || FINAL_OR_NORMAL.includes(response.status) || sameToken(pending?.token, token)
    await store.apply({ type: 'checked', token, nowMs: clock.now(), response }, isRelevant)
    return { ok: true, value: response }
  }
}

/**
 * Creates the function that verifies a usable token with the service and remembers the result.
 *
 * @param check - Checks a token. Callers at the same time share one check.
 */
export function createServiceVerifier(
  { clock, pollIntervalMs, store }: AccessContext,
  check: (token: UsableToken, signal: AbortSignalLike | undefined) => ReturnType<Check>,
) {
  let last: { token: Secret; atMs: number; normal?: UsableToken | undefined; error?: unknown } | undefined

  /**
   * Verifies the token. If the remembered result is an error, a caller with `wait` checks again, and other
   * callers get that error.
   *
   * @param limitMs - The longest wait for the response in milliseconds. Default: only the time limit of a
   * call applies.
   * @returns The token with its expiry after the check; `undefined` if the token is no longer usable.
   * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_STORE_FAILED`; the signal's reason.
   */
  return async (
    candidate: UsableToken,
    wait: boolean,
    signal: AbortSignalLike | undefined,
    limitMs = Number.POSITIVE_INFINITY,
  ): Promise<UsableToken | undefined> => {
    const { token } = candidate
    const sinceMs = clock.now() - (last?.atMs ?? Number.NaN)
    const isRecent = sameToken(last?.token, token) && sinceMs >= 0 && sinceMs < pollIntervalMs
    const known = isRecent ? last : undefined
    if (!wait && known?.error !== undefined) throw known.error
    // A token that has expired since the remembered check must be checked again.
    if (known?.normal && isExpired(known.normal, known.atMs) === isExpired(candidate, clock.now()))
      return known.normal
    try {
      const checked = await withTimeoutOrUndefined(clock, limitMs, signal, (limited) =>
        check(candidate, limited),
      )
      if (!checked?.ok) throw callFailed('check', checked?.failure ?? noResponseFailure())
      const { current } = await store.load()
      const normal = sameToken(current?.token, token) ? current : undefined
      last = { token, atMs: clock.now(), normal }
      return normal
    } catch (error) {
      if (isTokensError(error) && !signal?.aborted) last = { token, atMs: clock.now(), error }
      throw error
    }
  }
}
