/**
 * The signed calls that ask for data (facts, market data, Subscribing). What they may look like differs by source: path
 * family and version are options, and a path that is not there is tried once in its other form.
 */
import { type AbortSignalLike, createRedactor, isBrokerwireError, type SecretInput } from '@brokerwire/core'
import { revealSecret } from '@brokerwire/core/internal'
import { type HttpClient, type HttpRequest, isHttpError } from '@brokerwire/http'
import { type CallOutcome, callOutcome, type FailedCall } from '../connection/call-outcome.ts'
import type { StreamingCall } from '../connection/calls.ts'
import { typesOf } from '../selection/wants.ts'

/** Forms of the paths: that of current documents, and that of the official clients. */
export type StreamingPathForm = 'market-data' | 'openapi'

const PREFIX: Readonly<Record<StreamingPathForm, string>> = {
  'market-data': '/market-data/streaming/',
  openapi: '/openapi/market-data/streaming/',
}
const OTHER: Readonly<Record<StreamingPathForm, StreamingPathForm>> = {
  'market-data': 'openapi',
  openapi: 'market-data',
}

/** A client access token, asked for before each call. */
export type ClientTokenHook = (request: {
  readonly signal: AbortSignalLike
}) => SecretInput | Promise<SecretInput>

/** How calls are made. */
export interface StreamingApiOptions {
  readonly http: Pick<HttpClient, 'request'>
  readonly paths: StreamingPathForm
  /** Whether the other form is tried where the first one is not there. */
  readonly pathFallback: boolean
  readonly apiVersion: HttpRequest['apiVersion']
  /** Sent as `grab`. */
  readonly grab: boolean | undefined
  /** Client-to-server: the token, and another body. */
  readonly clientToken: ClientTokenHook | undefined
}

/** Sends streaming calls. */
export interface StreamingApi {
  /** Never throws. */
  send(call: StreamingCall, sessionId: string, signal: AbortSignalLike): Promise<CallOutcome>
}

/** The body of a call, without what is not known of. */
function callBody(
  call: StreamingCall,
  sessionId: string,
  form: { readonly clientToServer: boolean; readonly grab: boolean | undefined },
): object {
  const { category, symbols, depth, overnight } = call
  // Upper case: `snapshot` is refused.
  const types = typesOf(call.types).map((type) => type.toUpperCase())
  const what = form.clientToServer
    ? { category_symbols: [{ category, symbols }], sub_types: types.join(',') }
    : { symbols, category, sub_types: types }
  return {
    session_id: sessionId,
    ...what,
    ...(depth === undefined ? {} : { depth: String(depth) }),
    ...(overnight === undefined ? {} : { overnight_required: overnight }),
    ...(form.grab === undefined || call.action === 'unsubscribe' ? {} : { grab: String(form.grab) }),
  }
}

/** What a failed request says. A call that is not made at all has no status. */
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

/** Whether sending it again may help: the network and the service change, options and token sources that gave up do not. */
function isUnusable(error: unknown): boolean {
  if (isHttpError(error))
    return isHttpError(error, 'HTTP_OPTION_INVALID') || isHttpError(error, 'HTTP_HEADER_FORBIDDEN')
  return isBrokerwireError(error) && !error.retryable
}

/** 401 and 403 of what the token source asked, which throws an error of its own. What other statuses mean there is not known here. */
function refusedStatus(error: unknown): number | undefined {
  const { status } = isBrokerwireError(error) ? (error.details as { readonly status?: unknown }) : {}
  return status === 401 || status === 403 ? status : undefined
}

/** An empty one would be sent as `Bearer` alone. */
const isToken = (token: unknown): boolean => typeof token === 'string' && token !== ''
const NO_CLIENT_TOKEN: CallOutcome = {
  kind: 'unusable',
  code: 'CLIENT_TOKEN_EMPTY',
  status: undefined,
  message: undefined,
}

export function createStreamingApi(options: StreamingApiOptions): StreamingApi {
  const { http, pathFallback, apiVersion, grab, clientToken } = options
  let form = options.paths
  let isFormKnown = !pathFallback
  /** Whether a call of any connection succeeded. */
  let hasSucceeded = false

  async function attempt(
    tried: StreamingPathForm,
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
        path: `${PREFIX[tried]}${call.action}`,
        json: callBody(call, sessionId, { clientToServer: clientToken !== undefined, grab }),
        ...(clientToken === undefined
          ? {}
          : { authenticated: false, headers: { authorization: `Bearer ${token ?? ''}` } }),
        apiVersion,
        // The connection's machine decides when a call is sent again: its session may be gone by then.
        retry: 'never',
        signal,
      })
      hasSucceeded = true
      return { kind: 'done' }
    } catch (error) {
      const failed = failedCall(error)
      const message = failed.message === undefined ? undefined : redact(failed.message)
      if (!isUnusable(error)) return callOutcome({ ...failed, message }, call.symbols)
      const status = failed.status ?? refusedStatus(error)
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
      const outcome = await attempt(tried, call, sessionId, signal)
      const isMissing = outcome.kind === 'unusable' && outcome.status === 404
      if (!isMissing) {
        // An answer of the service itself shows that the path is right.
        if (outcome.kind !== 'failed' && outcome.kind !== 'unusable') isFormKnown = true
        return withHistory(outcome)
      }
      // Another connection's call may have found out meanwhile.
      if (isFormKnown && form === tried) return withHistory(outcome)
      isFormKnown = true
      form = OTHER[tried]
      return withHistory(await attempt(form, call, sessionId, signal))
    },
  }
}
