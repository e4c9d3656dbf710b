/** The signed HTTP client: each attempt of a request is signed, sent and classified, and a failed one may be retried. */
import type { Operation } from '@brokerwire/core'
import { abortable, addAbortListener, notify, sleep, throwIfAborted } from '@brokerwire/core/internal'
import { classify, type Outcome } from './classify.ts'
import { type ClientSettings, type HttpClientOptions, readClientOptions } from './client-options.ts'
import { headers } from './headers.ts'
import { type HttpError, isHttpError, optionFailure, statusDetails } from './http-error.ts'
import { type NormalizedRequest, normalize } from './normalize.ts'
import type { HttpAttempt } from './observer.ts'
import { isOperation, requestOperation } from './operation.ts'
import type { OperationOptions, OperationResponse } from './operation-types.ts'
import type { HttpRequest, HttpResponse } from './request.ts'
import { createRetrier } from './retry.ts'
import { send } from './send.ts'
import { revertWrongOffset } from './server-time.ts'
import { getToken, type SignedRequest, sign } from './sign.ts'

/** Sends signed requests. Created by {@link createHttpClient}. */
export interface HttpClient {
  /** Origin that requests go to. */
  readonly origin: string
  /**
   * Sends the request of an operation of `@brokerwire/operations` and returns its decoded response.
   *
   * Rejects with the errors of a request without an operation, and with OperationsError: before the request
   * is sent if the input is wrong, and with `OPERATION_RESPONSE_INVALID` if the response cannot be decoded.
   */
  request<Input, Output>(
    operation: Operation<Input, Output>,
    input: NoInfer<Input>,
    options?: OperationOptions,
  ): Promise<OperationResponse<Output>>
  /**
   * Sends a request and returns its response.
   *
   * Rejects with {@link HttpError}, with errors of the token provider, the signer,
   * `beforeAttempt` and the client's `headers`, and with the signal's reason.
   */
  request(request: HttpRequest): Promise<HttpResponse>
}

/**
 * Creates a client.
 *
 * @throws {@link HttpError} `HTTP_OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { createHttpClient } from '@brokerwire/http'
 * import { createSigner } from '@brokerwire/signer'
 *
 * declare const appKey: string
 * declare const appSecret: string
 * declare const baseUrl: string
 *
 * const signer = createSigner({ appKey, appSecret })
 * const http = createHttpClient({ baseUrl, signer })
 * const response = await http.request({ method: 'GET', path: '/openapi/config', authenticated: false })
 * console.log(response.json())
 * ```
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const settings = readClientOptions(options)
  let requests = 0
  const sendRequest = async (given: HttpRequest): Promise<HttpResponse> => {
    const request = normalize(given, settings)
    const { signal } = request
    throwIfAborted(signal)
    requests += 1
    // The waits of a request share one host listener of `addAbortListener`. This empty listener keeps it
    // registered between the waits.
    const removeListener = signal && addAbortListener(signal, () => {})
    try {
      return await run(settings, request, requests)
    } finally {
      removeListener?.()
    }
  }
  function request<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    options?: OperationOptions,
  ): Promise<OperationResponse<Output>>
  function request(given: HttpRequest): Promise<HttpResponse>
  function request<Input, Output>(
    given: HttpRequest | Operation<Input, Output>,
    input?: Input,
    options: OperationOptions = {},
  ): Promise<HttpResponse> {
    if (!isOperation(given)) return sendRequest(given)
    return requestOperation(settings, sendRequest, given, input as Input, options)
  }
  return { origin: settings.origin, request }
}

async function run(
  settings: ClientSettings,
  request: NormalizedRequest,
  requestNumber: number,
): Promise<HttpResponse> {
  const { signal } = request
  const retrier = createRetrier(settings, request)
  let lastError: HttpError | undefined
  for (let attempt = 1; ; attempt += 1) {
    // `abortable` is needed because a port may ignore its signal. `throwIfAborted` is needed because a port
    // may abort the signal and still resolve.
    //
    // The token comes first, because getting it may take minutes. Only the signature lies between the end of
    // `beforeAttempt` and the sending.
    const token = await abortable(getToken(settings, request), signal)
    throwIfAborted(signal)
    if (request.beforeAttempt !== undefined) {
      await abortable(Promise.resolve(request.beforeAttempt({ signal, lastError })), signal)
      throwIfAborted(signal)
    }
    const signed = await abortable(sign(settings, request, token), signal)
    throwIfAborted(signal)

    const info = (): HttpAttempt => ({
      clientId: settings.clientId,
      request: requestNumber,
      attempt,
      origin: request.origin,
      operation: request.operation,
      ...request.target,
      apiVersion: request.apiVersion,
      authenticated: request.authenticated,
    })
    const { onHttpAttempt } = settings.observer
    if (onHttpAttempt !== undefined) notify(() => onHttpAttempt(info()))
    let outcome: Outcome | undefined
    let retryDelayMs: number | undefined
    try {
      outcome = await executeAttempt(settings, request, signed, info)
      if (outcome.response !== undefined) return outcome.response
      lastError = outcome.error
      retryDelayMs = await abortable(retrier.delayBeforeRetry(outcome, signed), signal)
    } finally {
      reportEnd(settings, request, info, outcome, retryDelayMs)
    }
    if (retryDelayMs > 0) await sleep(settings.clock, retryDelayMs, signal)
  }
}

/** Adds the headers of the option `headers`, sends the request and classifies the result. */
async function executeAttempt(
  settings: ClientSettings,
  request: NormalizedRequest,
  signed: SignedRequest,
  info: () => HttpAttempt,
): Promise<Outcome> {
  let added: Readonly<Record<string, string>> | undefined
  try {
    added = settings.headers && headers(settings.headers(info()), 'headers()', optionFailure)
  } catch (error) {
    if (!isHttpError(error)) throw error
    return { error, date: undefined, durationMs: 0, status: undefined, requestId: undefined }
  }
  const startMs = settings.clock.now()
  const result = await send(settings, request, { ...signed, headers: { ...added, ...signed.headers } })
  const endMs = settings.clock.now()
  const durationMs = Math.max(0, endMs - startMs)
  revertWrongOffset(settings.serverClock, result)
  const serverNowMs = settings.serverClock?.now() ?? endMs
  return classify(result, { request, signed, serverNowMs, durationMs })
}

/** Reports the end of an attempt to the observers. */
function reportEnd(
  { observer }: ClientSettings,
  request: NormalizedRequest,
  info: () => HttpAttempt,
  outcome: Outcome | undefined,
  retryDelayMs: number | undefined,
): void {
  const details = statusDetails(outcome?.error)
  for (const listener of [observer.onHttpAttemptEnd, request.onAttemptEnd]) {
    if (listener === undefined) continue
    notify(() =>
      listener({
        ...info(),
        durationMs: outcome?.durationMs,
        status: outcome?.status,
        requestId: outcome?.requestId,
        errorCode: outcome === undefined ? 'ABORTED' : outcome.error?.code,
        serviceCode: details?.serviceCode,
        retryAfterMs: details?.retryAfterMs,
        retryDelayMs,
      }),
    )
  }
}
