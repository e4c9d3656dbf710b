/**
 * HTTP server for other processes on this machine. It always listens on the loopback interface, requires a
 * token, and is off by default. It rejects the requests that a web page in a browser could send. These have a
 * foreign Host header, an Origin header, or a content type other than JSON.
 */

import { createServer, type Server } from 'node:http'
import type { Secret } from '@brokerwire/core'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { constantTimeEqual } from '../constant-time-equal.ts'
import { jsonObject } from '../http/json-object.ts'
import { MAX_HEAD_BYTES, type ReceiveBody, type ReceivedBody } from '../receive-body.ts'
import { isSimulatorError } from '../simulator-error.ts'
import { CONTROL_CALLS, type ControlCall } from './control-calls.ts'

/** Dependencies of the server. */
export interface ControlServerContext {
  readonly token: Secret
  readonly receiveBody: ReceiveBody
  readonly execute: (call: ControlCall, body: unknown) => Promise<unknown>
}

const MAX_BODY_BYTES = 1_048_576
const LOCAL_HOST = /^(127\.0\.0\.1|localhost)(:\d+)?$/
const BODY_PROBLEMS = {
  'too-large': 'the request body must be at most 1 MiB',
  busy: 'the simulator has too many requests in memory; try again later',
  gone: 'the client disconnected before the end of the body',
} as const satisfies Readonly<Record<Exclude<ReceivedBody, Uint8Array>, string>>
/** Calls that only read. */
const QUERIES: ReadonlySet<string> = new Set(['state', 'requests'])

/** Creates a server that does not listen yet. */
export function createControlServer({ token, receiveBody, execute }: ControlServerContext): Server {
  const app = new Hono<{ Bindings: HttpBindings }>()
  const errorBody = (code: string, message: string) => ({ error_code: code, message })
  app.use('*', async (c, next) => {
    const { headers } = c.env.incoming
    const isPost = c.req.method === 'POST'
    const isJson = !isPost || headers['content-type']?.split(';', 1)[0] === 'application/json'
    if (!LOCAL_HOST.test(headers.host ?? '') || headers.origin !== undefined || !isJson) {
      const message = 'the request must be application/json from this machine'
      return c.json(errorBody('CONTROL_REJECTED', message), 403)
    }
    // Methods other than GET and POST get the same response for every path, so that a web page cannot find
    // out which paths exist.
    if (!isPost && c.req.method !== 'GET')
      return c.json(errorBody('METHOD_NOT_ALLOWED', 'the method must be GET or POST'), 405)
    // RFC 9110, section 11.1: the name of an authentication scheme is case-insensitive.
    const given = (headers.authorization ?? '').replace(/^bearer /i, 'Bearer ')
    if (constantTimeEqual(given, `Bearer ${token.reveal()}`)) return next()
    return c.json(errorBody('UNAUTHORIZED', 'authorization must be Bearer and the control token'), 401)
  })
  for (const call of CONTROL_CALLS) {
    const path = `/${call}`
    if (QUERIES.has(call)) app.get(path, async (c) => c.json((await execute(call, {})) as object))
    else {
      app.post(path, async (c) => {
        const { incoming, outgoing } = c.env
        const received = await receiveBody({ incoming, exchange: outgoing, maxBytes: MAX_BODY_BYTES })
        if (!(received instanceof Uint8Array)) {
          return c.json(errorBody('INVALID_PARAMETER', BODY_PROBLEMS[received]), 413)
        }
        return c.json((await execute(call, received.length === 0 ? {} : jsonObject(received))) as object)
      })
    }
  }
  app.notFound((c) => {
    const calls = CONTROL_CALLS.map((call) => `${QUERIES.has(call) ? 'GET' : 'POST'} /${call}`).join(', ')
    return c.json(errorBody('NOT_FOUND', `the request must be one of ${calls}`), 404)
  })
  app.onError((error, c) =>
    isSimulatorError(error)
      ? c.json(errorBody(error.code, error.message), 400)
      : c.json(errorBody('SYSTEM_ERROR', 'the simulator failed'), 500),
  )
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  return createServer(
    { maxHeaderSize: MAX_HEAD_BYTES },
    (incoming, outgoing) => void listener(incoming, outgoing),
  )
}
