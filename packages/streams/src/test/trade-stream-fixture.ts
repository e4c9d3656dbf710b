/** Trade streams against a real HTTP/2 server. */
import { payloads } from '@brokerwire/payloads'
import { TradeEventType } from '@brokerwire/protos'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { afterEach, beforeEach } from 'vitest'
import type { SharedContext } from '../context.ts'
import { createTradeStream, type TradeStreamOptions } from '../trade-stream.ts'
import { targetOf, testContext } from './context.ts'
import { tradeFrame } from './frames.ts'
import { takeBeginning } from './take.ts'

/** The frame that confirms a subscription. */
export const SUCCESS = tradeFrame(TradeEventType.SubscribeSuccess, { requestId: 'connection-1' })

/** An order event. */
export const order = (requestId: string, payload = '{"order_id":"1"}') =>
  tradeFrame(1024, { requestId, payload })

/** The server of the current test. */
export let server: GrpcServer

/** Gives each test of the file a server. */
export function useTradeServer(): void {
  beforeEach(startServer)
  afterEach(() => server.close())
}

/** Starts another server, for example after a test closed the first one. */
export async function startServer(): Promise<void> {
  server = await startGrpcServer()
}

/** Creates a trade stream of the account A1. */
export function open(change: Partial<SharedContext> = {}, options: Partial<TradeStreamOptions> = {}) {
  const context = testContext(change)
  return createTradeStream(context, targetOf(server.url), 'trade', { accounts: ['A1'], ...options }, payloads)
}

/** Creates a stream, and takes its notice `subscribed`. */
export async function subscribed(change?: Partial<SharedContext>, options?: Partial<TradeStreamOptions>) {
  const stream = open(change, options)
  const first = takeBeginning(stream)
  const call = await server.call()
  call.send(SUCCESS)
  const [notice] = await first
  return { stream, call, notice }
}
