/**
 * The signed client: each attempt takes a token, signs anew and sends exactly the URL and the bytes that were signed.
 *
 * What may be repeated is decided in `repeat.ts`. Two more repeats stand apart, at most one of each for a request:
 * after `ILLEGAL_TIMESTAMP`, where the service looked at nothing but the clock, and after a token was replaced.
 */
import { type AbortSignalLike, Secret, sleep, throwIfAborted } from '@brokerwire/core'
import { type HttpClientOptions, type ReadOptions, readClientOptions } from './client-options.ts'
import { type Answer, exchange } from './exchange.ts'
import { HttpError, isHttpError } from './http-error.ts'
import { tell } from './observer.ts'
import { type Prepared, prepare, requireToken } from './prepare.ts'
import { mayRepeat, repeatDelay } from './repeat.ts'
import type { HttpRequest, HttpResponse } from './request.ts'
import { createResponse } from './response.ts'
import { redactor } from './service-error.ts'
import { requestIdOf, statusError } from './status-error.ts'

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

/** What one attempt came to. */
interface Attempted {
  readonly answer: Answer | undefined
  readonly error: HttpError | undefined
  /** The token it carried, where it came from the client's source. */
  readonly ownToken: string | undefined
  /** The clock's offset when it was signed. */
  readonly offsetMs: number | undefined
}

/** What was tried already, so that it is not tried twice. */
interface Tried {
  clock: boolean
  token: boolean
  repeats: number
}

/**
 * Makes a client.
 *
 * @throws {@link HttpError} `HTTP_OPTION_INVALID`
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const read = readClientOptions(options)
  let requests = 0
  return {
    async request(request) {
      throwIfAborted(request.signal)
      const prepared = prepare(request, read)
      requests += 1
      return run(read, prepared, requests, request.signal)
    },
  }
}

async function run(
  options: ReadOptions,
  prepared: Prepared,
  request: number,
  signal: AbortSignalLike | undefined,
): Promise<HttpResponse> {
  const { clock, observer } = options
  const { details, apiVersion } = prepared
  const tried: Tried = { clock: false, token: false, repeats: 0 }
  for (let attempt = 1; ; attempt += 1) {
    await prepared.beforeAttempt({ signal })
    throwIfAborted(signal)
    const about = { request, attempt, ...details, apiVersion, authenticated: prepared.token !== 'none' }
    let startMs = clock.now()
    const end = (attempted: Partial<Attempted>, errorCode?: 'ABORTED', retryDelayMs?: number): void => {
      const { answer, error } = attempted
      const said = error !== undefined && 'serviceCode' in error.details ? error.details : undefined
      tell(observer.onAttemptEnd, {
        ...about,
        durationMs: clock.now() - startMs,
        status: answer?.status,
        requestId: said?.requestId ?? (answer && requestIdOf(answer.headers)),
        errorCode: errorCode ?? error?.code,
        serviceCode: said?.serviceCode,
        retryDelayMs,
      })
    }

    const attempted = await send(options, prepared, signal, () => {
      startMs = clock.now()
      tell(observer.onAttempt, about)
    }).catch((error: unknown) => {
      if (signal?.aborted) end({}, 'ABORTED')
      throw error
    })
    const { answer, error } = attempted
    if (error === undefined) {
      end(attempted)
      return createResponse(answer as Answer, details)
    }
    const next = await nextAttempt(options, prepared, attempted, tried, attempt, signal).catch(
      (thrown: unknown) => {
        end(attempted)
        throw thrown
      },
    )
    end(attempted, undefined, typeof next === 'number' ? next : undefined)
    if (typeof next !== 'number') throw next
    if (next > 0) await sleep(clock, next, signal)
  }
}

/** Signs, sends, reads. */
async function send(
  options: ReadOptions,
  prepared: Prepared,
  signal: AbortSignalLike | undefined,
  onSend: () => void,
): Promise<Attempted> {
  const { details, body, token } = prepared
  const own = token === 'own' ? await options.accessTokens?.get({ signal }) : undefined
  const ownToken = own === undefined ? undefined : requireToken(own.token)
  const tokenText = typeof token === 'object' ? token.text : ownToken
  const offsetMs = options.serverClock?.offsetMs
  const signature = await options.signer.sign({
    scheme: options.scheme,
    host: options.host,
    path: details.path,
    query: prepared.query,
    body: body.bytes,
  })
  const headers: Record<string, string> = { ...prepared.headers, ...signature.headers }
  if (tokenText !== undefined) headers['x-access-token'] = tokenText
  throwIfAborted(signal)
  onSend()
  try {
    const answer = await exchange(
      { url: signature.url, method: details.method, headers, body: body.bytes },
      {
        ...options,
        timeoutMs: prepared.timeoutMs,
        maxResponseBytes: prepared.maxResponseBytes,
        signal,
        details,
      },
    )
    if (answer.status >= 200 && answer.status < 300) return { answer, error: undefined, ownToken, offsetMs }
    const redact = redactor([...body.secrets, tokenText ?? '', signature.headers['x-signature']])
    const nowMs = options.serverClock?.now() ?? options.clock.now()
    return { answer, error: statusError(answer, details, redact, nowMs), ownToken, offsetMs }
  } catch (error) {
    if (!isHttpError(error)) throw error
    return { answer: undefined, error, ownToken, offsetMs }
  }
}

/** @returns Milliseconds until the next attempt, or the error to throw. */
async function nextAttempt(
  options: ReadOptions,
  prepared: Prepared,
  attempted: Attempted,
  tried: Tried,
  attempt: number,
  signal: AbortSignalLike | undefined,
): Promise<number | HttpError> {
  const error = attempted.error as HttpError
  if (isHttpError(error, 'HTTP_UNAUTHORIZED')) {
    if (error.details.serviceCode === 'ILLEGAL_TIMESTAMP') {
      if (tried.clock || !learnClock(options, attempted)) return error
      tried.clock = true
      return 0
    }
    return (await replaceToken(options, prepared, attempted, tried, error, signal)) ?? error
  }
  if (tried.repeats >= options.maxRepeats || !mayRepeat(prepared.repeat, error)) return error
  tried.repeats += 1
  return (
    repeatDelay(error, attempt, { maxDelayMs: options.maxRepeatDelayMs, random: options.random }) ?? error
  )
}

/** @returns Whether the clock is another one than the request was signed with. */
function learnClock({ serverClock }: ReadOptions, { answer, offsetMs }: Attempted): boolean {
  if (serverClock === undefined) return false
  serverClock.learn(Date.parse(answer?.headers.get('date') ?? ''))
  // Another request may have learned it meanwhile.
  return serverClock.offsetMs !== offsetMs
}

/** @returns 0 where the request goes out again with another token, the error where the caller has to send it. */
async function replaceToken(
  options: ReadOptions,
  prepared: Prepared,
  { ownToken }: Attempted,
  tried: Tried,
  error: HttpError<'HTTP_UNAUTHORIZED'>,
  signal: AbortSignalLike | undefined,
): Promise<number | HttpError | undefined> {
  if (ownToken === undefined || options.accessTokens === undefined) return undefined
  const { status, serviceCode } = error.details
  const outcome = await options.accessTokens.reportRejected(
    new Secret(ownToken),
    { status, code: serviceCode },
    { signal },
  )
  if (!outcome.changed) return undefined
  if (prepared.repeat === 'always' && !tried.token) {
    tried.token = true
    return 0
  }
  return new HttpError(error.code, error.message, { details: error.details, retryable: true })
}
