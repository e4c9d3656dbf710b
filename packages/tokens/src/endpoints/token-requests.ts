/**
 * One call of a token endpoint (specification, "Endpoints") through a port that sends signed requests.
 *
 * Failures are values, because the next step depends on whether the request was sent.
 */
import { type AbortSignalLike, type BrokerwireError, errorGuard, isBrokerwireError } from '@brokerwire/core'
import { abortReason, durationText, linkedAbort, ownOptions, throwIfAborted } from '@brokerwire/core/internal'
import type { ParseResult } from '../parse.ts'
import { isTokensError, TokensError } from '../tokens-error.ts'
import type {
  TokenCall,
  TokenCallFailure,
  TokenCallFailureKind,
  TokenCallOptions,
  TokenCallResult,
} from '../types.ts'

/** A request as it is handed to a {@link TokenRequestPort}. */
export interface TokenRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Sent as compact JSON. */
  readonly json?: unknown
  /** When the request may be sent again, as in `@brokerwire/http`. Left out for a GET. */
  readonly retry?: 'always' | 'unsent' | undefined
  /** Without an access token. */
  readonly authenticated: false
  readonly maxResponseBytes: number
  readonly signal: AbortSignalLike | undefined
  /** Awaited before each attempt, retries included. Nothing is sent before it resolves, or if it rejects. */
  beforeAttempt(): Promise<void>
  /** Called after each attempt that failed and is retried after a wait. */
  onAttemptEnd(end: {
    readonly errorCode?: string | undefined
    readonly retryDelayMs?: number | undefined
  }): void
}

/** Sends signed requests: the client of `@brokerwire/http` fits. */
export interface TokenRequestPort {
  /**
   * Resolves with an answer of status 2xx. Rejects with the error of `@brokerwire/http`, or another error: after
   * `beforeAttempt` has resolved that one means that the outcome of the request is not known.
   */
  request(request: TokenRequest): Promise<{ readonly status: number; json(): unknown }>
  /** Origin that the requests go to. Tokens are refused for an identity with another `httpUrl`. @defaultValue not checked */
  readonly origin?: string | undefined
}

/** Lets calls through at the rate that the service allows; `createTokenRateLimiter` makes one. */
export interface TokenCallLimiter {
  /**
   * Resolves when the call may be made.
   *
   * @param options - `onWait`: to be called with the shortest time that the call has to wait, if it has to.
   */
  acquire(
    call: TokenCall,
    options: {
      readonly signal?: AbortSignalLike | undefined
      readonly onWait?: ((atLeastMs: number) => void) | undefined
    },
  ): Promise<void>
  /** Called with a `Retry-After` and the call that was refused. */
  backOff?(delayMs: number, call?: TokenCall | undefined): void
}

/** A call: the request, and the function that parses the response body. */
export interface TokenEndpointCall<T> {
  readonly call: TokenCall
  readonly request: Pick<TokenRequest, 'method' | 'path' | 'json' | 'retry'>
  readonly options: TokenCallOptions
  readonly parse: (json: unknown) => ParseResult<T>
}

/** Token answers have a few hundred bytes. */
const MAX_RESPONSE_BYTES = 65_536

/** What each code of `@brokerwire/http` says of the request. @internal */
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

/** What became of a call that rejected. Why it was stopped says nothing of where the request was by then. */
function toFailure(thrown: unknown, mayHaveLeft: boolean, isStopped: boolean): TokenCallFailure {
  const error = thrown instanceof Error ? thrown : new Error('the call was stopped')
  const unknown = mayHaveLeft ? 'no-response' : 'not-sent'
  if (isStopped || !isHttpError(error)) {
    // The toolkit's other errors come before the request does: a signature that cannot be made, for instance.
    const retryAfterMs = isTokensError(error, 'TOKEN_RATE_LIMITED') ? error.details.retryAfterMs : undefined
    const isUnsent = !isStopped && isBrokerwireError(error)
    return { kind: isUnsent ? 'not-sent' : unknown, retryAfterMs, error }
  }
  const { status, serviceCode, retryAfterMs } = error.details
  const known = new Map<string, TokenCallFailureKind>(Object.entries(FAILURE_KINDS)).get(error.code)
  return {
    // A gateway's 408 may come after the request went on to the service.
    kind: status === 408 ? 'no-response' : (known ?? unknown),
    status: typeof status === 'number' ? status : undefined,
    code: typeof serviceCode === 'string' ? serviceCode : undefined,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    error,
  }
}

/** The error of a call whose time was over in the limiter. */
function stoppedInLimiter(call: TokenCall, retryAfterMs: number): TokensError<'TOKEN_RATE_LIMITED'> {
  const wait = durationText(retryAfterMs)
  const message = `the ${call} call was stopped while it waited in the rate limiter, for ${wait} or more`
  return new TokensError('TOKEN_RATE_LIMITED', message, { details: { call, retryAfterMs }, retryable: true })
}

/** Makes one call of a token endpoint. Network and service failures are results; it does not reject for them. */
export type SendTokenCall = <T>(call: TokenEndpointCall<T>) => Promise<TokenCallResult<T>>

/** Creates the function that makes the calls, through the limiter if there is one. */
export function createTokenCallSender(
  port: TokenRequestPort,
  limiter: TokenCallLimiter | undefined,
): SendTokenCall {
  return async ({ call, request, options, parse }) => {
    const { signal, unsentSignal } = ownOptions(options)
    let mayHaveLeft = false
    /** The shortest wait in the limiter, while the call waits there. */
    let waitMs: number | undefined
    try {
      const response = await port.request({
        ...request,
        authenticated: false,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        signal,
        async beforeAttempt() {
          throwIfAborted(unsentSignal)
          if (limiter !== undefined) {
            const { controller, release } = linkedAbort(signal, unsentSignal)
            const onWait = (atLeastMs: number): void => {
              waitMs = atLeastMs
            }
            await limiter.acquire(call, { signal: controller.signal, onWait }).finally(release)
            waitMs = undefined
          }
          mayHaveLeft = true
        },
        onAttemptEnd({ errorCode, retryDelayMs }) {
          if (retryDelayMs === undefined) return
          // This rule retries only requests that had no effect, so no request is in flight after an abort during the wait.
          if (request.retry === 'unsent') mayHaveLeft = false
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
      const failure = toFailure(error, mayHaveLeft, isStopped)
      if (failure.kind === 'rate-limited') limiter?.backOff?.(failure.retryAfterMs ?? 0, call)
      return { ok: false, failure }
    }
  }
}

/** A POST request with a JSON body. */
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
