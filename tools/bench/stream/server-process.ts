/** The server, in a process of its own; tells its port, and about each stream that it served. */
import { createServer } from 'node:net'
import { servePump } from './wire/pump.ts'
import { readPlan } from './wire/read-plan.ts'

const server = createServer((socket) => {
  servePump(socket, { readPlan, onServed: (report) => process.send?.({ type: 'served', report }) })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ type: 'listening', port: typeof address === 'object' ? address?.port : undefined })
})
process.on('disconnect', () => process.exit())
