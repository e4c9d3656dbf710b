/** Stores the routes of the user, and finds the handler of a method and a path. */
import { func, oneOf, received } from '@brokerwire/core/internal'
import { displayPath } from '../display-path.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import type { RouteRequest } from './route-request.ts'
import type { RouteResponse } from './route-response.ts'

/** Handles a request. If it throws, the response is 500 `SYSTEM_ERROR` with the message of the error. */
export type RouteHandler<Body = unknown> = (
  request: RouteRequest<Body>,
) => RouteResponse | PromiseLike<RouteResponse>

/** Checks of a request before its handler is called. */
export interface RouteOptions<Body = unknown> {
  /**
   * Whether a NORMAL access token is required if the app's option `tokenCheckEnabled` is true.
   *
   * @defaultValue 'required'
   */
  readonly token?: 'required' | 'none' | undefined
  /**
   * API versions that the route supports. Requests with another version get 401 `VERSION_NOT_SUPPORTED`.
   * @defaultValue both
   */
  readonly versions?: readonly ('v2' | 'v3')[] | undefined
  /**
   * Validates the JSON body and returns the value that the handler receives. If this function throws, the
   * response is 417 `INVALID_PARAMETER` with the message of the error.
   *
   * @defaultValue the JSON unchanged
   */
  readonly body?: ((json: unknown) => Body) | undefined
}

/** A registered route. */
export interface Route {
  /** HTTP method of the route. */
  readonly method: string
  /** Path with `:name` segments, as it was added. */
  readonly path: string
  /** Removes the route. An earlier route of the same method and path is used again. */
  remove(): void
}

/** A route that matches a request. */
export interface RouteMatch {
  readonly handler: RouteHandler
  readonly name: string
  readonly params: Readonly<Record<string, string>>
  readonly token: 'required' | 'none'
  readonly versions: readonly string[]
  readonly body: ((json: unknown) => unknown) | undefined
}

/** The routes. If several routes match a request, the latest one is used. */
export interface RouteTable {
  add<Body>(method: string, path: string, handler: RouteHandler<Body>, options?: RouteOptions<Body>): Route
  match(method: string, path: string): RouteMatch | undefined
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const PATH = /^(\/(:[A-Za-z]\w*|[\w.~%-]*))+$/
const MAX_ROUTES = 10_000

/** Endpoints of the simulator, which routes cannot replace. */
const SERVED_PATHS =
  /^\/(auth\/(client-)?tokens\/(create|check|refresh)|openapi\/(auth\/(client\/)?token\/(create|check|refresh)|config|simulator\/.*)|healthz)$/

/**
 * Endpoints of market data. They have precedence over routes, so a route on such a path would never be used.
 */
const QUOTES_PATHS = /^(\/openapi)?\/market-data\/streaming\/(un)?subscribe$/

interface Entry extends Omit<RouteMatch, 'params'> {
  readonly method: string
  readonly segments: readonly string[]
}

/** Creates a table without routes. @param withQuotes - Whether the simulator serves market data. */
export function createRouteTable(withQuotes = false): RouteTable {
  let entries: readonly Entry[] = []
  return {
    add(method, path, handler, given = {}) {
      oneOf(METHODS)(method, 'method', argumentFailure)
      if (typeof path !== 'string' || !PATH.test(path)) {
        const expected = "a path such as '/openapi/orders/:id', without a query"
        throw argumentFailure('path', expected, displayPath(path))
      }
      const segments = path.split('/')
      const names = segments.filter((segment) => segment.startsWith(':'))
      if (new Set(names).size < names.length) {
        throw argumentFailure('path', 'a path whose parameters have different names', 'a duplicate name')
      }
      // A path with such segments is rejected, because clients remove them before they send a request.
      const isLost = segments.some(
        (part, index) => part === '.' || part === '..' || (index === 1 && part === ''),
      )
      if (isLost && path !== '/') {
        throw argumentFailure(
          'path',
          "a path that clients do not normalize, without '//' at its start, '.' and '..'",
          displayPath(path),
        )
      }
      if (SERVED_PATHS.test(path) || (withQuotes && QUOTES_PATHS.test(path))) {
        throw argumentFailure('path', 'a path that the simulator does not serve itself', displayPath(path))
      }
      if (entries.length >= MAX_ROUTES) {
        throw argumentFailure('path', `one of at most ${MAX_ROUTES} routes`, 'one more')
      }
      const options = readArguments(given, ['token', 'versions', 'body'])
      const versions = options.versions ?? ['v2', 'v3']
      if (!Array.isArray(versions) || versions.length === 0) {
        throw argumentFailure('versions', "a non-empty array of 'v2' and 'v3'", received(versions))
      }
      for (const version of versions) oneOf(['v2', 'v3'])(version, 'versions', argumentFailure)
      const entry: Entry = {
        method,
        name: `${method} ${path}`,
        segments,
        handler: func(noHandler)(handler as RouteHandler | undefined, 'handler', argumentFailure),
        token: oneOf(['required', 'none'], 'required')(options.token, 'token', argumentFailure),
        versions,
        body: options.body && func(options.body)(options.body, 'body', argumentFailure),
      }
      if (entry.handler === noHandler) throw argumentFailure('handler', 'a function', 'undefined')
      entries = [entry, ...entries]
      return {
        method,
        path,
        remove() {
          entries = entries.filter((item) => item !== entry)
        },
      }
    },
    match(method, path) {
      const parts = path.split('/')
      for (const { segments, ...entry } of entries) {
        if (entry.method !== method || segments.length !== parts.length) continue
        const params = matchSegments(segments, parts)
        if (params !== undefined) return { ...entry, params }
      }
      return undefined
    },
  }
}

const noHandler: RouteHandler = () => ({ status: 500 })

/** Returns the values of the `:name` segments. `undefined` if the path does not match. */
function matchSegments(
  segments: readonly string[],
  parts: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const params: [string, string][] = []
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? ''
    if (!segment.startsWith(':')) {
      if (segment !== part) return undefined
      continue
    }
    const value = decodeSegment(part)
    if (value === undefined || value === '') return undefined
    params.push([segment.slice(1), value])
  }
  return Object.fromEntries(params)
}

function decodeSegment(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
