/** Calls the handler of a route. If the handler throws, the response is an error. */
import type { Context } from 'hono'
import { getPath } from '../http/describe-request.ts'
import { type HttpEnv, respondWithError } from '../http/responses.ts'
import { parseJsonBody, parseQuery, RouteRejection, type RouteRequest } from './route-request.ts'
import { getErrorCode, type RouteResponse, toResponse } from './route-response.ts'
import type { RouteMatch } from './route-table.ts'

/** @returns The response. This function never throws. */
export async function serveRoute(
  c: Context<HttpEnv>,
  route: RouteMatch,
  requestId: string,
): Promise<Response> {
  try {
    const routeResponse = await callHandler(c, route, requestId)
    const response = toResponse(routeResponse)
    c.set('errorCode', getErrorCode(routeResponse))
    return response
  } catch (error) {
    // The message of an error in the user's handler is sent, because the user works on the same machine.
    return respondWithError(
      c,
      500,
      'SYSTEM_ERROR',
      `the handler of ${route.name} failed: ${getMessage(error)}`,
    )
  }
}

async function callHandler(
  c: Context<HttpEnv>,
  route: RouteMatch,
  requestId: string,
): Promise<RouteResponse> {
  const { incoming } = c.env
  const bytes = c.get('body')
  try {
    const json = parseJsonBody(bytes)
    const request: RouteRequest = {
      method: c.req.method,
      path: getPath(incoming),
      params: route.params,
      query: parseQuery(incoming.url ?? ''),
      headers: singleValues(incoming.headersDistinct),
      body: route.body === undefined ? json : parseBody(route.body, json),
      bytes,
      apiVersion: c.req.header('x-version') === 'v3' ? 'v3' : 'v2',
      appKey: c.get('appKey'),
      requestId,
      nowMs: c.get('nowMs'),
    }
    return await route.handler(request)
  } catch (error) {
    if (error instanceof RouteRejection) return error.response
    throw error
  }
}

function parseBody(body: (json: unknown) => unknown, json: unknown): unknown {
  try {
    return body(json)
  } catch (error) {
    if (error instanceof RouteRejection) throw error
    const json = { error_code: 'INVALID_PARAMETER', message: getMessage(error) }
    throw new RouteRejection({ status: 417, json })
  }
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function singleValues(headers: NodeJS.Dict<string[]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, (values ?? []).join(', ')]),
  )
}
