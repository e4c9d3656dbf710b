/** Applies an HTTP fault between the application and the socket. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@brokerwire/core'
import { unreachable } from '@brokerwire/core/internal'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { bodyFor } from '../routes/route-response.ts'
import type { HttpFault } from './http-fault.ts'

/** One request and its response. */
export interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly clock: Clock
  /** Time of the request. */
  readonly nowMs: number
  /** Calls the application, which executes the request. */
  readonly process: () => Promise<Response>
}

/**
 * @returns The response that the server must send. `RESPONSE_ALREADY_SENT` if this function sends the
 * response itself, or if no response is sent.
 */
export async function serveFault(fault: HttpFault, exchange: Exchange): Promise<Response> {
  const { incoming, outgoing } = exchange
  // `Date` is set here, because the server would use the host's clock instead of the simulator's.
  const date = new Date(exchange.nowMs).toUTCString()
  switch (fault.kind) {
    case 'respond': {
      const headers = new Headers(fault.headers)
      if (!headers.has('date')) headers.set('date', date)
      return new Response(bodyFor(fault.status, fault.body), { status: fault.status, headers })
    }
    case 'hang':
      return RESPONSE_ALREADY_SENT
    case 'close':
      if (fault.processed === true) await exchange.process()
      incoming.socket.destroy()
      return RESPONSE_ALREADY_SENT
    case 'truncate': {
      const body = await sendHead(exchange)
      outgoing.write(body.subarray(0, Math.ceil(body.length / 2)), () => incoming.socket.destroy())
      return RESPONSE_ALREADY_SENT
    }
    case 'drip':
      drip(await sendHead(exchange), fault.intervalMs, exchange)
      return RESPONSE_ALREADY_SENT
    case 'delay': {
      const response = await exchange.process()
      await new Promise<void>((resolve) => exchange.clock.setTimer(resolve, fault.delayMs))
      return response
    }
    case 'flood':
      return new Response(flood(fault.bytes), { headers: { 'content-type': 'application/json', date } })
    default:
      return unreachable(fault)
  }
}

/**
 * Executes the request and sends the head of the response with the real length of the body.
 *
 * @returns The body.
 */
async function sendHead({ outgoing, process }: Exchange): Promise<Buffer> {
  const response = await process()
  const body = Buffer.from(await response.arrayBuffer())
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    'content-length': body.length,
  })
  return body
}

function drip(body: Buffer, intervalMs: number, { outgoing, clock }: Exchange): void {
  let sent = 0
  const step = (): void => {
    if (outgoing.destroyed) return
    if (sent === body.length) {
      outgoing.end()
      return
    }
    outgoing.write(body.subarray(sent, sent + 1))
    sent += 1
    cancel = clock.setTimer(step, intervalMs)
  }
  let cancel = clock.setTimer(step, intervalMs)
  outgoing.once('close', () => cancel())
}

const FLOOD_CHUNK = 65_536

function flood(bytes: number): ReadableStream<Uint8Array> {
  const end = Buffer.from('{}')
  let left = Math.max(bytes - end.length, 0)
  return new ReadableStream({
    pull(controller) {
      if (left === 0) {
        controller.enqueue(end)
        controller.close()
        return
      }
      const size = Math.min(left, FLOOD_CHUNK)
      controller.enqueue(Buffer.alloc(size, ' '))
      left -= size
    },
  })
}
