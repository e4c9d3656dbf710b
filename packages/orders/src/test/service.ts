/** A service of orders in memory, as a client of the journal: it loses responses, rejects, and lets queries lag. */
import { BrokerwireError, type Clock, type OperationRequest } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import type { JournalClient, JournalRequestOptions } from '../index.ts'

/** An error with the shape of those of `@brokerwire/http`. */
class TestHttpError extends BrokerwireError {
  override readonly name = 'HttpError'

  constructor(code: string, details: Readonly<Record<string, unknown>> = {}) {
    super('http', code, `failed with ${code}`, { details: { sentOnce: true, ...details } })
  }
}

/** A rejection by the service. */
export const rejection = (serviceCode: string, code = 'HTTP_BUSINESS_ERROR', status = 417): BrokerwireError =>
  new TestHttpError(code, { serviceCode, status, serviceMessage: 'no' })

/** A failure without a response. */
export const failure = (code: string, details?: Readonly<Record<string, unknown>>): BrokerwireError =>
  new TestHttpError(code, details)

/** The fault of one request. */
export type Fault =
  /** The order is placed, and the response is lost. */
  | 'lost-after'
  /** The request is lost. */
  | 'lost-before'
  /** The request ends when its signal aborts. */
  | 'hang'
  | BrokerwireError

export interface PlacedOrder {
  readonly clientOrderId: string
  readonly atMs: number
  readonly text: string
  status: string
}

/** Creates a service. */
export function createTestService(clock: Clock) {
  const orders: PlacedOrder[] = []
  const placeFaults: Fault[] = []
  const queryFaults: BrokerwireError[] = []
  const requests: { readonly operation: string; readonly atMs: number; readonly body: string }[] = []
  const state = { lagMs: 0, delayMs: 0 }

  const fail = (code = 'HTTP_NO_RESPONSE'): never => {
    throw failure(code)
  }
  const place = (request: OperationRequest): string => {
    const text = JSON.stringify(request.json)
    const [{ client_order_id: clientOrderId }] = JSON.parse(text).new_orders
    if (orders.some((order) => order.clientOrderId === clientOrderId))
      throw rejection('OPENAPI_TRADE_PLACE_ORDER_REPEAT')
    orders.push({ clientOrderId, atMs: clock.now(), text, status: 'SUBMITTED' })
    return JSON.stringify({ client_order_id: clientOrderId, order_id: `S-${clientOrderId}` })
  }
  const groupOf = ({ clientOrderId, status }: PlacedOrder) => ({
    combo_type: 'NORMAL',
    client_order_id: clientOrderId,
    orders: [
      {
        client_order_id: clientOrderId,
        order_id: `S-${clientOrderId}`,
        symbol: 'AAPL',
        side: 'BUY',
        order_type: 'LIMIT',
        status,
      },
    ],
  })
  const respond = async (name: string, request: OperationRequest, signal: unknown): Promise<string> => {
    if (state.delayMs > 0) await sleep(clock, state.delayMs)
    if (name === 'orders.place') {
      const fault = placeFaults.shift()
      if (fault instanceof BrokerwireError) throw fault
      if (fault === 'lost-before') return fail()
      if (fault === 'hang') return await new Promise((_, reject) => onAbort(signal, reject))
      const text = place(request)
      return fault === 'lost-after' ? fail() : text
    }
    const fault = queryFaults.shift()
    if (fault !== undefined) throw fault
    const visible = orders.filter(({ atMs }) => atMs <= clock.now() - state.lagMs)
    if (name !== 'orders.get') return JSON.stringify({ data: visible.map(groupOf) })
    const id = request.query.find(([key]) => key === 'client_order_id')?.[1]
    const order = visible.find(({ clientOrderId }) => clientOrderId === id)
    if (order === undefined) throw rejection('ORDER_NOT_FOUND')
    return JSON.stringify(groupOf(order))
  }

  const http: JournalClient = {
    origin: 'https://service.test',
    async request(operation, input, options: JournalRequestOptions = {}) {
      const request = operation.createRequest(input, { pathFamily: options.pathFamily ?? 'current' })
      await options.beforeAttempt?.({ signal: options.signal })
      options.signal?.aborted && fail('ABORTED')
      requests.push({
        operation: operation.name,
        atMs: clock.now(),
        body: request.json === undefined ? '' : JSON.stringify(request.json),
      })
      const text = await respond(operation.name, request, options.signal)
      return operation.readResponse({ status: 200, requestId: undefined, text: () => text }, request)
    },
  }
  return { http, orders, placeFaults, queryFaults, requests, state }
}

function onAbort(signal: unknown, reject: (reason: unknown) => void): void {
  const given = signal as AbortSignal
  given.addEventListener('abort', () => reject(given.reason), { once: true })
}
