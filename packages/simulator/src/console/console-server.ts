/** HTTP server of the console: page, feed and calls. It always listens on the loopback interface. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { jsonObject } from '../http/json-object.ts'
import { MAX_HEAD_BYTES, type ReceiveBody } from '../receive-body.ts'
import { isSimulatorError } from '../simulator-error.ts'
import { CONSOLE_ACTIONS, CONSOLE_QUERIES, type ConsoleCall } from './console-calls.ts'
import type { Feed } from './feed.ts'
import { type Guard, SECURITY_HEADERS } from './guard.ts'
import type { PageFile } from './page-files.ts'

/** Dependencies of the server. */
export interface ConsoleServerContext {
  readonly guard: Guard
  readonly feed: Feed
  readonly files: ReadonlyMap<string, PageFile>
  readonly receiveBody: ReceiveBody
  readonly execute: (call: ConsoleCall, body: unknown) => Promise<unknown>
}

const MAX_BODY_BYTES = 1_048_576
/** Maximum size of a body that is sent without a session. */
const MAX_TOKEN_BYTES = 4096

/** Creates a server that does not listen yet. */
export function createConsoleServer(context: ConsoleServerContext): Server {
  return createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (request, response) => {
    serve(context, request, response).catch((error: unknown) => {
      if (response.headersSent) return response.destroy()
      if (isSimulatorError(error)) return sendError(response, 400, error.message)
      return sendError(response, 500, 'the simulator failed')
    })
  })
}

async function serve(
  context: ConsoleServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { guard, feed, files } = context
  const { method = '', headers } = request
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
  const foreign = guard.checkOrigin(method, headers)
  if (foreign !== undefined) return sendError(response, foreign.status, foreign.message)

  const [pathname = '', query = ''] = (request.url ?? '').split('?', 2)
  const file = files.get(pathname)
  if (file !== undefined && (method === 'GET' || method === 'HEAD')) {
    response.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length })
    response.end(method === 'HEAD' ? undefined : file.bytes)
    return
  }
  if (pathname === '/session' && method === 'POST') return beginSession(context, request, response)

  const stranger = guard.checkSession(headers)
  if (stranger !== undefined) return sendError(response, stranger.status, stranger.message)
  if (pathname === '/api/feed' && method === 'GET') {
    const lastEventId = headers['last-event-id']
    const isOpen = feed.open(response, typeof lastEventId === 'string' ? lastEventId : undefined)
    if (!isOpen) sendError(response, 503, 'too many pages are open; close one')
    return
  }
  const call = pathname.startsWith('/api/') ? pathname.slice('/api/'.length) : ''
  if (method === 'GET' && isOneOf(call, CONSOLE_QUERIES)) {
    return sendJson(response, await context.execute(call, Object.fromEntries(new URLSearchParams(query))))
  }
  if (method === 'POST' && isOneOf(call, CONSOLE_ACTIONS)) {
    const fields = await receiveFields(context, request, response, MAX_BODY_BYTES)
    if (fields === undefined)
      return sendError(response, 413, 'the body must be a JSON object of at most 1 MiB')
    return sendJson(response, await context.execute(call, fields))
  }
  sendError(response, 404, 'page not found')
}

/** Begins a session: exchanges the token of the printed address for a cookie and a key. */
async function beginSession(
  context: ConsoleServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fields = await receiveFields(context, request, response, MAX_TOKEN_BYTES)
  const session = typeof fields?.token === 'string' ? context.guard.sessionFor(fields.token) : undefined
  if (session === undefined)
    return sendError(response, 401, 'the session has ended; open the address that the simulator printed')
  response.setHeader('set-cookie', session.cookie)
  sendJson(response, { key: session.key })
}

async function receiveFields(
  { receiveBody }: ConsoleServerContext,
  incoming: IncomingMessage,
  exchange: ServerResponse,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const received = await receiveBody({ incoming, exchange, maxBytes })
  return received instanceof Uint8Array ? jsonObject(received) : undefined
}

function isOneOf<const T extends string>(text: string, names: readonly T[]): text is T {
  return (names as readonly string[]).includes(text)
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

function sendError(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ message }))
}
