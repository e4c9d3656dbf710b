/** Rate limits that several rows have. */
import type { RateLimits } from '@brokerwire/core'

/** Assets and order queries: 2 requests in 2 seconds. */
export const TWO_IN_TWO_SECONDS: RateLimits = { us: { limit: 2, windowMs: 2000 } }

/** Order queries: 2 requests in 2 seconds; 40 requests in 2 seconds in the HK region. */
export const ORDER_QUERIES: RateLimits = {
  us: { limit: 2, windowMs: 2000 },
  hk: { limit: 40, windowMs: 2000 },
}

/**
 * Instruments and market data: 60 requests in a minute. Guides of the service state 300 or 600, but its
 * reference states 60.
 */
export const SIXTY_A_MINUTE: RateLimits = { us: { limit: 60, windowMs: 60_000 } }

/** Each endpoint of access tokens: 10 requests in 30 seconds, in the sandbox too. */
export const ACCESS_TOKENS: RateLimits = {
  us: { limit: 10, windowMs: 30_000 },
  sandbox: { limit: 10, windowMs: 30_000 },
}

/** Each endpoint of client tokens: 600 requests in a minute, in the sandbox too. */
export const CLIENT_TOKENS: RateLimits = {
  us: { limit: 600, windowMs: 60_000 },
  sandbox: { limit: 600, windowMs: 60_000 },
}
