/** The routes of one's own: which handler a method and a path belong to. */
import { func, oneOf, received } from '@brokerwire/core/internal'
import { shownPath } from '../checks.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import type { RouteAnswer } from './route-answer.ts'
import type { RouteRequest } from './route-request.ts'

/** Answers a request. What it throws is answered with 500 `SYSTEM_ERROR`, with the message in it. */
export type RouteHandler<Body = unknown> = (
  request: RouteRequest<Body>,
) => RouteAnswer | PromiseLike<RouteAnswer>

/** What stands before a route's handler. */
export interface RouteOptions<Body = unknown> {
  /** Whether an access token in status NORMAL is needed, as long as the service checks tokens. @defaultValue 'required' */
  readonly token?: 'required' | 'none' | undefined
  /** Versions that are served; another one is refused with 401 `VERSION_NOT_SUPPORTED`. @defaultValue both */
  readonly versions?: readonly ('v2' | 'v3')[] | undefined
  /**
   * Makes of the JSON in the body what the handler gets. Where it throws, the request is refused with 417
   * `INVALID_PARAMETER` and its message. @defaultValue the JSON as it is
   */
  readonly body?: ((json: unknown) => Body) | undefined
}

/** A route in the caller's hand. */
export interface Route {
  readonly method: string
  readonly path: string
  /** Serves it no more; the one that it stood before is served again. */
  remove(): void
}

/** A route that fits a request. */
export interface RouteMatch {
  readonly handler: RouteHandler
  readonly name: string
  readonly params: Readonly<Record<string, string>>
  readonly token: 'required' | 'none'
  readonly versions: readonly string[]
  readonly body: ((json: unknown) => unknown) | undefined
}

/** The routes, the latest first. */
export interface RouteTable {
  add<Body>(method: string, path: string, handler: RouteHandler<Body>, options?: RouteOptions<Body>): Route
  match(method: string, path: string): RouteMatch | undefined
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const PATH = /^(\/(:[A-Za-z]\w*|[\w.~%-]*))+$/
const MAX_ROUTES = 10_000

/** What the simulator serves itself: nothing stands before it. */
const SERVED =
  /^\/(auth\/(client-)?tokens\/(create|check|refresh)|openapi\/(auth\/token\/(create|check|refresh)|config|simulator\/.*)|healthz)$/

/** Where a caller's route would never be reached, either. */
const SERVED_WITH_QUOTES = /^(\/openapi)?\/market-data\/streaming\/(un)?subscribe$/

interface Entry extends Omit<RouteMatch, 'params'> {
  readonly method: string
  readonly segments: readonly string[]
}

/** Makes a table without routes. @param withQuotes - Whether the simulator serves market data. */
export function createRouteTable(withQuotes = false): RouteTable {
  let entries: readonly Entry[] = []
  return {
    add(method, path, handler, given = {}) {
      oneOf(METHODS)(method, 'method', argumentFailure)
      if (typeof path !== 'string' || !PATH.test(path)) {
        const expected = "a path such as '/openapi/orders/:id', without a query"
        throw argumentFailure('path', expected, shownPath(path))
      }
      const segments = path.split('/')
      const names = segments.filter((segment) => segment.startsWith(':'))
      if (new Set(names).size < names.length) {
        throw argumentFailure('path', 'parts of different names', 'a name twice')
      }
      // Clients take these away before they send.
      const isLost = segments.some(
        (part, index) => part === '.' || part === '..' || (index === 1 && part === ''),
      )
      if (isLost && path !== '/') {
        throw argumentFailure(
          'path',
          "a path that arrives as it is, without '//' at its beginning, '.' and '..'",
          shownPath(path),
        )
      }
      if (SERVED.test(path) || (withQuotes && SERVED_WITH_QUOTES.test(path))) {
        throw argumentFailure('path', 'one that the simulator does not serve itself', shownPath(path))
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
        handler: func(missing)(handler as RouteHandler | undefined, 'handler', argumentFailure),
        token: oneOf(['required', 'none'], 'required')(options.token, 'token', argumentFailure),
        versions,
        body: options.body && func(options.body)(options.body, 'body', argumentFailure),
      }
      if (entry.handler === missing) throw argumentFailure('handler', 'a function', 'undefined')
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
        const params = paramsOf(segments, parts)
        if (params !== undefined) return { ...entry, params }
      }
      return undefined
    },
  }
}

const missing: RouteHandler = () => ({ status: 500 })

/** `undefined` where the path does not fit. */
function paramsOf(
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
    const value = decoded(part)
    if (value === undefined || value === '') return undefined
    params.push([segment.slice(1), value])
  }
  return Object.fromEntries(params)
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
