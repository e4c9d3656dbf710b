/** Fixtures for the tests of the client, on every runtime. */
import { Secret } from '@brokerwire/core'
import { createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import { createSigner, type Signer } from '@brokerwire/signer'
import type { HttpAttempt, HttpAttemptEnd, HttpClientOptions, HttpObserver, TokenProvider } from '../index.ts'
import { APP_KEY, APP_SECRET } from './credentials.ts'

/** A signer with the tests' credentials. */
export function testSigner(now?: () => number): Signer {
  return createSigner({ appKey: APP_KEY, appSecret: APP_SECRET, now })
}

/** An access token of the documented form. */
export const TOKEN = '0123456789abcdef0123456789abcdef'

interface Rejection {
  readonly token: string
  readonly status: number
  readonly code?: string | undefined
}

/** A token provider that returns tokens in order, a new one after each rejection. */
export function testTokens(...tokens: readonly string[]): TokenProvider & {
  readonly rejections: Rejection[]
} {
  const rejections: Rejection[] = []
  let index = 0
  const current = () => ({ token: new Secret(tokens[index] ?? TOKEN), expiresAtMs: undefined })
  return {
    rejections,
    get: async () => current(),
    async reportRejected(token, rejection) {
      rejections.push({ token: token.reveal(), ...rejection })
      if (index + 1 >= tokens.length) return { changed: false }
      index += 1
      return { changed: true, token: current() }
    },
  }
}

/** A virtual clock that advances past the delays between attempts, and records the calls of observers. */
export function watchedClock(): {
  readonly clock: VirtualClock
  readonly observer: HttpObserver
  readonly attempts: HttpAttempt[]
  readonly ends: HttpAttemptEnd[]
} {
  const clock = createVirtualClock()
  const attempts: HttpAttempt[] = []
  const ends: HttpAttemptEnd[] = []
  const observer: HttpObserver = {
    onHttpAttempt: (attempt) => attempts.push(attempt),
    onHttpAttemptEnd(end) {
      ends.push(end)
      // The client begins the delay after it has called the observer.
      if (end.retryDelayMs !== undefined) setTimeout(() => void clock.advance(end.retryDelayMs ?? 0), 0)
    },
  }
  return { clock, observer, attempts, ends }
}

/** Options of a client for a test, with defaults. */
export function testOptions(baseUrl: string, more: Partial<HttpClientOptions> = {}): HttpClientOptions {
  return { baseUrl, signer: testSigner(), accessTokens: testTokens(TOKEN), random: () => 0, ...more }
}

/** The error that a promise rejects with. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no error',
    (error: unknown) => error,
  )
}
