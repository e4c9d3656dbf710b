/**
 * The simulator's market data for runtimes that cannot start one: calls go on to it with an answer that a page of another
 * origin may read, and what a case does to its connections is a request.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type QuotesControls, startSimulator } from '@brokerwire/simulator'
import type { QuotesDeed, QuotesTarget } from './quotes-cases.ts'

export interface QuotesHost {
  readonly target: QuotesTarget
  close(): Promise<void>
}

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'GET, POST',
  'access-control-max-age': '600',
}
/** More than a socket's buffers, so that it comes in pieces everywhere. */
const LARGE_BYTES = 300_000

function perform(market: QuotesControls, deed: QuotesDeed): unknown {
  switch (deed) {
    case 'sessions':
      return market
        .sessions()
        .map(({ id, transport, symbols }) => ({ id, transport, symbols: symbols.length }))
    case 'step':
      return market.step()
    case 'drop':
      return market.drop()
    case 'silence':
      return market.silence('all')
    case 'close-badly':
      return market.closeBadly()
    case 'half': {
      const packet = Buffer.concat([Buffer.of(0x30, 9, 0, 4), Buffer.from('tick'), Buffer.of(1, 2, 3)])
      return market.sendBytes(packet.subarray(0, 5)) + market.sendBytes(packet.subarray(5))
    }
    case 'malformed':
      return market.push({ topic: '#' })
    case 'large':
      return market.push({ topic: 'large', payload: new Uint8Array(LARGE_BYTES).fill(7) })
    case 'acknowledged':
      return market.push({ topic: 'acknowledged', qos: 1 })
    case 'many': {
      let sent = 0
      for (let count = 0; count < 2000; count += 1) {
        sent += market.push({ topic: 'many', payload: Buffer.from(String(count)) })
      }
      return sent
    }
    default:
      throw new Error(`no such deed: ${deed satisfies never}`)
  }
}

/** Starts a simulator, and what stands before it. */
export async function startQuotesHost(): Promise<QuotesHost> {
  const simulator = await startSimulator({
    environment: 'sandbox',
    tokenCheckEnabled: false,
    quotes: true,
  })
  const market = simulator.quotes
  if (market === undefined) throw new Error('no market data')

  /** With the Host that was signed. */
  function passOn(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers } = request
    const onward = httpRequest(
      new URL(request.url ?? '/', simulator.httpUrl),
      { method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...CORS })
        answer.pipe(response)
      },
    )
    onward.on('error', () => response.writeHead(502, CORS).end())
    request.pipe(onward)
  }

  const server = createServer((request, response) => {
    const deed = /^\/deeds\/([a-z-]+)$/.exec(request.url ?? '')?.[1]
    if (request.method === 'OPTIONS') response.writeHead(204, CORS).end()
    else if (deed === undefined) passOn(request, response)
    else response.writeHead(200, CORS).end(JSON.stringify(perform(market, deed as QuotesDeed)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { appKey, appSecret } = simulator.credentials
  return {
    target: {
      httpUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      mqttUrl: market.mqttUrl,
      mqttWebSocketUrl: market.mqttWebSocketUrl,
      appKey,
      appSecret: appSecret.reveal(),
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await simulator.close()
    },
  }
}
