/** The access tokens that the simulator has issued, and what happens to them. */
import { randomBytes } from 'node:crypto'
import type { Environment } from '@brokerwire/core/endpoints'
import {
  type AccessTokenRules,
  type AccessTokenStatus,
  type AccessTokenTimes,
  accessTokenStatus,
} from './access-token-state.ts'
import { forgetOldest } from './forget-oldest.ts'

/** Options that decide how tokens behave. */
export interface AccessTokenPolicy extends AccessTokenRules {
  readonly environment: Environment
  readonly secondFactor: 'manual' | 'automatic'
  /** Automatic second factor: completed this long after the create. At least 1, so that a create says PENDING. */
  readonly secondFactorDelayMs: number
  readonly validityMs: number
  /** What a create with a usable previous token gives in production. */
  readonly renewal: 'second-factor' | 'normal'
  /** Whether a create ends the app's earlier tokens. */
  readonly createEndsEarlier: boolean
  /** Called after a token was issued or changed. */
  readonly onChange: (token: string, times: IssuedToken) => void
}

/** A token as it is kept. */
export type IssuedToken = AccessTokenTimes & { readonly appKey: string }

/** A token as the endpoints answer it. */
export interface AccessTokenView {
  readonly token: string
  readonly expiresAtMs: number
  readonly status: AccessTokenStatus
}

/** Counts by status, for the control surface. */
type AccessTokenCounts = Readonly<Record<AccessTokenStatus, number>>

/**
 * The issued tokens. `nowMs` is the request's own reading of the clock: what is decided and what is answered about it
 * must be of one instant.
 */
export interface AccessTokenBook {
  /** Durations that decide the statuses. */
  readonly rules: AccessTokenRules
  create(appKey: string, previousToken: string | undefined, nowMs: number): AccessTokenView
  /** A new token, usable at once, or `undefined` where this one is not NORMAL. */
  refresh(appKey: string, token: string, nowMs: number): AccessTokenView | undefined
  /** A token that is unknown, or another app's, is INVALID. */
  check(appKey: string, token: string, nowMs: number): AccessTokenView
  /** Whether an authenticated call may pass; a passing call counts as use. */
  use(appKey: string, token: string, nowMs: number): boolean
  /** Completes the second factor. @returns How many tokens became NORMAL. */
  approve(token: string | undefined, nowMs: number): number
  /** Ends tokens now. @returns How many. */
  end(as: 'INVALID' | 'EXPIRED', token: string | undefined, nowMs: number): number
  /** Moves a token's expiry. @returns Whether the token is known. */
  setExpiry(token: string, expiresAtMs: number): boolean
  counts(nowMs: number): AccessTokenCounts
  readonly size: number
  /** All of them, oldest first. */
  entries(): Iterable<readonly [token: string, times: IssuedToken]>
  /** Puts back a token of an earlier book. */
  restore(token: string, times: IssuedToken): void
  /** Those that wait for their second factor, oldest first. */
  pending(nowMs: number): readonly AccessTokenView[]
}

/** Old tokens are forgotten beyond this many: a forgotten token is INVALID, as an unknown one. */
const KEPT_TOKENS = 10_000

/** Makes an empty book. */
export function createAccessTokenBook(policy: AccessTokenPolicy): AccessTokenBook {
  const tokens = new Map<string, IssuedToken>()

  const statusOf = (times: AccessTokenTimes, nowMs: number): AccessTokenStatus =>
    accessTokenStatus(times, policy, nowMs)
  const view = (token: string, times: AccessTokenTimes, nowMs: number): AccessTokenView => ({
    token,
    expiresAtMs: times.expiresAtMs,
    status: statusOf(times, nowMs),
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
      policy.renewal === 'normal' && previous?.appKey === appKey && statusOf(previous, nowMs) === 'NORMAL'
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
    if (policy.createEndsEarlier) {
      for (const [earlier, { appKey: owner }] of tokens)
        if (owner === appKey) change(earlier, { forced: 'INVALID' })
    }
    const token = randomBytes(16).toString('hex')
    tokens.set(token, times)
    forgetOldest(tokens, KEPT_TOKENS)
    policy.onChange(token, times)
    return view(token, times, nowMs)
  }

  return {
    rules: policy,
    create: (appKey, previousToken, nowMs) => issue(appKey, verifiedAt(appKey, previousToken, nowMs), nowMs),
    refresh(appKey, token, nowMs) {
      const times = tokens.get(token)
      const isUsable = times?.appKey === appKey && statusOf(times, nowMs) === 'NORMAL'
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
      if (times === undefined || times.appKey !== appKey || statusOf(times, nowMs) !== 'NORMAL') return false
      change(token, { lastUsedAtMs: nowMs })
      return true
    },
    approve(token, nowMs) {
      let approved = 0
      for (const [text, times] of selected(token)) {
        if (statusOf(times, nowMs) !== 'PENDING') continue
        change(text, { verifiedAtMs: nowMs })
        approved += 1
      }
      return approved
    },
    end(as, token, nowMs) {
      const ended = selected(token).filter(([, times]) => {
        const status = statusOf(times, nowMs)
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
      forgetOldest(tokens, KEPT_TOKENS)
    },
    pending: (nowMs) =>
      [...tokens]
        .map(([token, times]) => view(token, times, nowMs))
        .filter(({ status }) => status === 'PENDING'),
    counts(nowMs) {
      const counts = { PENDING: 0, NORMAL: 0, INVALID: 0, EXPIRED: 0 }
      for (const times of tokens.values()) counts[statusOf(times, nowMs)] += 1
      return counts
    },
  }
}
