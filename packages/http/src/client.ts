/** The signed client. What an attempt is, and what follows a failed one, stand in files of their own. */
import {
  type AbortSignalLike,
  abortable,
  notify,
  onAbort,
  readSignal,
  requireKnownOptions,
  requireObject,
  sleep,
  throwIfAborted,
} from '@brokerwire/core'
import { deliver, type Outcome, signAttempt } from './attempt.ts'
import { type HttpClientOptions, type ReadOptions, readClientOptions } from './client-options.ts'
import { optionFailure } from './http-error.ts'
import { nextAttempt, type Tried } from './next-attempt.ts'
import type { HttpAttempt, HttpAttemptEnd } from './observer.ts'
import { type Prepared, prepare } from './prepare.ts'
import type { HttpRequest, HttpResponse } from './request.ts'
import { createResponse } from './response.ts'

/** Sends signed requests. Made by {@link createHttpClient}. */
export interface HttpClient {
  /**
   * Sends a request and reads its answer.
   *
   * Rejects with {@link HttpError} (table of codes in the README), with what the token source and the signer throw,
   * and with the signal's reason.
   */
  request(request: HttpRequest): Promise<HttpResponse>
}

/** What a request may have. Under its own fields, it hides what somebody wrote into `Object.prototype`. */
const UNSET: { readonly [Field in keyof HttpRequest]-?: undefined } = {
  method: undefined,
  path: undefined,
  query: undefined,
  json: undefined,
  body: undefined,
  headers: undefined,
  authenticated: undefined,
  accessToken: undefined,
  apiVersion: undefined,
  repeat: undefined,
  timeoutMs: undefined,
  maxResponseBytes: undefined,
  beforeAttempt: undefined,
  onAttemptEnd: undefined,
  signal: undefined,
}
const FIELDS = /* @__PURE__ */ Object.keys(UNSET)

/**
 * Makes a client.
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
  const read = readClientOptions(options)
  let requests = 0
  return {
    async request(given) {
      requireObject(optionFailure, 'request', given)
      const request = { ...UNSET, ...given }
      // Most requests have no other: only then it is looked for.
      if (Object.keys(request).length > FIELDS.length)
        requireKnownOptions(optionFailure, request, FIELDS, 'request.')
      readSignal(optionFailure, request.signal)
      throwIfAborted(request.signal)
      const prepared = prepare(request, read)
      requests += 1
      const { signal } = request
      // One listener for the whole request: what waits on the way joins it, instead of coming and going at the host.
      const release = signal && onAbort(signal, () => {})
      try {
        return await run(read, prepared, requests, signal)
      } finally {
        release?.()
      }
    },
  }
}

async function run(
  options: ReadOptions,
  prepared: Prepared,
  request: number,
  signal: AbortSignalLike | undefined,
): Promise<HttpResponse> {
  const { details, apiVersion } = prepared
  const tried: Tried = { clock: false, token: false, repeats: 0 }
  for (let attempt = 1; ; attempt += 1) {
    // Each is abortable: a caller that aborts does not wait for a port that ignores the signal.
    if (prepared.beforeAttempt !== undefined) {
      await abortable(Promise.resolve(prepared.beforeAttempt({ signal })), signal)
      throwIfAborted(signal)
    }
    const signed = await abortable(signAttempt(options, prepared, signal), signal)
    throwIfAborted(signal)

    const { onAttempt, onAttemptEnd } = options.observer
    /** Made where somebody is told. */
    const about = (): HttpAttempt => {
      const authenticated = prepared.token !== 'none'
      return { request, attempt, ...details, apiVersion, authenticated }
    }
    if (onAttempt !== undefined) notify(() => onAttempt(about()))
    let outcome: Outcome | undefined
    let delayMs: number | undefined
    try {
      outcome = await deliver(options, prepared, signed, signal)
      const { answer, error } = outcome
      if (error === undefined) return createResponse(answer, details)
      const failed = { prepared, signed, answer, error }
      delayMs = await abortable(nextAttempt(options, failed, tried, signal), signal)
    } finally {
      for (const told of [onAttemptEnd, prepared.onAttemptEnd]) {
        if (told !== undefined) notify(() => told(endOf(about(), outcome, delayMs)))
      }
    }
    if (delayMs > 0) await sleep(options.clock, delayMs, signal)
  }
}

function endOf(
  about: HttpAttempt,
  outcome: Outcome | undefined,
  retryDelayMs: number | undefined,
): HttpAttemptEnd {
  const { answer, error, durationMs } = outcome ?? {}
  const said = error !== undefined && 'serviceCode' in error.details ? error.details : undefined
  return {
    ...about,
    durationMs,
    status: answer?.status,
    requestId: answer?.requestId,
    errorCode: outcome === undefined ? 'ABORTED' : error?.code,
    serviceCode: said?.serviceCode,
    retryDelayMs,
  }
}
