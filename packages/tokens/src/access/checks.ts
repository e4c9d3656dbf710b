/**
 * Asking the service about a token, and noting what it says. What came of asking for a usable token holds for a poll's
 * interval, an error too: a service that is down is not asked at every call.
 */
import type { AbortSignalLike, Secret } from '@brokerwire/core'
import { abortable, throwIfAborted, withTimeoutOrUndefined } from '@brokerwire/core/internal'
import { callEndpoint, callFailed, unanswered } from '../token-call.ts'
import { isTokensError } from '../tokens-error.ts'
import type { AccessTokenResponse, TokenCallFailure, TokenCallResult } from '../types.ts'
import { isOver } from './machine.ts'
import { type StoredAccessToken, sameToken, type UsableToken } from './record.ts'
import type { AccessContext } from './store.ts'

/**
 * Checks a token, and notes in the store what the service says. A token that the service does not know is INVALID.
 *
 * @param isPending - It was asked about as one that waits: that it waits is no news once it is the current one.
 */
export type Check = (
  token: Secret,
  signal: AbortSignalLike,
  isPending?: boolean,
) => Promise<TokenCallResult<AccessTokenResponse>>

const DECIDED: readonly string[] = ['NORMAL', 'INVALID', 'EXPIRED']

/** Makes the check. */
export function createCheck(context: AccessContext): Check {
  const { endpoints, clock, rejectionCodes, store } = context
  /** A refusal that says that there is no such token says as much as the status INVALID. */
  const isNoToken = ({ kind, status, code }: TokenCallFailure): boolean =>
    kind === 'rejected' && status === 401 && code !== undefined && rejectionCodes.includes(code)

  return async (token, signal, isPending = false) => {
    throwIfAborted(signal)
    const call = callEndpoint(context, 'check', (options) => endpoints.check(token, options), signal)
    const result = await abortable(call, signal)
    if (!result.ok && !isNoToken(result.failure)) return result
    const answer = result.ok ? result.value : { token, expiresAtMs: undefined, status: 'INVALID' }
    const isNews = ({ pending }: StoredAccessToken): boolean =>
      !isPending || DECIDED.includes(answer.status) || sameToken(pending?.token, token)
    await store.apply({ type: 'checked', token, nowMs: clock.now(), answer }, isNews)
    return { ok: true, value: answer }
  }
}

/**
 * Asks whether a usable token still is one, and remembers the answer.
 *
 * @param check - Shares one check among all who ask.
 */
export function createInquiry(
  { clock, pollIntervalMs, store }: AccessContext,
  check: (token: UsableToken, signal: AbortSignalLike | undefined) => ReturnType<Check>,
) {
  let last: { token: Secret; atMs: number; normal?: UsableToken | undefined; error?: unknown } | undefined

  /**
   * Asks. A caller that waits asks again after an error.
   *
   * @param limitMs - How long the answer is waited for; without it, as long as a call may take.
   * @returns The token as the service has it, where it is NORMAL.
   * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_STORE_FAILED`; the signal's reason.
   */
  return async (
    asked: UsableToken,
    wait: boolean,
    signal: AbortSignalLike | undefined,
    limitMs = Number.POSITIVE_INFINITY,
  ): Promise<UsableToken | undefined> => {
    const { token } = asked
    const sinceMs = clock.now() - (last?.atMs ?? Number.NaN)
    const isRecent = sameToken(last?.token, token) && sinceMs >= 0 && sinceMs < pollIntervalMs
    const known = isRecent ? last : undefined
    if (!wait && known?.error !== undefined) throw known.error
    // One that has come to its end since is another matter.
    if (known?.normal && isOver(known.normal, known.atMs) === isOver(asked, clock.now())) return known.normal
    try {
      const checked = await withTimeoutOrUndefined(clock, limitMs, signal, (own) => check(asked, own))
      if (!checked?.ok) throw callFailed('check', checked?.failure ?? unanswered())
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
