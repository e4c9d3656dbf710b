/** The service. It sends the same list of positions as the response to every request. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { listenLocally } from '@brokerwire/testing/listen'

const position = {
  symbol: 'AAPL',
  quantity: '100',
  market_value: '17215.50',
  unit_cost: '151.2345',
  currency: 'USD',
}
const body = JSON.stringify({ positions: new Array(5).fill(position) })

const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
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
