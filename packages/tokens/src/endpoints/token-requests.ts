/**
 * Makes one call of a token endpoint (specification, "Endpoints") through a port that sends signed requests.
 *
 * Failures are values, because the next step depends on whether the request was sent.
 */
import { type AbortSignalLike, type BrokerwireError, errorGuard } from '@brokerwire/core'
import {
  abortReason,
  createLinkedController,
  durationText,
  ownOptions,
  throwIfAborted,
} from '@brokerwire/core/internal'
import type { ParseResult } from '../parse.ts'
import { isTokensError, TokensError } from '../tokens-error.ts'
import type {
  TokenCall,
  TokenCallFailure,
  TokenCallFailureKind,
  TokenCallOptions,
  TokenCallResult,
} from '../types.ts'

/** A request for a {@link TokenRequestPort}. */
export interface TokenRequest {
  /** Name of the request for observers of the client, such as `tokens.create`. */
  readonly operation: string
  /** HTTP method of the request. */
  readonly method: 'GET' | 'POST'
  /** Path of the endpoint, without a query. */
  readonly path: string
  /** The body, sent as compact JSON. */
  readonly json?: unknown
  /** When the request may be sent again, as in `@brokerwire/http`. It is not set for a GET. */
  readonly retry?: 'always' | 'unsent' | undefined
  /** Always `false`: the request carries no access token. */
  readonly authenticated: false
  /** The longest accepted response body, in bytes. A longer one must cause an error. */
  readonly maxResponseBytes: number
  /** Aborts the request, including its retries. */
  readonly signal: AbortSignalLike | undefined
  /**
   * Must be awaited before each attempt, including retries. The attempt is sent only after the promise has
   * resolved.
   */
  beforeAttempt(): Promise<void>
  /**
   * Must be called after each failed attempt that is retried after a wait. May also be called after any other
   * attempt.
   */
  onAttemptEnd(end: {
    /** The error code of `@brokerwire/http`; `undefined` for a success. */
    readonly errorCode?: string | undefined
    /** Milliseconds until the next attempt; `undefined` if this was the last. */
    readonly retryDelayMs?: number | undefined
  }): void
}

/** A client that sends signed requests, for example the client of `@brokerwire/http`. */
export interface TokenRequestPort {
  /**
   * Resolves with a 2xx response. Rejects with the error of `@brokerwire/http` or another error. After
   * `beforeAttempt` has resolved, another error means that the outcome is unknown.
   */
  request(request: TokenRequest): Promise<{
    /** HTTP status of the response, 200 to 299. */
    readonly status: number
    /** Returns the body as JSON, or throws. */
    json(): unknown
  }>
  /** Origin that the requests go to. An identity with another `baseUrl` is rejected. @defaultValue not checked */
  readonly origin?: string | undefined
}

/** A rate limiter for token calls, for example from `createTokenRateLimiter`. */
export interface TokenCallLimiter {
  /**
   * Resolves when the call may be sent.
   *
   * @param options - `onWaitChange`: called with the shortest possible wait in milliseconds when the wait begins, and when it becomes longer.
   */
  acquire(
    call: TokenCall,
    options: {
      /** Ends the wait when it aborts. */
      readonly signal?: AbortSignalLike | undefined
      /** Called with the shortest possible wait in milliseconds. */
      readonly onWaitChange?: ((atLeastMs: number) => void) | undefined
    },
  ): Promise<void>
  /**
   * Called after a response with status 429, with the wait in milliseconds and the call that received the
   * response.
   */
  backOff?(delayMs: number, call?: TokenCall | undefined): void
}

/** A call: the request, and the function that parses the response body. */
export interface TokenEndpointCall<T> {
  /** The call, as errors name it. */
  readonly call: TokenCall
  /** The part of the request that differs between calls. */
  readonly request: Pick<TokenRequest, 'method' | 'path' | 'json' | 'retry'>
  /** The options that the caller passed. */
  readonly options: TokenCallOptions
  /** Parses the JSON body of the response. */
  readonly parse: (json: unknown) => ParseResult<T>
}

/** The longest accepted response. Responses of the token endpoints usually have a few hundred bytes. */
const MAX_RESPONSE_BYTES = 65_536

/** The failure kind of each error code of `@brokerwire/http`. @internal */
export const FAILURE_KINDS = {
  HTTP_OPTION_INVALID: 'not-sent',
  HTTP_HEADER_FORBIDDEN: 'not-sent',
  HTTP_NOT_SENT: 'not-sent',
  HTTP_NO_RESPONSE: 'no-response',
  HTTP_TIMEOUT: 'no-response',
  HTTP_UNAUTHORIZED: 'rejected',
  HTTP_CLOCK_IMPLAUSIBLE: 'rejected',
  HTTP_FORBIDDEN: 'rejected',
  HTTP_BUSINESS_ERROR: 'rejected',
  HTTP_CLIENT_ERROR: 'rejected',
  HTTP_RATE_LIMITED: 'rate-limited',
  HTTP_SERVER_ERROR: 'server-error',
  HTTP_REDIRECT: 'invalid-response',
  HTTP_RESPONSE_TOO_LARGE: 'invalid-response',
  HTTP_INVALID_RESPONSE: 'invalid-response',
} as const satisfies Readonly<Record<string, TokenCallFailureKind>>

const isHttpError = errorGuard<Readonly<Record<string, BrokerwireError>>>('http')
const isSignerError = errorGuard<Readonly<Record<string, BrokerwireError>>>('signer')

/**
 * Converts a rejection into a failure. The reason of an abort does not show whether the request was sent, so
 * `mayHaveBeenSent` decides.
 */
function toFailure(thrown: unknown, mayHaveBeenSent: boolean, isStopped: boolean): TokenCallFailure {
  const error = thrown instanceof Error ? thrown : new Error('the call was stopped')
  const unknown = mayHaveBeenSent ? 'no-response' : 'not-sent'
  if (isStopped || !isHttpError(error)) {
    // After an error of the signer, the request was not sent, because the signature is created before. Other
    // errors may occur after the request was sent.
    const retryAfterMs = isTokensError(error, 'TOKEN_RATE_LIMITED') ? error.details.retryAfterMs : undefined
    const isUnsent = !isStopped && isSignerError(error)
    return { kind: isUnsent ? 'not-sent' : unknown, retryAfterMs, error }
  }
  const { status, serviceCode, retryAfterMs } = error.details
  const known = new Map<string, TokenCallFailureKind>(Object.entries(FAILURE_KINDS)).get(error.code)
  return {
    // A gateway's 408 may arrive after the request reached the service.
    kind: status === 408 ? 'no-response' : (known ?? unknown),
    status: typeof status === 'number' ? status : undefined,
    code: typeof serviceCode === 'string' ? serviceCode : undefined,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    error,
  }
}

/** Creates the error of a call that was aborted while it waited in the limiter. */
function stoppedInLimiter(call: TokenCall, retryAfterMs: number): TokensError<'TOKEN_RATE_LIMITED'> {
  const wait = durationText(retryAfterMs)
  const message = `the ${call} call was stopped while it waited in the rate limiter, for ${wait} or more`
  return new TokensError('TOKEN_RATE_LIMITED', message, { details: { call, retryAfterMs }, retryable: true })
}

/**
 * Makes one call of a token endpoint. It returns network and service failures as results, and does not reject
 * because of them.
 */
export type SendTokenCall = <T>(call: TokenEndpointCall<T>) => Promise<TokenCallResult<T>>

/** Creates the function that makes the calls, through the limiter if there is one. */
export function createTokenCallSender(
  port: TokenRequestPort,
  limiter: TokenCallLimiter | undefined,
): SendTokenCall {
  return async ({ call, request, options, parse }) => {
    const { signal, unsentSignal } = ownOptions(options)
    let mayHaveBeenSent = false
    /**
     * The shortest possible wait in milliseconds while the call waits in the limiter; otherwise `undefined`.
     */
    let waitMs: number | undefined
    try {
      const response = await port.request({
        ...request,
        operation: `tokens.${call}`,
        authenticated: false,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        signal,
        async beforeAttempt() {
          throwIfAborted(unsentSignal)
          if (limiter !== undefined) {
            const { controller, release } = createLinkedController(signal, unsentSignal)
            const onWaitChange = (atLeastMs: number): void => {
              waitMs = atLeastMs
            }
            await limiter.acquire(call, { signal: controller.signal, onWaitChange }).finally(release)
            waitMs = undefined
          }
          mayHaveBeenSent = true
        },
        onAttemptEnd({ errorCode, retryDelayMs }) {
          if (retryDelayMs === undefined) return
          // With the rule `unsent`, only requests that had no effect are retried. So no request is in flight if the call
          // is aborted during the wait.
          if (request.retry === 'unsent') mayHaveBeenSent = false
          if (errorCode === 'HTTP_RATE_LIMITED') limiter?.backOff?.(retryDelayMs, call)
        },
      })
      const parsed = parse(response.json())
      if (parsed.ok) return { ok: true, value: parsed.value }
      return {
        ok: false,
        failure: { kind: 'invalid-response', status: response.status, error: parsed.error },
      }
    } catch (thrown) {
      const isStopped = signal?.aborted === true
      let error = isStopped ? abortReason(signal) : thrown
      if (isStopped && waitMs !== undefined) error = stoppedInLimiter(call, waitMs)
      const failure = toFailure(error, mayHaveBeenSent, isStopped)
      if (failure.kind === 'rate-limited') limiter?.backOff?.(failure.retryAfterMs ?? 0, call)
      return { ok: false, failure }
    }
  }
}

/** Returns a POST request with a JSON body. */
export const post = (
  path: string,
  json: unknown,
  retry: 'always' | 'unsent',
): TokenEndpointCall<unknown>['request'] => ({
  method: 'POST',
  path,
  json,
  retry,
})
