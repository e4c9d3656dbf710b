/** A proxy of the simulator for runtimes that cannot start a server: adds CORS, and offers faults as HTTP requests. */
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startSimulator } from '@brokerwire/simulator'
import type { QuotesTarget } from './runtime-cases.ts'

/** A running host. */
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
/** A PUBLISH packet to the topic `tick`. */
const PACKET = Buffer.concat([Buffer.of(0x30, 9, 0, 4), Buffer.from('tick'), Buffer.of(1, 2, 3)])
/** More bytes than the buffers of a socket hold. */
const LARGE_BYTES = 300_000

/** Starts a simulator, and the host in front of it. */
export async function startQuotesHost(): Promise<QuotesHost> {
  const simulator = await startSimulator({ environment: 'sandbox', tokenCheckEnabled: false, quotes: true })
  const market = simulator.quotes
  if (market === undefined) throw new Error('the simulator has no market data')
  const faults: Readonly<Record<string, () => unknown>> = {
    sessions: () =>
      market.sessions().map(({ id, transport, symbols }) => ({ id, transport, symbols: symbols.length })),
    step: () => market.step(),
    drop: () => market.drop(),
    silence: () => market.silence('all'),
    'invalid-close': () => market.sendInvalidClose(),
    half: () => market.sendBytes(PACKET.subarray(0, 5)) + market.sendBytes(PACKET.subarray(5)),
    malformed: () => market.push({ topic: '#' }),
    large: () => market.push({ topic: 'large', payload: new Uint8Array(LARGE_BYTES).fill(7) }),
    acknowledged: () => market.push({ topic: 'acknowledged', qos: 1 }),
    many() {
      for (let count = 0; count < 2000; count += 1)
        market.push({ topic: 'many', payload: Buffer.from(String(count)) })
      return 2000
    },
  }
  const server = createServer((request, response) => {
    const { method, headers, url = '/' } = request
    const fault = faults[url.replace('/faults/', '')]
    if (method === 'OPTIONS') response.writeHead(204, CORS).end()
    else if (fault !== undefined) response.writeHead(200, CORS).end(JSON.stringify(fault() ?? null))
    else {
      // Passes the Host header on unchanged, because it is signed.
      const forwarded = httpRequest(new URL(url, simulator.baseUrl), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...CORS })
        answer.pipe(response)
      })
      forwarded.on('error', () => response.writeHead(502, CORS).end())
      request.pipe(forwarded)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { appKey, appSecret } = simulator.credentials
  return {
    target: {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
