/**
 * Asking the service for a token that counted as usable. What came of it holds for a poll's interval, an error too: a
 * service that is down is not asked at every call of everybody.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { callFailed, unanswered } from '../api-call.ts'
import { forAWhile } from '../for-a-while.ts'
import { isTokensError } from '../tokens-error.ts'
import { isOver } from './decision.ts'
import type { DriveResult } from './drive.ts'
import { sameToken } from './record.ts'
import type { UsableToken } from './state.ts'

/** What came of asking: the token as the service has it, where it is NORMAL, or an error. */
interface Answer {
  readonly token: UsableToken['token']
  readonly atMs: number
  readonly normal: UsableToken | undefined
  readonly error?: unknown
}

/** Asks, and remembers. */
export interface Inquiry {
  /** NORMAL was said a moment ago. */
  isKnownNormal(token: UsableToken): boolean
  /** NORMAL was said a moment ago, when the token's time was over here: asking again would bring the same. */
  isKnownOver(token: UsableToken): boolean
  /**
   * Asks. Who waits asks again after an error.
   *
   * @returns The token as the service has it, where it is NORMAL.
   * @throws TokensError `TOKEN_CALL_FAILED`, `TOKEN_STORE_FAILED`; the signal's reason.
   */
  ask(
    token: UsableToken,
    options: {
      readonly wait: boolean
      /** How long the answer is waited for; without it, as long as a call may take. */
      readonly limitMs?: number | undefined
      readonly signal: AbortSignalLike | undefined
    },
  ): Promise<UsableToken | undefined>
}

/** @param verify - Checks a token and saves what the service says of it. */
export function createInquiry(
  clock: Clock,
  pollIntervalMs: number,
  verify: (token: UsableToken, signal: AbortSignalLike | undefined) => Promise<DriveResult>,
): Inquiry {
  let last: Answer | undefined

  const recent = ({ token }: UsableToken): Answer | undefined => {
    const sinceMs = last === undefined ? Number.NaN : clock.now() - last.atMs
    return sameToken(last?.token, token) && sinceMs >= 0 && sinceMs < pollIntervalMs ? last : undefined
  }

  return {
    isKnownNormal: (token) => recent(token)?.normal !== undefined,
    isKnownOver(token) {
      const answer = recent(token)
      return answer?.normal !== undefined && isOver(answer.normal, answer.atMs)
    },
    async ask(current, { wait, limitMs, signal }) {
      const { token } = current
      const before = recent(current)
      if (!wait && before?.error !== undefined) throw before.error
      const check = (own: AbortSignalLike | undefined) => verify(current, own)
      try {
        const result = await (limitMs === undefined
          ? check(signal)
          : forAWhile(clock, limitMs, signal, check))
        const failure = result === undefined ? unanswered() : result.failure
        if (failure !== undefined) throw callFailed('check', failure)
        if (result?.state.name !== 'normal') return undefined
        last = { token, atMs: clock.now(), normal: result.state }
        return result.state
      } catch (error) {
        if (isTokensError(error) && !signal?.aborted)
          last = { token, atMs: clock.now(), normal: undefined, error }
        throw error
      }
    },
  }
}
