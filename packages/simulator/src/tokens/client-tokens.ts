/**
 * Client token pairs of the display solution.
 *
 * One live pair for each end user: a create or a refresh ends every earlier token of that user at once. A user is kept
 * as a digest, so that a name of a megabyte costs as little as any.
 */
import { createHash, randomBytes } from 'node:crypto'
import { forgetOldest } from './forget-oldest.ts'

/** Lifetimes. */
export interface ClientTokenPolicy {
  /** Specification: about 2 hours. */
  readonly accessLifetimeMs: number
  /** Specification: 15 days. */
  readonly refreshLifetimeMs: number
  /** Called after a user's pair was issued, or ended (`null`). */
  readonly onChange: (key: string, pair: IssuedPair | null) => void
}

/** A pair as it is kept. `user`: a digest. */
export type IssuedPair = ClientTokenPair & { readonly appKey: string; readonly user: string }

/** A pair, as the endpoints answer it. */
export interface ClientTokenPair {
  readonly accessToken: string
  readonly expiresAtMs: number
  readonly refreshToken: string
  readonly refreshExpiresAtMs: number
}

/** The issued pairs. `nowMs` is the request's own reading of the clock. */
export interface ClientTokenBook {
  create(appKey: string, clientUserId: string, nowMs: number): ClientTokenPair
  /** A new pair, or `undefined` where the refresh token is unknown, used, replaced or too old. */
  refresh(appKey: string, refreshToken: string, nowMs: number): ClientTokenPair | undefined
  /** Whether an access token is the live one of some user. */
  isLive(accessToken: string, nowMs: number): boolean
  /** Ends the pair of a user. @returns Whether there was one. */
  end(clientUserId: string): boolean
  readonly size: number
  /** All of them, oldest first. */
  entries(): Iterable<readonly [key: string, pair: IssuedPair]>
  /** Puts back a pair of an earlier book, or takes it out. */
  restore(key: string, pair: IssuedPair | null): void
}

/** Old pairs are forgotten beyond this many: their tokens are refused, as unknown ones. */
const KEPT_PAIRS = 10_000

/** Makes an empty book. */
export function createClientTokenBook(policy: ClientTokenPolicy): ClientTokenBook {
  const pairs = new Map<string, IssuedPair>()

  const issue = (appKey: string, user: string, nowMs: number): ClientTokenPair => {
    const pair: ClientTokenPair = {
      accessToken: randomBytes(16).toString('hex'),
      expiresAtMs: nowMs + policy.accessLifetimeMs,
      refreshToken: randomBytes(16).toString('hex'),
      refreshExpiresAtMs: nowMs + policy.refreshLifetimeMs,
    }
    const key = JSON.stringify([appKey, user])
    // Its place is that of its latest pair.
    pairs.delete(key)
    const issued = { ...pair, appKey, user }
    pairs.set(key, issued)
    forgetOldest(pairs, KEPT_PAIRS)
    policy.onChange(key, issued)
    return pair
  }

  return {
    create: (appKey, clientUserId, nowMs) => issue(appKey, digest(clientUserId), nowMs),
    refresh(appKey, refreshToken, nowMs) {
      for (const pair of pairs.values()) {
        if (pair.appKey !== appKey || pair.refreshToken !== refreshToken) continue
        return nowMs < pair.refreshExpiresAtMs ? issue(appKey, pair.user, nowMs) : undefined
      }
      return undefined
    },
    isLive: (accessToken, nowMs) =>
      [...pairs.values()].some((pair) => pair.accessToken === accessToken && nowMs < pair.expiresAtMs),
    end(clientUserId) {
      const user = digest(clientUserId)
      const ended = [...pairs].filter(([, pair]) => pair.user === user)
      for (const [key] of ended) {
        pairs.delete(key)
        policy.onChange(key, null)
      }
      return ended.length > 0
    },
    entries: () => pairs,
    restore(key, pair) {
      pairs.delete(key)
      if (pair !== null) pairs.set(key, pair)
      forgetOldest(pairs, KEPT_PAIRS)
    },
    get size() {
      return pairs.size
    },
  }
}

function digest(user: string): string {
  return createHash('sha256').update(user).digest('base64')
}
