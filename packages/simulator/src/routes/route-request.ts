/** What a handler of one's own gets: a request whose signature, version and token were right. */
import { isRecord, received, utf8Decode } from '@brokerwire/core/internal'
import { isTooDeep, MAX_LEVELS } from '../http/json-object.ts'
import { answerError, type RouteAnswer } from './route-answer.ts'

/** A request, as it arrived. `Body` is what the route's `body` made of the JSON in it, else the JSON itself. */
export interface RouteRequest<Body = unknown> {
  readonly method: string
  /** Without the query, as it was sent. */
  readonly path: string
  /** What stood at the places of the route's path that begin with a colon, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Names and values of the query in the order in which they were sent, decoded. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** Lower-case names. They hold the signature and the access token. */
  readonly headers: Readonly<Record<string, string>>
  /** The JSON in the body, `undefined` where there is no body. */
  readonly body: Body
  /** The body, byte for byte. */
  readonly bytes: Uint8Array
  /** Value of `x-version`: `v2` where it was not sent. */
  readonly apiVersion: 'v2' | 'v3'
  /** Whose signature it was. */
  readonly appKey: string
  readonly requestId: string
  /** The request's instant: one reading of the simulator's clock, once it was received whole. */
  readonly nowMs: number
}

/** Thrown by what reads a request: the answer goes out instead of the handler's. */
export class RouteRefusal extends Error {
  readonly answer: RouteAnswer

  constructor(answer: RouteAnswer) {
    super('the request was refused')
    this.answer = answer
  }
}

/**
 * A non-empty text among the fields of a body. Inside a handler or a route's `body`, a body without it is answered with
 * 417 `INVALID_PARAMETER`, which names the field.
 *
 * @example
 * ```ts
 * import { answerJson, startSimulator, textField } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * simulator.route('POST', '/openapi/orders', ({ body }) =>
 *   answerJson({ client_order_id: textField(body, 'client_order_id') }),
 * )
 * ```
 */
export function textField(body: unknown, name: string): string {
  const value = isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined
  if (typeof value === 'string' && value !== '') return value
  const message = `${name}: expected a non-empty string, got ${received(value)}`
  throw new RouteRefusal(answerError(417, 'INVALID_PARAMETER', message))
}

/** Reads JSON out of a body. */
export function readJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const wrong = (problem: string) => new RouteRefusal(answerError(417, 'OPENAPI_PARAM_ERR', problem))
  let json: unknown
  try {
    json = JSON.parse(utf8Decode(bytes) ?? '')
  } catch {
    throw wrong('the request body must be JSON')
  }
  if (isTooDeep(json)) throw wrong(`the request body must have at most ${MAX_LEVELS} levels`)
  return json
}

/** Names and values of a query. */
export function readQuery(target: string): readonly (readonly [string, string])[] {
  const at = target.indexOf('?')
  return at < 0 ? [] : [...new URLSearchParams(target.slice(at))]
}
