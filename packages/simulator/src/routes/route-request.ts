/**
 * Requests in the form in which route handlers receive them, after the checks of signature, version and
 * token.
 */
import { isRecord, received, utf8Decode } from '@brokerwire/core/internal'
import { isTooDeep, MAX_LEVELS } from '../http/json-object.ts'
import { errorResponse, type RouteResponse } from './route-response.ts'

/**
 * A request. `Body` is the result of the route's `body` function. If the route has no such function, `Body`
 * is the parsed JSON.
 */
export interface RouteRequest<Body = unknown> {
  /** HTTP method of the request. */
  readonly method: string
  /** Path without the query, as it was sent. */
  readonly path: string
  /** Decoded values of the route's `:name` segments. */
  readonly params: Readonly<Record<string, string>>
  /** Decoded names and values of the query, in the order in which they were sent. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** Headers by lower-case name, including the signature and the access token. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Result of the route's `body` function. Without this function, the parsed JSON, or `undefined` if the
   * request has no body.
   */
  readonly body: Body
  /** Body of the request, byte for byte. */
  readonly bytes: Uint8Array
  /** Value of `x-version`; `v2` if the header is missing. */
  readonly apiVersion: 'v2' | 'v3'
  /** App key that signed the request. */
  readonly appKey: string
  /** Value of `x-request-id` in the response. */
  readonly requestId: string
  /** Time of the request: the simulator's clock is read once, after the whole request was received. */
  readonly nowMs: number
}

/** Thrown by functions that validate a request. Its response is sent instead of the result of the handler. */
export class RouteRejection extends Error {
  readonly response: RouteResponse

  constructor(response: RouteResponse) {
    super('the request was rejected')
    this.response = response
  }
}

/**
 * Returns a field of a body that must be a non-empty string. Call it in a handler or in a route's `body`
 * function. If the field is not such a string, the response is 417 `INVALID_PARAMETER` with the name of the
 * field.
 *
 * @example
 * ```ts
 * import { jsonResponse, startSimulator, stringField } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * simulator.route('POST', '/openapi/orders', ({ body }) =>
 *   jsonResponse({ client_order_id: stringField(body, 'client_order_id') }),
 * )
 * ```
 */
export function stringField(body: unknown, name: string): string {
  const value = isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined
  if (typeof value === 'string' && value !== '') return value
  const message = `${name} must be a non-empty string; received ${received(value)}`
  throw new RouteRejection(errorResponse(417, 'INVALID_PARAMETER', message))
}

/** Parses a JSON body. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const rejection = (problem: string) => new RouteRejection(errorResponse(417, 'OPENAPI_PARAM_ERR', problem))
  let json: unknown
  try {
    json = JSON.parse(utf8Decode(bytes) ?? '')
  } catch {
    throw rejection('the request body must be JSON')
  }
  if (isTooDeep(json)) throw rejection(`the request body must have at most ${MAX_LEVELS} levels`)
  return json
}

/** Parses the names and values of a query. */
export function parseQuery(target: string): readonly (readonly [string, string])[] {
  const at = target.indexOf('?')
  return at < 0 ? [] : [...new URLSearchParams(target.slice(at))]
}
