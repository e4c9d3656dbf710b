/**
 * A simulated service of orders in its own process. It loses requests and responses, delays and rejects
 * requests, and returns delayed results of queries.
 */
import { type HttpFault, type Simulator, startSimulator } from '@brokerwire/simulator'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { createRandom, type Random } from '../random.ts'
import { MAX_LAG_MS, TIMEOUT_MS } from './times.ts'

/** Address and credentials of the service. */
export interface ServiceAccess {
  readonly baseUrl: string
  readonly appKey: string
  readonly appSecret: string
  readonly accountId: string
}

/** An order that the service has stored. */
export interface ServiceOrder {
  readonly clientOrderId: string
  readonly status: string
  readonly quantity: string
}

/** Number of faults that are injected for an operation. A round has fewer requests of each operation. */
const FAULTS = 2000
const LAG_INTERVAL_MS = 150
const PLACE = ['/trading/orders/place']
const QUERIES = [
  '/trading/orders/get',
  '/trading/orders/open-orders/list',
  '/trading/orders/historical-orders/list',
]

let simulator: Simulator | undefined
let lag: NodeJS.Timeout | undefined
const running = (): Simulator => {
  if (simulator === undefined) throw new Error('the service must be started first')
  return simulator
}

const respond = (status: number, error_code: string): HttpFault => ({
  kind: 'respond',
  status,
  body: JSON.stringify({ error_code, message: error_code }),
})

function placeFault(random: Random): HttpFault {
  const draw = random.next()
  if (draw < 0.25) return { kind: 'close', processed: true }
  if (draw < 0.35) return { kind: 'close' }
  if (draw < 0.4) return { kind: 'truncate' }
  if (draw < 0.45) return respond(417, 'OPENAPI_NO_TRADING_TIME')
  if (draw < 0.5) return respond(500, 'SYSTEM_ERROR')
  if (draw < 0.55) return { kind: 'delay', delayMs: TIMEOUT_MS + 300 }
  return { kind: 'delay', delayMs: random.integer(1, 150) }
}

function queryFault(random: Random): HttpFault {
  const draw = random.next()
  if (draw < 0.05) return respond(500, 'SYSTEM_ERROR')
  if (draw < 0.1) return { kind: 'close' }
  return { kind: 'delay', delayMs: random.integer(1, 20) }
}

const commands = {
  async start(seed: number): Promise<ServiceAccess> {
    const random = createRandom(seed)
    simulator = await startSimulator({
      tokenCheckEnabled: false,
      trading: { cash: '1000000000', rateLimits: false },
    })
    const { baseUrl, accounts, credentials, faults, trading } = simulator
    trading?.setPrice('AAPL', '200.00')
    for (let count = 0; count < FAULTS; count += 1) {
      faults.nextHttp(placeFault(random), { path: PLACE })
      faults.nextHttp(queryFault(random), { path: QUERIES })
    }
    lag = setInterval(() => trading?.setQueryLag(random.pick([0, 0, 200, MAX_LAG_MS])), LAG_INTERVAL_MS)
    const { appKey, appSecret } = credentials
    return { baseUrl, appKey, appSecret: appSecret.reveal(), accountId: accounts[0] ?? '' }
  },
  /** Ends all faults. */
  calm(): void {
    clearInterval(lag)
    running().faults.clear()
    running().trading?.setQueryLag(0)
  },
  orders: (): ServiceOrder[] =>
    (running().trading?.orders() ?? []).map(({ clientOrderId, status, quantity }) => ({
      clientOrderId,
      status,
      quantity,
    })),
  /** The bodies of the received placements, in order. */
  placements: (): string[] =>
    running()
      .requests({ bodies: true })
      .filter(({ path, body }) => PLACE.includes(path) && body !== undefined)
      .map(({ body }) => new TextDecoder().decode(body)),
}

export type OrderServiceCommands = typeof commands

serveCalls(commands)
