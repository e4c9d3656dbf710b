/** The server, in a process of its own; tells its port, and about each stream that it served. */
import { createServer } from 'node:net'
import { TradeSubscribeRequestSchema } from '@brokerwire/protos/trade'
import { fromBinary } from '@bufbuild/protobuf'
import type { Plan } from './plan.ts'
import { servePump } from './wire/pump.ts'

const readPlan = (request: Buffer): Plan =>
  JSON.parse(fromBinary(TradeSubscribeRequestSchema, request).payload) as Plan

const server = createServer((socket) => {
  servePump(socket, { readPlan, onServed: (report) => process.send?.({ type: 'served', report }) })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ type: 'listening', port: typeof address === 'object' ? address?.port : undefined })
})
process.on('disconnect', () => process.exit())
