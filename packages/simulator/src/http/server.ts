/** HTTP/1.1 in front of the application; faults are carried out between the two. */
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Clock } from '@brokerwire/core'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import type { TlsOptions } from '../grpc/server.ts'
import type { HttpEnv } from './answers.ts'
import type { HttpFaultQueue } from './http-fault.ts'
import { serveFault } from './serve-faults.ts'

/** What the server works with. */
export interface HttpServerContext {
  readonly app: Hono<HttpEnv>
  readonly faults: HttpFaultQueue
  readonly clock: Clock
  readonly tls: TlsOptions | undefined
}

/** Makes an HTTP server that does not listen yet. */
export function createHttpServer({ app, faults, clock, tls }: HttpServerContext): Server {
  const listener = getRequestListener(
    async (request, env) => {
      // This server speaks HTTP/1.1 only.
      const { incoming, outgoing } = env as HttpBindings
      const process = async (): Promise<Response> => app.fetch(request, env)
      const fault = faults.take((incoming.url ?? '').split('?', 1)[0] ?? '')
      return fault === undefined ? process() : serveFault(fault, { incoming, outgoing, clock, process })
    },
    { overrideGlobalObjects: false },
  )
  const onRequest: Parameters<typeof createServer>[1] = (incoming, outgoing) => {
    void listener(incoming, outgoing)
  }
  return tls === undefined ? createServer(onRequest) : createSecureServer({ ...tls }, onRequest)
}
