/** Responses of route handlers, and helpers that create them. */
import { isRecord, received } from '@brokerwire/core/internal'

/** A response: a status, with JSON, a string or no body. */
export interface RouteAnswer {
  /** HTTP status, 200 to 599. */
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as `application/json`. */
  readonly json?: unknown
  /** Sent unchanged; as `text/plain` unless the headers have another type. */
  readonly text?: string | undefined
}

/** Status and headers of a response. */
export interface AnswerInit {
  /** HTTP status. @defaultValue 200 */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Creates a JSON response.
 *
 * @example
 * ```ts
 * import { answerJson, startSimulator } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * simulator.route('GET', '/openapi/orders/:id', ({ params }) => answerJson({ order_id: params.id }))
 * ```
 */
export function answerJson(json: unknown, { status = 200, headers }: AnswerInit = {}): RouteAnswer {
  return { status, headers, json }
}

/**
 * Creates a text response.
 *
 * @example
 * ```ts
 * import { answerText, startSimulator } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * simulator.route('GET', '/openapi/orders/:id', () => answerText('accepted', { status: 202 }))
 * ```
 */
export function answerText(text: string, { status = 200, headers }: AnswerInit = {}): RouteAnswer {
  return { status, headers, text }
}

/**
 * Creates a response with the documented error body, `{"error_code", "message"}`.
 *
 * @example
 * ```ts
 * import { answerError, startSimulator } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * simulator.route('GET', '/openapi/orders/:id', () => answerError(404, 'NOT_FOUND', 'no such order'))
 * ```
 */
export function answerError(
  status: number,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>> | undefined,
): RouteAnswer {
  return { status, headers, json: { error_code: code, message } }
}

const BARE = new Set([204, 205, 304])

/** The body of a response; none if its status allows none. */
export const bodyFor = (status: number, body: string | undefined): string | null =>
  BARE.has(status) ? null : (body ?? null)

/** Creates the response. @throws TypeError if the value is invalid; the message states the expected type. */
export function toResponse(answer: unknown): Response {
  if (!isRecord(answer))
    throw new TypeError(`the response must be an object with a status; received ${received(answer)}`)
  const { status, headers, json, text } = answer as Partial<RouteAnswer>
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599) {
    throw new TypeError(`status must be a whole number from 200 to 599; received ${received(status)}`)
  }
  const body = json === undefined ? text : JSON.stringify(json)
  const all = new Headers(headers)
  if (body !== undefined && !all.has('content-type')) {
    all.set('content-type', json === undefined ? 'text/plain; charset=utf-8' : 'application/json')
  }
  return new Response(bodyFor(status as number, body), { status: status as number, headers: all })
}

/** The error code in a response, for the request log. */
export function errorCodeOf(answer: RouteAnswer): string | undefined {
  const code = isRecord(answer.json) ? answer.json.error_code : undefined
  if (typeof code === 'string') return code
  return answer.status >= 400 ? String(answer.status) : undefined
}
