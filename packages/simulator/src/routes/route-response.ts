/** Responses of route handlers, and helpers that create them. */
import { isRecord, received } from '@brokerwire/core/internal'

/** A response: its status, with a body of JSON or a string, or without a body. */
export interface RouteResponse {
  /** HTTP status, 200 to 599. */
  readonly status: number
  /** Headers of the response. @defaultValue only `content-type` */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Body that is sent as `application/json`. */
  readonly json?: unknown
  /** Text that is sent unchanged, as `text/plain` unless the headers have another type. */
  readonly text?: string | undefined
}

/** Status and headers of a response. */
export interface RouteResponseInit {
  /** HTTP status, 200 to 599. @defaultValue 200 */
  readonly status?: number | undefined
  /** Headers of the response. @defaultValue only `content-type` */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Creates a JSON response.
 *
 * @example
 * ```ts
 * import { jsonResponse, startSimulator } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * simulator.route('GET', '/openapi/orders/:id', ({ params }) => jsonResponse({ order_id: params.id }))
 * ```
 */
export function jsonResponse(
  json: unknown,
  { status = 200, headers }: RouteResponseInit = {},
): RouteResponse {
  return { status, headers, json }
}

/**
 * Creates a text response.
 *
 * @example
 * ```ts
 * import { textResponse, startSimulator } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * simulator.route('GET', '/openapi/orders/:id', () => textResponse('accepted', { status: 202 }))
 * ```
 */
export function textResponse(text: string, { status = 200, headers }: RouteResponseInit = {}): RouteResponse {
  return { status, headers, text }
}

/**
 * Creates a response with the documented error body, `{"error_code", "message"}`.
 *
 * @example
 * ```ts
 * import { errorResponse, startSimulator } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * simulator.route('GET', '/openapi/orders/:id', () => errorResponse(404, 'NOT_FOUND', 'no such order'))
 * ```
 */
export function errorResponse(
  status: number,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>> | undefined,
): RouteResponse {
  return { status, headers, json: { error_code: code, message } }
}

/** Statuses whose responses have no body (RFC 9110, section 15). */
const NO_BODY_STATUSES = new Set([204, 205, 304])

/** Returns the body of a response. `null` if the status does not allow a body. */
export const bodyFor = (status: number, body: string | undefined): string | null =>
  NO_BODY_STATUSES.has(status) ? null : (body ?? null)

/**
 * Creates the response that a handler described.
 *
 * @throws TypeError if the value is invalid. The message states the expected type.
 */
export function toResponse(value: unknown): Response {
  if (!isRecord(value))
    throw new TypeError(`the response must be an object with a status; received ${received(value)}`)
  const { status, headers, json, text } = value as Partial<RouteResponse>
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

/** Returns the error code of a response, for the request log. */
export function getErrorCode({ json, status }: RouteResponse): string | undefined {
  const code = isRecord(json) ? json.error_code : undefined
  if (typeof code === 'string') return code
  return status >= 400 ? String(status) : undefined
}
