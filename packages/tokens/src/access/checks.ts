/**
 * Asking the service about a token, and noting what it says. What came of asking for a usable token holds for a poll's
 * interval, an error too: a service that is down is not asked at every call of everybody.
 */
import { type AbortSignalLike, abortable, type Secret, throwIfAborted } from '@brokerwire/core'
import { callApi, callFailed, unanswered } from '../api-call.ts'
import { tellCall } from '../observation.ts'
import { withTimeLimit } from '../single-flight.ts'
import { isTokensError } from '../tokens-error.ts'
import type { AccessTokenRecord, ApiFailure, TokenStatus } from '../types.ts'
import { expiryAfter, isOver } from './machine.ts'
import type { AccessSettings } from './options.ts'
import { sameToken, type UsableToken } from './record.ts'
import type { AccessStore } from './store.ts'

/** What came of a check. */
export type Checked =
  | { readonly failure: ApiFailure }
  | {
      readonly failure?: undefined
      readonly answer: AccessTokenRecord
      readonly status: TokenStatus
      readonly nowMs: number
      /** Another token has taken its place in the store meanwhile. */
      readonly isReplaced: boolean
    }

/** Checks a token and notes what the service says. */
export type Check = (token: Secret, signal: AbortSignalLike) => Promise<Checked>

/** Makes the check. */
export function createCheck(settings: AccessSettings, store: AccessStore): Check {
  const { api, clock, callTimeoutMs, rejectionCodes, observe } = settings
  /** A refusal that says that there is no such token says as much as the status INVALID. */
  const isNoToken = ({ kind, status, code }: ApiFailure): boolean =>
    kind === 'refused' && status === 401 && code !== undefined && rejectionCodes.includes(code)

  return async (token, signal) => {
    throwIfAborted(signal)
    const call = callApi(clock, callTimeoutMs, (options) => api.check(token, options), signal)
    const result = await abortable(call, signal)
    tellCall(observe, 'check', result)
    if (!result.ok && !isNoToken(result.failure)) return result
    const answer = result.ok ? result.value : { token, expiresAtMs: undefined, status: 'INVALID' }
    const nowMs = clock.now()
    const before = await store.apply({ type: 'checked', token, nowMs, answer })
    return { answer, status: answer.status, nowMs, isReplaced: before === undefined }
  }
}

/** Asks whether a usable token still is one, and remembers. */
export interface Inquiry {
  /** NORMAL was said a moment ago. */
  isKnownNormal(token: UsableToken): boolean
  /** NORMAL was said a moment ago, when the token's time was over here: asking again would bring the same. */
  isKnownOver(token: UsableToken): boolean
  /**
   * Asks. A caller that waits asks again after an error.
   *
   * @param limitMs - How long the answer is waited for; without it, as long as a call may take.
   * @returns The token as the service has it, where it is NORMAL.
   * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_STORE_FAILED`; the signal's reason.
   */
  ask(
    token: UsableToken,
    wait: boolean,
    signal: AbortSignalLike | undefined,
    limitMs?: number,
  ): Promise<UsableToken | undefined>
}

/** @param check - Shares one check among all who ask. */
export function createInquiry(
  { clock, pollIntervalMs }: AccessSettings,
  check: (token: UsableToken, signal: AbortSignalLike | undefined) => Promise<Checked>,
): Inquiry {
  let last: { token: Secret; atMs: number; normal?: UsableToken; error?: unknown } | undefined

  const recent = ({ token }: UsableToken): typeof last => {
    const sinceMs = last === undefined ? Number.NaN : clock.now() - last.atMs
    return sameToken(last?.token, token) && sinceMs >= 0 && sinceMs < pollIntervalMs ? last : undefined
  }
  const askNow = async (current: UsableToken, checking: Promise<Checked | undefined>) => {
    const checked = (await checking) ?? { failure: unanswered() }
    if (checked.failure !== undefined) throw callFailed('check', checked.failure)
    if (checked.status !== 'NORMAL') return undefined
    const normal = { token: current.token, expiresAtMs: expiryAfter(current.expiresAtMs, checked) }
    last = { token: current.token, atMs: clock.now(), normal }
    return normal
  }

  return {
    isKnownNormal: (token) => recent(token)?.normal !== undefined,
    isKnownOver(token) {
      const { normal, atMs = 0 } = recent(token) ?? {}
      return normal !== undefined && isOver(normal, atMs)
    },
    async ask(current, wait, signal, limitMs = Number.POSITIVE_INFINITY) {
      const error = recent(current)?.error
      if (!wait && error !== undefined) throw error
      const checking = withTimeLimit(clock, limitMs, signal, (own) => check(current, own))
      return askNow(current, checking).catch((failure: unknown) => {
        if (isTokensError(failure) && !signal?.aborted)
          last = { token: current.token, atMs: clock.now(), error: failure }
        throw failure
      })
    },
  }
}
