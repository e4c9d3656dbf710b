/** Sends the calls of `doctor --live`: each one is announced before, and their number is limited. */
import { type Brokerage, createBrokerage } from '@brokerwire/client'
import { type Clock, type FetchLike, type HeadersLike, systemClock } from '@brokerwire/core'
import type { SignatureAlgorithm } from '@brokerwire/core/endpoints'
import { isRecord, parseHttpDate, sleep } from '@brokerwire/core/internal'
import { createNodeFetch } from '@brokerwire/core/proxy'
import type { HttpRequest } from '../../request/signed-request.ts'
import { describeReason } from '../reason.ts'
import { decideClockOffset, MAX_SUBSCRIPTIONS } from './decisions.ts'
import { getToken, type MeasureOptions } from './options.ts'
import { type CallOutcome, isRateLimited, type ResponseOutcome } from './outcome.ts'

/**
 * Maximum number of HTTP requests. Among them are two repetitions of the first one: by the HTTP client, and after
 * the clock is corrected.
 */
export const MAX_REQUESTS = 17
/** Maximum number of calls: HTTP requests and attempts to subscribe together. */
export const MAX_CALLS = MAX_REQUESTS + MAX_SUBSCRIPTIONS

export const STOPPED = 'the command was stopped'
const decoder = new TextDecoder()
const LIMIT_HEADER = /rate|limit|quota|retry|reset|remaining/
/** Default of the largest clock offset. */
const DAY_MS = 86_400_000
/** The precision of a `Date` header. A smaller offset is not corrected. */
const TOLERANCE_MS = 2000

/** The calls to one service. */
export interface Calls extends AsyncDisposable {
  /** Number of calls that were made. */
  readonly made: number
  /** Outcomes of all HTTP requests, in their order. */
  readonly outcomes: readonly CallOutcome[]
  /** Announces a call and counts it. @returns The reason if the call must not be made. */
  begin(what: string): string | undefined
  /** Returns the clients that sign with this algorithm. */
  brokerage(algorithm: SignatureAlgorithm): Brokerage
  /** Waits between two calls. Returns early if the command is stopped. */
  pause(): Promise<void>
  /** The service's time after the correction of the clock, in milliseconds since the Unix epoch. */
  now(): number
  /**
   * Corrects the clock of the clients that are created from now on, and creates new ones.
   *
   * @returns Whether the clock differs.
   */
  correctClock(response: CallOutcome): boolean
  /** Sends a request, after a pause. Never rejects. After a 429, no further request is sent. */
  request(algorithm: SignatureAlgorithm, request: HttpRequest): Promise<CallOutcome>
}

export function createCalls({
  connection,
  token,
  timeoutMs,
  pauseMs,
  announce,
  signal,
}: MeasureOptions): Calls {
  const brokerages = new Map<SignatureAlgorithm, Brokerage>()
  const created: Brokerage[] = []
  const outcomes: CallOutcome[] = []
  const nodeFetch = createNodeFetch({ proxy: connection.proxy })
  const secret = getToken(token)?.reveal()
  let made = 0
  let requests = 0
  let offsetMs = 0
  let received:
    | (Pick<ResponseOutcome, 'sentMs' | 'receivedMs'> & { readonly headers: HeadersLike })
    | undefined

  const now = (): number => Date.now() + offsetMs
  const pause = async (): Promise<void> => {
    if (made > 0) await sleep(systemClock, pauseMs, signal).catch(() => {})
  }
  const obstacle = (): string | undefined => {
    if (signal.aborted) return STOPPED
    return made < MAX_CALLS ? undefined : `the limit of ${MAX_CALLS} calls is reached`
  }
  const requestObstacle = (): string | undefined =>
    requests < MAX_REQUESTS ? obstacle() : `the limit of ${MAX_REQUESTS} requests is reached`
  const begin = (what: string): string | undefined => {
    const problem = obstacle()
    if (problem !== undefined) return problem
    made += 1
    announce(`call ${made} of at most ${MAX_CALLS}: ${what}`)
    return undefined
  }
  let isSent = false
  // The calls are counted here, because the client sends a request again if its timestamp is rejected.
  const fetch =
    (algorithm: SignatureAlgorithm): FetchLike =>
    async (url, init) => {
      if (isSent) await pause()
      isSent = true
      const { method, headers, body } = init
      const hasToken =
        headers['x-access-token'] !== undefined ||
        (secret !== undefined && decoder.decode(body).includes(secret))
      const suffix = hasToken ? ', with the access token' : ''
      const what = `${method} ${new URL(url).pathname}, ${algorithm}, ${headers['x-version']}${suffix}`
      const problem = requestObstacle() ?? begin(what)
      if (problem !== undefined) throw Object.assign(new Error(problem), { code: problem })
      requests += 1
      const sentMs = Date.now()
      const response = await nodeFetch(url, init)
      received = { sentMs, receivedMs: Date.now(), headers: response.headers }
      return response
    }
  const brokerage = (algorithm: SignatureAlgorithm): Brokerage => {
    const known = brokerages.get(algorithm)
    if (known !== undefined) return known
    const correctionMs = offsetMs
    const clock: Clock = { ...systemClock, now: () => Date.now() + correctionMs }
    const brokerage = createBrokerage({
      ...connection,
      overrides: { ...connection.overrides, algorithm, streamAlgorithm: algorithm },
      clock,
      http: { maxRetries: 0, timeoutMs, fetch: fetch(algorithm) },
    })
    brokerages.set(algorithm, brokerage)
    created.push(brokerage)
    return brokerage
  }
  const send = async (algorithm: SignatureAlgorithm, request: HttpRequest): Promise<CallOutcome> => {
    const problem = requestObstacle()
    if (problem !== undefined) return { type: 'not-made', reason: problem }
    if (outcomes.some(isRateLimited))
      return { type: 'not-made', reason: 'an earlier response had the status 429' }
    received = undefined
    isSent = false
    try {
      const response = await brokerage(algorithm).http.request({ ...request, signal })
      return toOutcome(response.status, undefined, response.requestId, parseJson(response))
    } catch (error) {
      if (signal.aborted) return { type: 'not-made', reason: STOPPED }
      const details: unknown = isRecord(error) ? error.details : undefined
      const { status, serviceCode, requestId } = isRecord(details) ? details : {}
      if (typeof status !== 'number') return { type: 'failed', reason: describeReason(error) }
      return toOutcome(status, textOf(serviceCode), textOf(requestId))
    }
  }
  const toOutcome = (
    status: number,
    code: string | undefined,
    requestId: string | undefined,
    json?: unknown,
  ): ResponseOutcome => {
    const { headers, sentMs = Date.now(), receivedMs = sentMs } = received ?? {}
    const dateMs = parseHttpDate(headers?.get('date'), receivedMs)
    const limitHeaders = status === 429 ? readLimitHeaders(headers) : undefined
    const known = Number.isFinite(dateMs) ? dateMs : undefined
    return {
      type: 'response',
      status,
      code,
      requestId,
      dateMs: known,
      sentMs,
      receivedMs,
      limitHeaders,
      json,
    }
  }
  return {
    get made() {
      return made
    },
    outcomes,
    begin,
    brokerage,
    pause,
    now,
    correctClock(response) {
      const offset = decideClockOffset(response)
      if (!('answer' in offset) || typeof offset.answer === 'string') return false
      const value = Number(offset.answer.offsetMs)
      const { maxClockOffsetMs = DAY_MS } = connection
      if (Math.abs(value) <= TOLERANCE_MS || Math.abs(value) > maxClockOffsetMs) return false
      offsetMs = value
      brokerages.clear()
      return true
    },
    async request(algorithm, request) {
      await pause()
      const outcome = await send(algorithm, request)
      outcomes.push(outcome)
      return outcome
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(created.map((one) => one.close()))
    },
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function parseJson(response: { json(): unknown }): unknown {
  try {
    return response.json()
  } catch {
    return undefined
  }
}

/** Returns the headers whose name describes a limit. */
function readLimitHeaders(headers: HeadersLike | undefined): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  headers?.forEach((value, name) => {
    if (LIMIT_HEADER.test(name)) found[name] = value
  })
  return found
}
