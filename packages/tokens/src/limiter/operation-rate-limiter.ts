/**
 * The service's rate limits on all endpoints except those of tokens: each operation has a counter for each app key. The limits
 * come from the request of the operation (`@brokerwire/operations`).
 */
import type { Clock, OperationRateLimiter, RateLimit, RateLimits, Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import {
  clock,
  createReporter,
  type FieldsOf,
  integer,
  isRecord,
  optional,
  readOptions,
  received,
  type Schema,
  serviceIdentity,
} from '@brokerwire/core/internal'
import { OBSERVER_OPTIONS, type ObserverOptions, tokenStore } from '../shared-options.ts'
import { optionInvalid, TokensError } from '../tokens-error.ts'
import { MAX_BACK_OFF_MS } from './rate-window.ts'
import { createRateWindows, type LongWait, longWaitMessage } from './rate-windows.ts'

/** Options of {@link createOperationRateLimiter}. Read once. */
export interface OperationRateLimiterOptions extends ObserverOptions {
  /** Service and app key: region and environment decide which limit applies. */
  readonly identity: ServiceIdentity
  /**
   * Limits that replace the published ones, by the name of the operation, such as `{ 'orders.get': { limit: 1, windowMs: 1000 }
   * }`. @defaultValue none
   */
  readonly limits?: Readonly<Record<string, RateLimit>> | undefined
  /**
   * A store through which processes share their counters. Each request then reads and writes the store once, and fails with
   * `TOKEN_STORE_FAILED` if the store fails.
   * @defaultValue none: each process counts its own requests
   */
  readonly store?: Store | undefined
  /** Added to each window in milliseconds, because network delays vary. @defaultValue 250 */
  readonly marginMs?: number | undefined
  /** The longest allowed wait in milliseconds. A request that would have to wait longer fails at once. @defaultValue 60000 */
  readonly maxWaitMs?: number | undefined
  /** Source of time and timers. @defaultValue systemClock */
  readonly clock?: Clock | undefined
}

const DAY_MS = 86_400_000

const limits: Schema<Readonly<Record<string, RateLimit>>> = (value = {}, path, fail) => {
  if (!isRecord(value)) throw fail(path, 'an object of limits by operation', received(value))
  const entries = Object.entries(value).map(([name, given]) => {
    const { limit, windowMs } = readOptions(
      fail,
      given,
      { limit: integer({ min: 1, max: 10_000 }), windowMs: integer({ min: 1, max: DAY_MS }) },
      `${path}["${name}"]`,
    )
    return [name, { limit, windowMs }] as const
  })
  return Object.fromEntries(entries)
}

/** Schemas of {@link OperationRateLimiterOptions}. */
export const OPERATION_RATE_LIMITER_OPTIONS = {
  identity: serviceIdentity,
  limits,
  store: optional(tokenStore),
  marginMs: integer({ min: 0, max: DAY_MS, default: 250 }),
  maxWaitMs: integer({ min: 0, max: MAX_BACK_OFF_MS, default: 60_000 }),
  clock,
  ...OBSERVER_OPTIONS,
} satisfies FieldsOf<OperationRateLimiterOptions>

/** In the US sandbox, almost every endpoint has this limit. */
const SANDBOX_LIMIT: RateLimit = { limit: 30, windowMs: 60_000 }

/** Returns the limit of a request; `undefined` if none is published. */
function findLimit(
  rateLimits: RateLimits | undefined,
  { region, environment }: ServiceIdentity,
): RateLimit | undefined {
  if (rateLimits === undefined) return undefined
  if (region === 'hk') return rateLimits.hk ?? rateLimits.us
  return environment === 'sandbox' ? (rateLimits.sandbox ?? SANDBOX_LIMIT) : rateLimits.us
}

/**
 * Creates a rate limiter of operations. It has no timers while no request waits.
 *
 * `acquire` fails with `OPERATION_RATE_LIMITED` if the wait is longer than `maxWaitMs`. With a store it also fails with
 * `TOKEN_STORE_FAILED` and `TOKEN_RECORD_INVALID`. `backOff` pauses the operation for an hour at most; if it gets no time, for
 * one window.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createServiceIdentity, requireUrl, resolveEndpoint } from '@brokerwire/core/endpoints'
 * import { createHttpClient } from '@brokerwire/http'
 * import { createSigner } from '@brokerwire/signer'
 * import { createOperationRateLimiter } from '@brokerwire/tokens'
 *
 * declare const appKey: string
 * declare const appSecret: string
 *
 * const endpoint = resolveEndpoint({ region: 'us', environment: 'sandbox' })
 * const http = createHttpClient({
 *   baseUrl: requireUrl(endpoint, 'baseUrl'),
 *   signer: createSigner({ appKey, appSecret }),
 *   operationRateLimiter: createOperationRateLimiter({ identity: createServiceIdentity(endpoint, appKey) }),
 * })
 * console.log(http.origin)
 * ```
 */
export function createOperationRateLimiter(given: OperationRateLimiterOptions): OperationRateLimiter {
  const options = readOptions(optionInvalid, given, OPERATION_RATE_LIMITER_OPTIONS)
  const { identity, store, clock, marginMs, maxWaitMs, clientId, observer } = options
  const report = createReporter(observer, { clientId })
  const windows = createRateWindows({ clock, marginMs, shared: store && { store, identity } })
  const findWindow = (operation: string, rateLimits: RateLimits | undefined) => {
    const published = findLimit(rateLimits, identity)
    const limit = Object.hasOwn(options.limits, operation) ? options.limits[operation] : published
    if (limit === undefined) return undefined
    const counter = published?.counter
    const name = counter === undefined ? operation : `${operation}/${counter}`
    return { window: windows.find(name, limit), limit }
  }
  return {
    async acquire(operation, rateLimits, { signal } = {}) {
      const found = findWindow(operation, rateLimits)
      if (found === undefined) return
      const { window, limit } = found
      await window.acquire(0, signal, (ahead, wait, isFirst) => {
        if (wait.restMs > maxWaitMs) throw rateLimited(operation, { limit, wait, maxWaitMs })
        if (isFirst) report('onOperationWait', { operation, ahead, atLeastMs: wait.restMs })
      })
    },
    backOff(operation, rateLimits, delayMs) {
      const found = findWindow(operation, rateLimits)
      const pauseMs = delayMs ?? found?.limit.windowMs ?? 0
      if (pauseMs > 0) found?.window.backOff(Math.min(pauseMs, MAX_BACK_OFF_MS))
    },
  }
}

function rateLimited(
  operation: string,
  longWait: Pick<LongWait, 'limit' | 'wait' | 'maxWaitMs'>,
): TokensError<'OPERATION_RATE_LIMITED'> {
  const message = longWaitMessage({ name: operation, unit: 'request', ...longWait })
  return new TokensError('OPERATION_RATE_LIMITED', message, {
    details: { operation, retryAfterMs: longWait.wait.restMs },
    retryable: true,
  })
}
