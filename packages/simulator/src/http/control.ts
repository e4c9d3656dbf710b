/**
 * A small control surface over HTTP, for other processes on the same machine. Off unless asked for.
 *
 * It has no password, so it refuses what a web page in a browser could send: a foreign Host header, and anything but
 * JSON, which a page cannot post to another origin without being asked for permission first.
 */
import type { Hono } from 'hono'
import type { ReceiveBody } from '../receive-body.ts'
import { type HttpEnv, refuse, refuseBody } from './answers.ts'
import { jsonObject } from './json-object.ts'

/** What can be controlled. */
export interface ControlTarget {
  approveSecondFactor(token: string | undefined): number
  dropConnections(): number
  startScenario(): void
  stopScenario(): void
  /** Without secrets. */
  state(): Readonly<Record<string, unknown>>
}

/** Of a token in a JSON object, with room for white space. */
const MAX_BODY_BYTES = 4096
const LOCAL_HOST = /^(127\.0\.0\.1|localhost)(:\d+)?$/

/** Adds the routes under `/_simulator`. */
export function addControlRoutes(app: Hono<HttpEnv>, target: ControlTarget, receiveBody: ReceiveBody): void {
  app.use('/_simulator/*', async (c, next) => {
    const isLocal = LOCAL_HOST.test(c.env.incoming.headers.host ?? '')
    const isJson =
      c.req.method === 'GET' || c.req.header('content-type')?.split(';', 1)[0] === 'application/json'
    if (!isLocal || c.req.header('origin') !== undefined || !isJson) {
      return refuse(c, 403, 'CONTROL_REFUSED', 'control takes application/json from this machine only')
    }
    return next()
  })
  app.get('/_simulator/state', (c) => c.json(target.state()))
  app.post('/_simulator/second-factor', async (c) => {
    const { incoming, outgoing } = c.env
    const received = await receiveBody({ incoming, exchange: outgoing, maxBytes: MAX_BODY_BYTES })
    if (!(received instanceof Uint8Array)) return refuseBody(c, received)
    const body = jsonObject(received)
    const token = body?.token
    if (body === undefined || (token !== undefined && typeof token !== 'string')) {
      return refuse(c, 417, 'INVALID_PARAMETER', 'the body must be {} or {"token": string}')
    }
    return c.json({ approved: target.approveSecondFactor(token) })
  })
  app.post('/_simulator/drop', (c) => c.json({ dropped: target.dropConnections() }))
  app.post('/_simulator/scenario/start', (c) => {
    target.startScenario()
    return c.json({ running: true })
  })
  app.post('/_simulator/scenario/stop', (c) => {
    target.stopScenario()
    return c.json({ running: false })
  })
}
