/**
 * The service. It sends a list of positions as the response to every request. The response to the request of
 * an operation has the documented fields.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { listPositions } from '@brokerwire/operations'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { listenLocally } from '@brokerwire/testing/listen'

const position = {
  symbol: 'AAPL',
  quantity: '100',
  market_value: '17215.50',
  unit_cost: '151.2345',
  currency: 'USD',
}
const documented = {
  position_id: 'M5N2Q8T1V4X7Z0B3D6F9H2K5R8',
  symbol: 'AAPL',
  instrument_type: 'EQUITY',
  option_strategy: 'SINGLE',
  currency: 'USD',
  quantity: '100',
  last_price: '172.15',
  cost_price: '151.2345',
  unrealized_profit_loss: '2091.55',
  market_value: '17215.00',
}
const POSITIONS = JSON.stringify({ positions: new Array(5).fill(position) })
const DOCUMENTED = JSON.stringify(new Array(5).fill(documented))

const server = createServer({ keepAliveTimeout: 60_000 }, ({ url = '' }, response) => {
  const body = url.startsWith(`${listPositions.paths.current}?`) ? DOCUMENTED : POSITIONS
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-request-id': randomUUID().replaceAll('-', ''),
  })
  response.end(body)
})

const commands = {
  listen: async (): Promise<string> => `http://127.0.0.1:${(await listenLocally(server)).port}`,
}
export type ServerCommands = typeof commands
serveCalls(commands)
