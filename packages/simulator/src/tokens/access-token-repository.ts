/** The issued access tokens. */
import { randomBytes } from 'node:crypto'
import type { Environment } from '@brokerwire/core/endpoints'
import {
  type AccessTokenRules,
  type AccessTokenStatus,
  type AccessTokenTimes,
  accessTokenStatus,
} from './access-token-state.ts'
import { evictOldest } from './evict-oldest.ts'

/** Options that decide how tokens behave. */
export interface AccessTokenPolicy extends AccessTokenRules {
  readonly environment: Environment
  readonly secondFactor: 'manual' | 'automatic'
  /**
   * Delay of the automatic second factor after the create request. It is at least 1, so that the status in
   * the response is PENDING.
   */
  readonly secondFactorDelayMs: number
  readonly validityMs: number
  /** Status of a new token in production if the create request contains a NORMAL token. */
  readonly renewal: 'second-factor' | 'normal'
  /** Whether a create request ends the app's earlier tokens. */
  readonly revokePreviousOnCreate: boolean
  /** Called after a token was issued or changed. */
  readonly onChange: (token: string, times: IssuedToken) => void
}

/** A stored token. */
export type IssuedToken = AccessTokenTimes & { readonly appKey: string }

/** A token in the format of the endpoints. */
export interface AccessTokenView {
  readonly token: string
  readonly expiresAtMs: number
  readonly status: AccessTokenStatus
}

/** Number of tokens by status, for the control server. */
type AccessTokenCounts = Readonly<Record<AccessTokenStatus, number>>

/**
 * The issued tokens. `nowMs` is the time of the request: a decision and the response about it must use the
 * same time.
 */
export interface AccessTokenRepository {
  /** Durations that decide the statuses. */
  readonly rules: AccessTokenRules
  create(appKey: string, previousToken: string | undefined, nowMs: number): AccessTokenView
  /** Creates a new usable token for a NORMAL token. Returns `undefined` if `token` is not NORMAL. */
  refresh(appKey: string, token: string, nowMs: number): AccessTokenView | undefined
  /** Returns a token with its status. An unknown token, or a token of another app, is INVALID. */
  check(appKey: string, token: string, nowMs: number): AccessTokenView
  /**
   * Returns whether a request with this token is allowed. If it is allowed, it counts as a use of the token.
   */
  use(appKey: string, token: string, nowMs: number): boolean
  /** Completes the second factor. @returns Number of tokens that became NORMAL. */
  approve(token: string | undefined, nowMs: number): number
  /** Ends one token or all tokens now. @returns Number of tokens that were ended. */
  end(status: 'INVALID' | 'EXPIRED', token: string | undefined, nowMs: number): number
  /** Changes the expiry of a token. @returns Whether the token is known. */
  setExpiry(token: string, expiresAtMs: number): boolean
  counts(nowMs: number): AccessTokenCounts
  readonly size: number
  /** Returns all tokens, oldest first. */
  entries(): Iterable<readonly [token: string, times: IssuedToken]>
  /** Restores a stored token. */
  restore(token: string, times: IssuedToken): void
  /** Returns the tokens whose second factor is pending, oldest first. */
  pending(nowMs: number): readonly AccessTokenView[]
}

/**
 * Maximum number of tokens. The oldest tokens are discarded, and are INVALID afterwards, as unknown tokens
 * are.
 */
const MAX_TOKENS = 10_000

/** Creates an empty token store. */
export function createAccessTokenRepository(policy: AccessTokenPolicy): AccessTokenRepository {
  const tokens = new Map<string, IssuedToken>()

  const getStatus = (times: AccessTokenTimes, nowMs: number): AccessTokenStatus =>
    accessTokenStatus(times, policy, nowMs)
  const view = (token: string, times: AccessTokenTimes, nowMs: number): AccessTokenView => ({
    token,
    expiresAtMs: times.expiresAtMs,
    status: getStatus(times, nowMs),
  })
  const selected = (token: string | undefined): (readonly [string, AccessTokenTimes])[] =>
    [...tokens].filter(([text]) => token === undefined || text === token)
  const change = (token: string, part: Partial<AccessTokenTimes>): void => {
    const times = tokens.get(token)
    if (times === undefined) return
    const changed = { ...times, ...part }
    tokens.set(token, changed)
    policy.onChange(token, changed)
  }
  const verifiedAt = (
    appKey: string,
    previousToken: string | undefined,
    nowMs: number,
  ): number | undefined => {
    if (policy.environment === 'sandbox') return nowMs
    const previous = previousToken === undefined ? undefined : tokens.get(previousToken)
    const isRenewal =
      policy.renewal === 'normal' && previous?.appKey === appKey && getStatus(previous, nowMs) === 'NORMAL'
    if (isRenewal) return nowMs
    return policy.secondFactor === 'automatic' ? nowMs + policy.secondFactorDelayMs : undefined
  }

  const issue = (appKey: string, verifiedAtMs: number | undefined, nowMs: number): AccessTokenView => {
    const times = {
      appKey,
      createdAtMs: nowMs,
      verifiedAtMs,
      lastUsedAtMs: undefined,
      expiresAtMs: nowMs + policy.validityMs,
      forced: undefined,
    }
    if (policy.revokePreviousOnCreate) {
      for (const [earlier, { appKey: owner }] of tokens)
        if (owner === appKey) change(earlier, { forced: 'INVALID' })
    }
    const token = randomBytes(16).toString('hex')
    tokens.set(token, times)
    evictOldest(tokens, MAX_TOKENS)
    policy.onChange(token, times)
    return view(token, times, nowMs)
  }

  return {
    rules: policy,
    create: (appKey, previousToken, nowMs) => issue(appKey, verifiedAt(appKey, previousToken, nowMs), nowMs),
    refresh(appKey, token, nowMs) {
      const times = tokens.get(token)
      const isUsable = times?.appKey === appKey && getStatus(times, nowMs) === 'NORMAL'
      return isUsable ? issue(appKey, nowMs, nowMs) : undefined
    },
    check(appKey, token, nowMs) {
      const times = tokens.get(token)
      if (times === undefined || times.appKey !== appKey) {
        return { token, expiresAtMs: nowMs, status: 'INVALID' }
      }
      return view(token, times, nowMs)
    },
    use(appKey, token, nowMs) {
      const times = tokens.get(token)
      if (times === undefined || times.appKey !== appKey || getStatus(times, nowMs) !== 'NORMAL') return false
      change(token, { lastUsedAtMs: nowMs })
      return true
    },
    approve(token, nowMs) {
      let approved = 0
      for (const [text, times] of selected(token)) {
        if (getStatus(times, nowMs) !== 'PENDING') continue
        change(text, { verifiedAtMs: nowMs })
        approved += 1
      }
      return approved
    },
    end(as, token, nowMs) {
      const ended = selected(token).filter(([, times]) => {
        const status = getStatus(times, nowMs)
        return status === 'PENDING' || status === 'NORMAL'
      })
      for (const [text] of ended) change(text, { forced: as })
      return ended.length
    },
    setExpiry(token, expiresAtMs) {
      change(token, { expiresAtMs })
      return tokens.has(token)
    },
    entries: () => tokens,
    get size() {
      return tokens.size
    },
    restore(token, times) {
      tokens.set(token, times)
      evictOldest(tokens, MAX_TOKENS)
    },
    pending: (nowMs) =>
      [...tokens]
        .map(([token, times]) => view(token, times, nowMs))
        .filter(({ status }) => status === 'PENDING'),
    counts(nowMs) {
      const counts = { PENDING: 0, NORMAL: 0, INVALID: 0, EXPIRED: 0 }
      for (const times of tokens.values()) counts[getStatus(times, nowMs)] += 1
      return counts
    },
  }
}
