/** Calls a route's handler, and responds to errors in it. */
import type { Context } from 'hono'
import { type HttpEnv, refuse } from '../http/answers.ts'
import { pathOf } from '../http/describe-request.ts'
import { errorCodeOf, type RouteAnswer, toResponse } from './route-answer.ts'
import { RouteRefusal, type RouteRequest, readJsonBody, readQuery } from './route-request.ts'
import type { RouteMatch } from './route-table.ts'

/** @returns The response. Never throws. */
export async function serveRoute(
  c: Context<HttpEnv>,
  route: RouteMatch,
  requestId: string,
): Promise<Response> {
  try {
    const answer = await answerOf(c, route, requestId)
    const response = toResponse(answer)
    c.set('errorCode', errorCodeOf(answer))
    return response
  } catch (error) {
    // The message of the user's own error: its author works on the same machine.
    return refuse(c, 500, 'SYSTEM_ERROR', `the handler of ${route.name} failed: ${messageOf(error)}`)
  }
}

async function answerOf(c: Context<HttpEnv>, route: RouteMatch, requestId: string): Promise<RouteAnswer> {
  const { incoming } = c.env
  const bytes = c.get('body')
  try {
    const json = readJsonBody(bytes)
    const request: RouteRequest = {
      method: c.req.method,
      path: pathOf(incoming),
      params: route.params,
      query: readQuery(incoming.url ?? ''),
      headers: singleValues(incoming.headersDistinct),
      body: route.body === undefined ? json : parsed(route.body, json),
      bytes,
      apiVersion: c.req.header('x-version') === 'v3' ? 'v3' : 'v2',
      appKey: c.get('appKey'),
      requestId,
      nowMs: c.get('nowMs'),
    }
    return await route.handler(request)
  } catch (error) {
    if (error instanceof RouteRefusal) return error.answer
    throw error
  }
}

function parsed(body: (json: unknown) => unknown, json: unknown): unknown {
  try {
    return body(json)
  } catch (error) {
    if (error instanceof RouteRefusal) throw error
    const json = { error_code: 'INVALID_PARAMETER', message: messageOf(error) }
    throw new RouteRefusal({ status: 417, json })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function singleValues(headers: NodeJS.Dict<string[]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, (values ?? []).join(', ')]),
  )
}
