/** The access tokens that the simulator has issued, and what happens to them. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '@brokerwire/core'
import type { Environment } from '@brokerwire/core/endpoints'
import {
  type AccessTokenRules,
  type AccessTokenStatus,
  type AccessTokenTimes,
  accessTokenStatus,
} from './access-token-state.ts'

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
}

/** A token as the endpoints answer it. */
export interface AccessTokenView {
  readonly token: string
  readonly expiresAtMs: number
  readonly status: AccessTokenStatus
}

/** Counts by status, for the control surface. */
type AccessTokenCounts = Readonly<Record<AccessTokenStatus, number>>

/** The issued tokens. */
export interface AccessTokenBook {
  create(appKey: string, previousToken: string | undefined): AccessTokenView
  /** A token that is unknown, or another app's, is INVALID. */
  check(appKey: string, token: string): AccessTokenView
  /** Whether an authenticated call may pass; a passing call counts as use. */
  use(appKey: string, token: string): boolean
  /** Completes the second factor. @returns How many tokens became NORMAL. */
  approve(token: string | undefined): number
  /** Ends tokens now. @returns How many. */
  end(as: 'INVALID' | 'EXPIRED', token: string | undefined): number
  /** Moves a token's expiry. @returns Whether the token is known. */
  setExpiry(token: string, expiresAtMs: number): boolean
  counts(): AccessTokenCounts
}

/** Old tokens are forgotten beyond this many: a forgotten token is INVALID, as an unknown one. */
const KEPT_TOKENS = 10_000

/** Makes an empty book. */
export function createAccessTokenBook(policy: AccessTokenPolicy, clock: Clock): AccessTokenBook {
  const tokens = new Map<string, AccessTokenTimes & { readonly appKey: string }>()

  const statusOf = (times: AccessTokenTimes): AccessTokenStatus =>
    accessTokenStatus(times, policy, clock.now())
  const view = (token: string, times: AccessTokenTimes): AccessTokenView => ({
    token,
    expiresAtMs: times.expiresAtMs,
    status: statusOf(times),
  })
  const selected = (token: string | undefined): (readonly [string, AccessTokenTimes])[] =>
    [...tokens].filter(([text]) => token === undefined || text === token)
  const change = (token: string, part: Partial<AccessTokenTimes>): void => {
    const times = tokens.get(token)
    if (times !== undefined) tokens.set(token, { ...times, ...part })
  }
  const verifiedAt = (appKey: string, previousToken: string | undefined): number | undefined => {
    const nowMs = clock.now()
    if (policy.environment === 'sandbox') return nowMs
    const previous = previousToken === undefined ? undefined : tokens.get(previousToken)
    const isRenewal =
      policy.renewal === 'normal' && previous?.appKey === appKey && statusOf(previous) === 'NORMAL'
    if (isRenewal) return nowMs
    return policy.secondFactor === 'automatic' ? nowMs + policy.secondFactorDelayMs : undefined
  }

  return {
    create(appKey, previousToken) {
      const nowMs = clock.now()
      const times = {
        appKey,
        createdAtMs: nowMs,
        verifiedAtMs: verifiedAt(appKey, previousToken),
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
      if (tokens.size > KEPT_TOKENS) {
        for (const oldest of tokens.keys()) {
          tokens.delete(oldest)
          break
        }
      }
      return view(token, times)
    },
    check(appKey, token) {
      const times = tokens.get(token)
      if (times === undefined || times.appKey !== appKey) {
        return { token, expiresAtMs: clock.now(), status: 'INVALID' }
      }
      return view(token, times)
    },
    use(appKey, token) {
      const times = tokens.get(token)
      if (times === undefined || times.appKey !== appKey || statusOf(times) !== 'NORMAL') return false
      change(token, { lastUsedAtMs: clock.now() })
      return true
    },
    approve(token) {
      let approved = 0
      for (const [text, times] of selected(token)) {
        if (statusOf(times) !== 'PENDING') continue
        change(text, { verifiedAtMs: clock.now() })
        approved += 1
      }
      return approved
    },
    end(as, token) {
      const ended = selected(token).filter(([, times]) => {
        const status = statusOf(times)
        return status === 'PENDING' || status === 'NORMAL'
      })
      for (const [text] of ended) change(text, { forced: as })
      return ended.length
    },
    setExpiry(token, expiresAtMs) {
      change(token, { expiresAtMs })
      return tokens.has(token)
    },
    counts() {
      const counts = { PENDING: 0, NORMAL: 0, INVALID: 0, EXPIRED: 0 }
      for (const times of tokens.values()) counts[statusOf(times)] += 1
      return counts
    },
  }
}
