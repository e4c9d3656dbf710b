/**
 * The signed subscribe and unsubscribe calls (facts, market data, Subscribing). Sources disagree about the path, so its form
 * is an option, and after status 404 the other form is tried once.
 */
import { type AbortSignalLike, createRedactor, isBrokerwireError, type SecretInput } from '@brokerwire/core'
import { revealSecret } from '@brokerwire/core/internal'
import { type HttpRequest, isHttpError, type RequestSender } from '@brokerwire/http'
import { type CallOutcome, callOutcome, type FailedCall } from '../connection/call-outcome.ts'
import type { StreamingCall } from '../connection/calls.ts'
import { typesFromBits } from '../selection/desired-subscriptions.ts'

/**
 * Form of the paths: `'market-data'` as in the service's current documents, `'openapi'` as in the official
 * clients.
 */
export type StreamingPathForm = 'market-data' | 'openapi'

export const PREFIX: Readonly<Record<StreamingPathForm, string>> = {
  'market-data': '/market-data/streaming/',
  openapi: '/openapi/market-data/streaming/',
}
const OTHER_FORM: Readonly<Record<StreamingPathForm, StreamingPathForm>> = {
  'market-data': 'openapi',
  openapi: 'market-data',
}

/** Returns a client access token. Called before each subscribe call. */
export type ClientTokenHook = (request: {
  readonly signal: AbortSignalLike
}) => SecretInput | Promise<SecretInput>

/** Options of the streaming API. */
export interface StreamingApiOptions {
  readonly http: RequestSender
  readonly paths: StreamingPathForm
  /** Whether the other form of the path is tried after status 404. */
  readonly pathFallback: boolean
  readonly apiVersion: HttpRequest['apiVersion']
  /** Value of `grab` in subscribe calls. */
  readonly requestSnapshot: boolean | undefined
  /**
   * Returns the client access token. Set for the client product only; its calls also have another form of the
   * body.
   */
  readonly clientToken: ClientTokenHook | undefined
}

/** Sends streaming calls. */
export interface StreamingApi {
  /** Never throws. */
  send(call: StreamingCall, sessionId: string, signal: AbortSignalLike): Promise<CallOutcome>
}

/** The body of a call, without undefined fields. */
function callBody(
  call: StreamingCall,
  sessionId: string,
  form: { readonly clientToServer: boolean; readonly requestSnapshot: boolean | undefined },
): object {
  const { category, symbols, depth, overnight } = call
  // The service rejects lower case.
  const types = typesFromBits(call.types).map((type) => type.toUpperCase())
  const what = form.clientToServer
    ? { category_symbols: [{ category, symbols }], sub_types: types.join(',') }
    : { symbols, category, sub_types: types }
  return {
    session_id: sessionId,
    ...what,
    ...(depth === undefined ? {} : { depth: String(depth) }),
    ...(overnight === undefined ? {} : { overnight_required: overnight }),
    ...(form.requestSnapshot === undefined || call.action === 'unsubscribe'
      ? {}
      : { grab: String(form.requestSnapshot) }),
  }
}

/** The details of a failed request. The status is undefined if the request was not sent. */
function failedCall(error: unknown): FailedCall {
  if (!isHttpError(error)) {
    const code = isBrokerwireError(error) ? error.code : 'CALL_FAILED'
    return { code, status: undefined, message: undefined, retryAfterMs: undefined }
  }
  const { details } = error
  const status = 'status' in details ? details.status : undefined
  if (!('serviceCode' in details))
    return { code: error.code, status, message: undefined, retryAfterMs: undefined }
  const { serviceCode, serviceMessage, retryAfterMs } = details
  return { code: serviceCode ?? error.code, status, message: serviceMessage, retryAfterMs }
}

/** Whether a retry cannot help, because an option is invalid or a token provider failed permanently. */
function isFinal(error: unknown): boolean {
  if (isHttpError(error))
    return isHttpError(error, 'HTTP_OPTION_INVALID') || isHttpError(error, 'HTTP_HEADER_FORBIDDEN')
  return isBrokerwireError(error) && !error.retryable
}

/** Returns status 401 or 403 from the error of a token provider; `undefined` for any other status. */
function authStatus(error: unknown): number | undefined {
  const { status } = isBrokerwireError(error) ? (error.details as { readonly status?: unknown }) : {}
  return status === 401 || status === 403 ? status : undefined
}

/**
 * Whether the token is a non-empty string. An empty one is not used, because it would be sent as `Bearer`
 * alone.
 */
const isToken = (token: unknown): boolean => typeof token === 'string' && token !== ''
const NO_CLIENT_TOKEN: CallOutcome = {
  kind: 'unusable',
  code: 'CLIENT_TOKEN_EMPTY',
  status: undefined,
  message: undefined,
}

export function createStreamingApi(options: StreamingApiOptions): StreamingApi {
  const { http, pathFallback, apiVersion, requestSnapshot, clientToken } = options
  let form = options.paths
  let isFormKnown = !pathFallback
  /** Whether a call of any connection succeeded. */
  let hasSucceeded = false

  async function sendOnce(
    pathForm: StreamingPathForm,
    call: StreamingCall,
    sessionId: string,
    signal: AbortSignalLike,
  ): Promise<CallOutcome> {
    let redact = (text: string): string => text
    try {
      const token = clientToken === undefined ? undefined : revealSecret(await clientToken({ signal }))
      if (clientToken !== undefined && !isToken(token)) return NO_CLIENT_TOKEN
      if (token !== undefined) redact = createRedactor([token])
      await http.request({
        method: 'POST',
        path: `${PREFIX[pathForm]}${call.action}`,
        operation: `quotes.${call.action}`,
        json: callBody(call, sessionId, { clientToServer: clientToken !== undefined, requestSnapshot }),
        ...(clientToken === undefined
          ? {}
          : { authenticated: false, headers: { authorization: `Bearer ${token ?? ''}` } }),
        apiVersion,
        // The connection's state machine does the retries, because the session may have ended before a retry.
        retry: 'never',
        signal,
      })
      hasSucceeded = true
      return { kind: 'done' }
    } catch (error) {
      const failed = failedCall(error)
      const message = failed.message === undefined ? undefined : redact(failed.message)
      if (!isFinal(error)) return callOutcome({ ...failed, message }, call.symbols)
      const status = failed.status ?? authStatus(error)
      return { kind: 'unusable', code: failed.code, status, message, cause: error }
    }
  }

  const withHistory = (outcome: CallOutcome): CallOutcome =>
    outcome.kind === 'unauthorized' || outcome.kind === 'unusable'
      ? { ...outcome, workedBefore: hasSucceeded }
      : outcome

  return {
    async send(call, sessionId, signal) {
      const tried = form
      const outcome = await sendOnce(tried, call, sessionId, signal)
      const isMissing = outcome.kind === 'unusable' && outcome.status === 404
      if (!isMissing) {
        // A response of the service shows that the path is right.
        if (outcome.kind !== 'failed' && outcome.kind !== 'unusable') isFormKnown = true
        return withHistory(outcome)
      }
      // A call of another connection may have found the right form meanwhile.
      if (isFormKnown && form === tried) return withHistory(outcome)
      isFormKnown = true
      form = OTHER_FORM[tried]
      return withHistory(await sendOnce(form, call, sessionId, signal))
    },
  }
}
