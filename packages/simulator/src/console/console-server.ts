/** HTTP server of the console: page, feed and calls. It always listens on the loopback interface. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { jsonObject } from '../http/json-object.ts'
import { MAX_HEAD_BYTES, type ReceiveBody } from '../receive-body.ts'
import { isSimulatorError } from '../simulator-error.ts'
import { CONSOLE_ACTIONS, CONSOLE_LOOKS, type ConsoleCall } from './console-calls.ts'
import type { Feed } from './feed.ts'
import { type Guard, SECURITY_HEADERS } from './guard.ts'
import type { PageFile } from './page-files.ts'

/** Dependencies of the server. */
export interface ConsoleServerContext {
  readonly guard: Guard
  readonly feed: Feed
  readonly files: ReadonlyMap<string, PageFile>
  readonly receiveBody: ReceiveBody
  readonly carryOut: (call: ConsoleCall, body: unknown) => Promise<unknown>
}

const MAX_BODY_BYTES = 1_048_576
/** Limit for requests without a session. */
const MAX_TOKEN_BYTES = 4096

/** Creates a server that does not listen yet. */
export function createConsoleServer(context: ConsoleServerContext): Server {
  return createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (request, response) => {
    serve(context, request, response).catch((error: unknown) => {
      if (response.headersSent) return response.destroy()
      if (isSimulatorError(error)) return refuse(response, 400, error.message)
      return refuse(response, 500, 'the simulator failed')
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
  if (foreign !== undefined) return refuse(response, foreign.status, foreign.message)

  const [pathname = '', query = ''] = (request.url ?? '').split('?', 2)
  const file = files.get(pathname)
  if (file !== undefined && (method === 'GET' || method === 'HEAD')) {
    response.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length })
    response.end(method === 'HEAD' ? undefined : file.bytes)
    return
  }
  if (pathname === '/session' && method === 'POST') return beginSession(context, request, response)

  const stranger = guard.checkSession(headers)
  if (stranger !== undefined) return refuse(response, stranger.status, stranger.message)
  if (pathname === '/api/feed' && method === 'GET') {
    const lastEventId = headers['last-event-id']
    const isOpen = feed.open(response, typeof lastEventId === 'string' ? lastEventId : undefined)
    if (!isOpen) refuse(response, 503, 'too many pages are open; close one')
    return
  }
  const call = pathname.startsWith('/api/') ? pathname.slice('/api/'.length) : ''
  if (method === 'GET' && isOneOf(call, CONSOLE_LOOKS)) {
    return answer(response, await context.carryOut(call, Object.fromEntries(new URLSearchParams(query))))
  }
  if (method === 'POST' && isOneOf(call, CONSOLE_ACTIONS)) {
    const fields = await receiveFields(context, request, response, MAX_BODY_BYTES)
    if (fields === undefined) return refuse(response, 413, 'the body must be a JSON object of at most 1 MiB')
    return answer(response, await context.carryOut(call, fields))
  }
  refuse(response, 404, 'page not found')
}

/** Exchanges the token of the printed address for a cookie and a key. Afterwards the address holds no secret. */
async function beginSession(
  context: ConsoleServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fields = await receiveFields(context, request, response, MAX_TOKEN_BYTES)
  const session = typeof fields?.token === 'string' ? context.guard.sessionFor(fields.token) : undefined
  if (session === undefined)
    return refuse(response, 401, 'the session has ended; open the address that the simulator printed')
  response.setHeader('set-cookie', session.cookie)
  answer(response, { key: session.key })
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

function answer(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ message }))
}
