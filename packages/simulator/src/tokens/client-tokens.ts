/**
 * Client token pairs of the display solution.
 *
 * One live pair for each end user: a create or a refresh ends every earlier token of that user at once.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '@brokerwire/core'

/** Lifetimes. */
export interface ClientTokenPolicy {
  /** Specification: about 2 hours. */
  readonly accessLifetimeMs: number
  /** Specification: 15 days. */
  readonly refreshLifetimeMs: number
}

/** A pair, as the endpoints answer it. */
export interface ClientTokenPair {
  readonly accessToken: string
  readonly expiresAtMs: number
  readonly refreshToken: string
  readonly refreshExpiresAtMs: number
}

/** The issued pairs. */
export interface ClientTokenBook {
  create(appKey: string, clientUserId: string): ClientTokenPair
  /** A new pair, or `undefined` where the refresh token is unknown, used, replaced or too old. */
  refresh(appKey: string, refreshToken: string): ClientTokenPair | undefined
  /** Whether an access token is the live one of some user. */
  isLive(accessToken: string): boolean
  /** Ends the pair of a user. @returns Whether there was one. */
  end(clientUserId: string): boolean
  readonly size: number
}

/** Makes an empty book. */
export function createClientTokenBook(policy: ClientTokenPolicy, clock: Clock): ClientTokenBook {
  const pairs = new Map<string, ClientTokenPair & { readonly appKey: string; readonly user: string }>()

  const issue = (appKey: string, user: string): ClientTokenPair => {
    const nowMs = clock.now()
    const pair: ClientTokenPair = {
      accessToken: randomBytes(16).toString('hex'),
      expiresAtMs: nowMs + policy.accessLifetimeMs,
      refreshToken: randomBytes(16).toString('hex'),
      refreshExpiresAtMs: nowMs + policy.refreshLifetimeMs,
    }
    pairs.set(JSON.stringify([appKey, user]), { ...pair, appKey, user })
    return pair
  }

  return {
    create: issue,
    refresh(appKey, refreshToken) {
      for (const pair of pairs.values()) {
        if (pair.appKey !== appKey || pair.refreshToken !== refreshToken) continue
        return clock.now() < pair.refreshExpiresAtMs ? issue(appKey, pair.user) : undefined
      }
      return undefined
    },
    isLive(accessToken) {
      const nowMs = clock.now()
      return [...pairs.values()].some((pair) => pair.accessToken === accessToken && nowMs < pair.expiresAtMs)
    },
    end(clientUserId) {
      const ended = [...pairs].filter(([, pair]) => pair.user === clientUserId)
      for (const [key] of ended) pairs.delete(key)
      return ended.length > 0
    },
    get size() {
      return pairs.size
    },
  }
}
