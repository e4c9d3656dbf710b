/** The signed client. What an attempt is, and what follows a failed one, stand in files of their own. */
import type { AbortSignalLike } from '@brokerwire/core'
import {
  abortable,
  notify,
  onAbort,
  ownOptions,
  readSignal,
  requireOptions,
  sleep,
  throwIfAborted,
} from '@brokerwire/core/internal'
import { deliver, type Outcome, signAttempt } from './attempt.ts'
import { type HttpClientOptions, type ReadOptions, readClientOptions } from './client-options.ts'
import type { Answer } from './exchange.ts'
import { optionFailure, saidBy } from './http-error.ts'
import { repeatsOf } from './next-attempt.ts'
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

/** The names of all options of a request. One that is missing here does not compile. */
const REQUEST_OPTIONS = {
  method: 1,
  path: 1,
  query: 1,
  json: 1,
  body: 1,
  headers: 1,
  authenticated: 1,
  accessToken: 1,
  apiVersion: 1,
  repeat: 1,
  timeoutMs: 1,
  maxResponseBytes: 1,
  beforeAttempt: 1,
  onAttemptEnd: 1,
  signal: 1,
} as const

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
      const request = requireOptions(optionFailure, 'request', given, REQUEST_OPTIONS)
      const signal = readSignal(optionFailure, request.signal)
      throwIfAborted(signal)
      const prepared = prepare(request, read)
      requests += 1
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
  const { details, apiVersion, authenticated } = prepared
  const next = repeatsOf(options, prepared, signal)
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
    const about = (): HttpAttempt => ({ request, attempt, ...details, apiVersion, authenticated })
    if (onAttempt !== undefined) notify(() => onAttempt(about()))
    // Of what it has not, nothing is read from `Object.prototype`.
    let outcome = ownOptions<Partial<Outcome>>({})
    let retryDelayMs: number | undefined
    try {
      outcome = ownOptions(await deliver(options, prepared, signed, signal))
      const { error } = outcome
      if (error === undefined) return createResponse(outcome as Answer, details)
      retryDelayMs = await abortable(next(signed, error, outcome.headers), signal)
    } finally {
      for (const told of [onAttemptEnd, prepared.onAttemptEnd]) {
        if (told === undefined) continue
        const { durationMs, status, requestId, error } = outcome
        const end: HttpAttemptEnd = {
          ...about(),
          durationMs,
          status,
          requestId,
          errorCode: durationMs === undefined ? 'ABORTED' : error?.code,
          serviceCode: saidBy(error).serviceCode,
          retryDelayMs,
        }
        notify(() => told(end))
      }
    }
    if (retryDelayMs) await sleep(options.clock, retryDelayMs, signal)
  }
}
