/** The service, in a process of its own: answers every request alike, with an id, and says where it listens. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const body = JSON.stringify({
  positions: Array.from({ length: 4 }, (_, at) => ({
    instrument_id: `91325617${at}`,
    symbol: 'AAPL',
    quantity: '100',
    market_value: '17215.50',
    unit_cost: '151.2345',
    currency: 'USD',
    unrealized_profit_loss: '2092.05',
  })),
})

const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-request-id': randomUUID().replaceAll('-', ''),
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
// Whoever started it is gone.
process.stdin.resume().on('end', () => process.exit(0))
