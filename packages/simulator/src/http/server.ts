/** HTTP/1.1 server of the application. It applies HTTP faults. */
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Clock } from '@brokerwire/core'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import type { HttpFaultQueue } from '../fault-controls.ts'
import { MAX_HEAD_BYTES } from '../receive-body.ts'
import type { RequestLog } from '../request-log.ts'
import type { TlsOptions } from '../tls/tls-options.ts'
import { describeRequest, getPath } from './describe-request.ts'
import type { HttpEnv } from './responses.ts'
import { serveFault } from './serve-faults.ts'

/** Dependencies of the server. */
export interface HttpServerContext {
  readonly app: Hono<HttpEnv>
  readonly faults: HttpFaultQueue
  readonly clock: Clock
  readonly tls: TlsOptions | undefined
  readonly requestLog: RequestLog
  readonly nextRequestId: () => string
}

/** Creates an HTTP server that does not listen yet. */
export function createHttpServer(context: HttpServerContext): Server {
  const { app, faults, clock, tls, requestLog, nextRequestId } = context
  const listener = getRequestListener(
    async (request, env) => {
      // The bindings are those of HTTP/1.1, because this server supports only that version.
      const { incoming, outgoing } = env as HttpBindings
      const process = async (): Promise<Response> => app.fetch(request, env)
      const fault = faults.take(getPath(incoming))
      if (fault === undefined) return process()
      const atMs = clock.now()
      let isProcessed = false
      const response = await serveFault(fault, {
        incoming,
        outgoing,
        clock,
        nowMs: atMs,
        process: () => {
          isProcessed = true
          return process()
        },
      })
      if (!isProcessed) {
        requestLog.add({
          ...describeRequest(incoming),
          atMs,
          respondedAtMs: clock.now(),
          appKey: undefined,
          status: fault.kind === 'respond' ? fault.status : fault.kind === 'flood' ? 200 : 0,
          errorCode: `fault ${fault.kind}`,
          requestId: nextRequestId(),
        })
      }
      return response
    },
    { overrideGlobalObjects: false },
  )
  const onRequest: Parameters<typeof createServer>[1] = (incoming, outgoing) => {
    void listener(incoming, outgoing)
  }
  const options = { maxHeaderSize: MAX_HEAD_BYTES }
  return tls === undefined
    ? createServer(options, onRequest)
    : createSecureServer({ ...tls, ...options }, onRequest)
}
