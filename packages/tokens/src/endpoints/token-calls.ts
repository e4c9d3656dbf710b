/**
 * Calls of the token endpoints (specification, "Endpoints"), over whatever sends signed requests.
 *
 * Failures are values: whether a request left decides what its caller may do next.
 */
import { type AbortSignalLike, type BrokerwireError, errorGuard, isBrokerwireError } from '@brokerwire/core'
import type { TokenPathForm } from '@brokerwire/core/endpoints'
import {
  abortReason,
  durationText,
  type FieldsOf,
  linkedAbort,
  oneOf,
  optional,
  ownOptions,
  port,
  readOptions,
  throwIfAborted,
} from '@brokerwire/core/internal'
import type { ParseResult } from '../parse.ts'
import { isTokensError, optionInvalid, TokensError } from '../tokens-error.ts'
import type { ApiCall, ApiCallOptions, ApiFailure, ApiFailureKind, ApiResult } from '../types.ts'

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
    call: ApiCall,
    options: {
      readonly signal?: AbortSignalLike | undefined
      readonly onWait?: ((atLeastMs: number) => void) | undefined
    },
  ): Promise<void>
  /** Called with a `Retry-After` and the call that was refused. */
  holdOff?(delayMs: number, call?: ApiCall | undefined): void
}

/** Options of {@link createTokenCalls} and {@link createTokenApi}. Read once. */
export interface TokenApiOptions {
  /**
   * The form of the access-token paths: `/auth/tokens/*`, or `/openapi/auth/token/*` as the public clients call them.
   * @defaultValue 'auth'
   */
  readonly paths?: TokenPathForm | undefined
  /**
   * How a token is asked for in place of one that is still good: by a create that names it, or by
   * `POST /openapi/auth/token/refresh`. The public clients define that path and never call it; what the service answers
   * there is not published. A create without an earlier token is a create in any case.
   * @defaultValue 'create'
   */
  readonly renewal?: 'create' | 'refresh' | undefined
  /** Awaited before each attempt, retries included. @defaultValue none */
  readonly limiter?: TokenCallLimiter | undefined
}

/** One call. */
export interface TokenCall<T> {
  readonly call: ApiCall
  readonly request: Pick<TokenRequest, 'method' | 'path' | 'json' | 'retry'>
  readonly options: ApiCallOptions
  readonly read: (json: unknown) => ParseResult<T>
}

/** Token answers have a few hundred bytes. */
const MAX_RESPONSE_BYTES = 65_536

/** What each code of `@brokerwire/http` says of the request. @internal */
export const FAILURE_KINDS = {
  HTTP_OPTION_INVALID: 'not-sent',
  HTTP_HEADER_FORBIDDEN: 'not-sent',
  HTTP_NOT_SENT: 'not-sent',
  HTTP_NO_RESPONSE: 'no-answer',
  HTTP_TIMEOUT: 'no-answer',
  HTTP_UNAUTHORIZED: 'refused',
  HTTP_CLOCK_IMPLAUSIBLE: 'refused',
  HTTP_FORBIDDEN: 'refused',
  HTTP_BUSINESS_ERROR: 'refused',
  HTTP_CLIENT_ERROR: 'refused',
  HTTP_RATE_LIMITED: 'rate-limited',
  HTTP_SERVER_ERROR: 'server-error',
  HTTP_REDIRECT: 'bad-answer',
  HTTP_RESPONSE_TOO_LARGE: 'bad-answer',
  HTTP_INVALID_RESPONSE: 'bad-answer',
} as const satisfies Readonly<Record<string, ApiFailureKind>>

const isHttpError = errorGuard<Readonly<Record<string, BrokerwireError>>>('http')

/** Schemas of {@link TokenApiOptions}. */
export const TOKEN_API_OPTIONS = {
  paths: oneOf(['auth', 'openapi'], 'auth'),
  renewal: oneOf(['create', 'refresh'], 'create'),
  limiter: optional(port<TokenCallLimiter>(['acquire'])),
} satisfies FieldsOf<TokenApiOptions>

/** What became of a call that rejected. Why it was stopped says nothing of where the request was by then. */
function failureOf(thrown: unknown, mayHaveLeft: boolean, isStopped: boolean): ApiFailure {
  const error = thrown instanceof Error ? thrown : new Error('the call was stopped')
  const unknown = mayHaveLeft ? 'no-answer' : 'not-sent'
  if (isStopped || !isHttpError(error)) {
    // The toolkit's other errors come before the request does: a signature that cannot be made, for instance.
    const retryAfterMs = isTokensError(error, 'TOKEN_RATE_LIMITED') ? error.details.retryAfterMs : undefined
    const isUnsent = !isStopped && isBrokerwireError(error)
    return { kind: isUnsent ? 'not-sent' : unknown, retryAfterMs, error }
  }
  const { status, serviceCode, retryAfterMs } = error.details
  const known = new Map<string, ApiFailureKind>(Object.entries(FAILURE_KINDS)).get(error.code)
  return {
    // A gateway's 408 may come after the request went on to the service.
    kind: status === 408 ? 'no-answer' : (known ?? unknown),
    status: typeof status === 'number' ? status : undefined,
    code: typeof serviceCode === 'string' ? serviceCode : undefined,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    error,
  }
}

/** The error of a call whose time was over in the limiter. */
function stoppedInLimiter(call: ApiCall, retryAfterMs: number): TokensError<'TOKEN_RATE_LIMITED'> {
  const wait = durationText(retryAfterMs)
  const message = `the ${call} call was stopped while it waited in the rate limiter, for ${wait} or more`
  return new TokensError('TOKEN_RATE_LIMITED', message, { details: { call, retryAfterMs }, retryable: true })
}

/** Makes calls of the token endpoints. Made by {@link createTokenCalls}. */
export interface TokenCalls {
  /** @internal */
  readonly origin: string | undefined
  /** @internal */
  readonly paths: TokenPathForm
  /** @internal */
  readonly renewal: 'create' | 'refresh'
  /** @internal */
  perform<T>(call: TokenCall<T>): Promise<ApiResult<T>>
}

/**
 * What access tokens and client tokens make their calls with: each knows its own, so a bundle holds those that are used. They
 * reject with nothing that the network or the service does.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import type { Store } from '@brokerwire/core'
 * import { createServiceIdentity, resolveEndpoint } from '@brokerwire/core/endpoints'
 * import { createAccessTokens, createTokenCalls, type TokenRequestPort } from '@brokerwire/tokens'
 *
 * declare const http: TokenRequestPort
 * declare const store: Store
 *
 * const endpoint = resolveEndpoint({ environment: 'production', region: 'us' })
 * const identity = createServiceIdentity(endpoint, 'app-key')
 * const tokens = createAccessTokens({ api: createTokenCalls(http), store, identity })
 * console.log((await tokens.get())?.expiresAtMs)
 * ```
 */
export function createTokenCalls(requests: TokenRequestPort, given: TokenApiOptions = {}): TokenCalls {
  port<TokenRequestPort>(['request'])(requests, 'port', optionInvalid)
  const { limiter, paths, renewal } = readOptions(optionInvalid, given, TOKEN_API_OPTIONS)
  return {
    origin: requests.origin,
    paths,
    renewal,
    async perform({ call, request, options, read }) {
      const { signal, unsentSignal } = ownOptions(options)
      let mayHaveLeft = false
      /** The shortest wait in the limiter, while the call waits there. */
      let waitMs: number | undefined
      try {
        const response = await requests.request({
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
            // This rule retries only requests that had no effect, so after an abort during the wait nothing is on its way.
            if (request.retry === 'unsent') mayHaveLeft = false
            if (errorCode === 'HTTP_RATE_LIMITED') limiter?.holdOff?.(retryDelayMs, call)
          },
        })
        const parsed = read(response.json())
        if (parsed.ok) return { ok: true, value: parsed.value }
        return { ok: false, failure: { kind: 'bad-answer', status: response.status, error: parsed.error } }
      } catch (thrown) {
        const isStopped = signal?.aborted === true
        let error = isStopped ? abortReason(signal) : thrown
        if (isStopped && waitMs !== undefined) error = stoppedInLimiter(call, waitMs)
        const failure = failureOf(error, mayHaveLeft, isStopped)
        if (failure.kind === 'rate-limited') limiter?.holdOff?.(failure.retryAfterMs ?? 0, call)
        return { ok: false, failure }
      }
    },
  }
}

/** Whether somebody handed over what makes the calls, instead of the calls. */
export const isTokenCalls = (given: unknown): given is TokenCalls =>
  typeof (given as Partial<TokenCalls> | null | undefined)?.perform === 'function'

/** @internal */
export const post = (
  path: string,
  json: unknown,
  retry: 'always' | 'unsent',
): TokenCall<unknown>['request'] => ({
  method: 'POST',
  path,
  json,
  retry,
})
