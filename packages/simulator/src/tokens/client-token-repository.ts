/**
 * The issued client token pairs of the display solution.
 *
 * Each end user has at most one live pair, because a create or a refresh ends all earlier tokens of that
 * user. Users are stored as digests, so that a long name needs no more memory than a short one.
 */
import { createHash, randomBytes } from 'node:crypto'
import { evictOldest } from './evict-oldest.ts'

/** Lifetimes of the tokens. */
export interface ClientTokenPolicy {
  /** Lifetime of an access token. Specification: about 2 hours. */
  readonly accessLifetimeMs: number
  /** Lifetime of a refresh token. Specification: 15 days. */
  readonly refreshLifetimeMs: number
  /** Called after the pair of a user was issued, or has ended. In the second case `pair` is `null`. */
  readonly onChange: (key: string, pair: IssuedPair | null) => void
}

/** A stored pair. `user` is the digest of the user's id. */
export type IssuedPair = ClientTokenPair & { readonly appKey: string; readonly user: string }

/** A pair in the format of the endpoints. */
export interface ClientTokenPair {
  readonly accessToken: string
  readonly expiresAtMs: number
  readonly refreshToken: string
  readonly refreshExpiresAtMs: number
}

/** The issued pairs. `nowMs` is the time of the request. */
export interface ClientTokenRepository {
  create(appKey: string, clientUserId: string, nowMs: number): ClientTokenPair
  /** Creates a new pair. Returns `undefined` if the refresh token is unknown, used, replaced or expired. */
  refresh(appKey: string, refreshToken: string, nowMs: number): ClientTokenPair | undefined
  /** Returns whether an access token is live: the latest one of a user, and not expired. */
  isLive(accessToken: string, nowMs: number): boolean
  /** Ends the pair of a user. @returns Whether the user had a pair. */
  end(clientUserId: string): boolean
  readonly size: number
  /** Returns all pairs, oldest first. */
  entries(): Iterable<readonly [key: string, pair: IssuedPair]>
  /** Restores a stored pair. If `pair` is `null`, removes the restored pair. */
  restore(key: string, pair: IssuedPair | null): void
}

/**
 * Maximum number of pairs. The oldest pairs are discarded, and their tokens are rejected as unknown tokens
 * are.
 */
const MAX_PAIRS = 10_000

/** Creates an empty token store. */
export function createClientTokenRepository(policy: ClientTokenPolicy): ClientTokenRepository {
  const pairs = new Map<string, IssuedPair>()

  const issue = (appKey: string, user: string, nowMs: number): ClientTokenPair => {
    const pair: ClientTokenPair = {
      accessToken: randomBytes(16).toString('hex'),
      expiresAtMs: nowMs + policy.accessLifetimeMs,
      refreshToken: randomBytes(16).toString('hex'),
      refreshExpiresAtMs: nowMs + policy.refreshLifetimeMs,
    }
    const key = JSON.stringify([appKey, user])
    // The entry is deleted first, so that `set` moves it to the end of the map.
    pairs.delete(key)
    const issued = { ...pair, appKey, user }
    pairs.set(key, issued)
    evictOldest(pairs, MAX_PAIRS)
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
      evictOldest(pairs, MAX_PAIRS)
    },
    get size() {
      return pairs.size
    },
  }
}

function digest(user: string): string {
  return createHash('sha256').update(user).digest('base64')
}
