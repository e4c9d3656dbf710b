/**
 * The calls of the token endpoints (specification, "Endpoints").
 *
 * Failures are values: whether a request left decides what its caller may do next. The bodies are read by the
 * lenient readers of `@brokerwire/tokens`.
 */
import {
  type AbortSignalLike,
  abortReason,
  describe,
  isBrokerwireError,
  isRecord,
  linkedAbort,
  ownOptions,
  readOneOf,
  requireObject,
  type Secret,
  throwIfAborted,
} from '@brokerwire/core'
import {
  type ApiCall,
  type ApiCallOptions,
  type ApiFailure,
  type ApiFailureKind,
  type ApiResult,
  type ClientTokenApi,
  isTokensError,
  type ParseResult,
  parseAccessTokenRecord,
  parseClientTokenPair,
  type TokenApi,
} from '@brokerwire/tokens'
import type { HttpClient } from './client.ts'
import { type HttpErrorCode, isHttpError, optionFailure, type StatusDetails } from './http-error.ts'
import type { HttpRequest, HttpResponse } from './request.ts'
import { badAnswer } from './response.ts'
import {
  ACCESS_REFRESH_PATH,
  CLIENT_TOKEN_PATHS,
  CONFIG_PATH,
  TOKEN_PATHS,
  type TokenPathForm,
} from './token-paths.ts'

/** Lets calls through at the rate that the service allows; `createTokenRateLimiter` of `@brokerwire/tokens` fits. */
export interface TokenCallLimiter {
  /** Resolves when the call may be made. */
  acquire(call: ApiCall, options: { readonly signal?: AbortSignalLike | undefined }): Promise<void>
  /** Told of a `Retry-After`. */
  holdOff?(delayMs: number): void
}

/** Options of {@link createTokenApi}. Read once. */
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
  /** Awaited before each attempt, repeats included. @defaultValue none */
  readonly limiter?: TokenCallLimiter | undefined
}

/** The token endpoints. */
export interface TokenApis {
  readonly access: Required<TokenApi>
  readonly client: ClientTokenApi
}

interface Call<T> {
  readonly call: ApiCall
  readonly request: Pick<HttpRequest, 'method' | 'path' | 'json' | 'repeat'>
  readonly options: ApiCallOptions
  readonly read: (response: HttpResponse) => ParseResult<T>
}

/** Token answers have a few hundred bytes. */
const MAX_RESPONSE_BYTES = 65_536

/** What each error says of the request. */
export const FAILURE_KINDS: Readonly<Record<HttpErrorCode, ApiFailureKind>> = {
  HTTP_OPTION_INVALID: 'not-sent',
  HTTP_HEADER_FORBIDDEN: 'not-sent',
  HTTP_NOT_SENT: 'not-sent',
  HTTP_NO_ANSWER: 'no-answer',
  HTTP_TIMEOUT: 'no-answer',
  HTTP_UNAUTHORIZED: 'refused',
  HTTP_CLOCK_IMPLAUSIBLE: 'refused',
  HTTP_FORBIDDEN: 'refused',
  HTTP_BUSINESS_ERROR: 'refused',
  HTTP_REFUSED: 'refused',
  HTTP_RATE_LIMITED: 'rate-limited',
  HTTP_SERVER_ERROR: 'server-error',
  HTTP_REDIRECT: 'bad-answer',
  HTTP_TOO_LARGE: 'bad-answer',
  HTTP_BAD_ANSWER: 'bad-answer',
}

/** What became of a call that rejected. */
function failureOf(thrown: unknown, mayHaveLeft: boolean): ApiFailure {
  const error = thrown instanceof Error ? thrown : new Error('the call was stopped')
  if (!isHttpError(error)) {
    // The toolkit's other errors come before the request does: a signature that cannot be made, for instance.
    const retryAfterMs = isTokensError(error, 'TOKEN_HELD_OFF') ? error.details.retryAfterMs : undefined
    return { kind: mayHaveLeft && !isBrokerwireError(error) ? 'no-answer' : 'not-sent', retryAfterMs, error }
  }
  const { status, serviceCode: code, retryAfterMs } = error.details as Partial<StatusDetails>
  // A gateway's 408 may come after the request went on to the service.
  const kind = status === 408 ? 'no-answer' : FAILURE_KINDS[error.code]
  return { kind, status, code, retryAfterMs, error }
}

/**
 * Makes the calls over a client. They reject with nothing that the network or the service does.
 *
 * @throws {@link HttpError} `HTTP_OPTION_INVALID`
 */
export function createTokenApi(client: Pick<HttpClient, 'request'>, given: TokenApiOptions = {}): TokenApis {
  requireObject(optionFailure, 'options', given)
  const settings = ownOptions(given)
  const paths = TOKEN_PATHS[readOneOf(optionFailure, 'paths', settings.paths, ['auth', 'openapi'], 'auth')]
  const renewal = readOneOf(optionFailure, 'renewal', settings.renewal, ['create', 'refresh'], 'create')
  const { limiter } = settings

  async function perform<T>({ call, request, options, read }: Call<T>): Promise<ApiResult<T>> {
    const { signal, unsentSignal } = options
    let mayHaveLeft = false
    try {
      const response = await client.request({
        ...request,
        authenticated: false,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        signal,
        async beforeAttempt() {
          throwIfAborted(unsentSignal)
          const waiting = linkedAbort(signal, unsentSignal)
          await limiter?.acquire(call, { signal: waiting.controller.signal }).finally(waiting.release)
          mayHaveLeft = true
        },
        onAttemptEnd({ errorCode, retryDelayMs }) {
          if (retryDelayMs === undefined) return
          // Only what had no effect is repeated by this rule, so an abort while waiting finds nothing on its way.
          if (request.repeat === 'unsent') mayHaveLeft = false
          if (errorCode === 'HTTP_RATE_LIMITED') limiter?.holdOff?.(retryDelayMs)
        },
      })
      const parsed = read(response)
      if (parsed.ok) return { ok: true, value: parsed.value }
      return { ok: false, failure: { kind: 'bad-answer', status: response.status, error: parsed.error } }
    } catch (thrown) {
      const failure = failureOf(signal?.aborted ? abortReason(signal) : thrown, mayHaveLeft)
      if (failure.kind === 'rate-limited') limiter?.holdOff?.(failure.retryAfterMs ?? 0)
      return { ok: false, failure }
    }
  }

  return {
    access: {
      create({ previousToken }, options) {
        const json = previousToken === undefined ? {} : { token: previousToken }
        const isRefresh = previousToken !== undefined && renewal === 'refresh'
        const request = post(isRefresh ? ACCESS_REFRESH_PATH : paths.create, json, 'unsent')
        return perform({ call: 'create', request, options, read: readAccessToken })
      },
      check(token: Secret, options) {
        const request = post(paths.check, { token }, 'always')
        return perform({ call: 'check', request, options, read: readAccessToken })
      },
      config(options) {
        const request = { method: 'GET', path: CONFIG_PATH } as const
        return perform({ call: 'config', request, options, read: readConfig })
      },
    },
    client: {
      create(clientUserId, options) {
        const request = post(CLIENT_TOKEN_PATHS.create, { client_user_id: clientUserId }, 'unsent')
        return perform({ call: 'client-create', request, options, read: readClientPair })
      },
      refresh(refreshToken: Secret, options) {
        const request = post(CLIENT_TOKEN_PATHS.refresh, { refresh_token: refreshToken }, 'unsent')
        return perform({ call: 'client-refresh', request, options, read: readClientPair })
      },
    },
  }
}

const post = (path: string, json: unknown, repeat: HttpRequest['repeat']): Call<unknown>['request'] => ({
  method: 'POST',
  path,
  json,
  repeat,
})

const readAccessToken = (response: HttpResponse) => parseAccessTokenRecord(response.json())
const readClientPair = (response: HttpResponse) => parseClientTokenPair(response.json())

function readConfig(response: HttpResponse): ParseResult<{ readonly tokenCheckEnabled: boolean }> {
  const json = response.json()
  const enabled = isRecord(json) ? json.token_check_enabled : undefined
  if (typeof enabled === 'boolean') return { ok: true, value: { tokenCheckEnabled: enabled }, issues: [] }
  const details = { method: 'GET', path: CONFIG_PATH }
  throw badAnswer(details, response, 'token_check_enabled as a boolean', describe(enabled))
}
