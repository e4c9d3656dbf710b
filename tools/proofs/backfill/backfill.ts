/**
 * `pnpm proof backfill [--rounds N]`: the simulator loses at least 5 % of the order events, cuts
 * connections, is silent for a while, and returns delayed and failed results of queries. At the end, the
 * consumer's picture of all orders must equal the simulator's. Everything runs in virtual time. The proof
 * tests the backfill, not the real service: the delay of the simulator's queries is limited.
 */
import { createBrokerage, operationRateLimiter } from '@brokerwire/client'
import { createVirtualClock } from '@brokerwire/core/testing'
import { cancelOrder, listOpenOrders, placeOrder, replaceOrder } from '@brokerwire/operations'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import type { Case, CaseContext, Proof } from '../harness.ts'
import type { Random } from '../random.ts'
import { createPicture } from './picture.ts'

const DROPPED = 0.05
const INTERVAL_MS = 120_000
const SETTLE_MS = 30_000
/** The delay of the results of queries is always shorter than the backfill assumes. */
const MAX_LAG_MS = 20_000
const STEPS = 60
const MAX_STEP_MS = 15_000
const SYMBOL = 'AAPL'

interface Counts {
  orders: number
  events: number
  dropped: number
  cuts: number
  states: number
  missed: number
  incomplete: number
  queries: number
  'differing without states': number
  differing: number
  'delivered twice': number
  'rate limited': number
}

type Http = ReturnType<typeof createBrokerage>['http']

/** Moves the simulator's clock until a promise settles. Its error counts as a result. */
async function pass(simulator: Simulator, promise: Promise<unknown>): Promise<void> {
  let isDone = false
  const settle = (): void => {
    isDone = true
  }
  promise.then(settle, settle)
  await simulator.waitForIdle()
  while (!isDone) await simulator.advance(100)
}

/** Places, replaces or cancels an order, or lists open orders as a program of the user would. */
async function act(
  simulator: Simulator,
  http: Http,
  accountId: string,
  random: Random,
  id: string,
): Promise<void> {
  const open = simulator.trading?.orders({ accountId, isOpen: true }) ?? []
  const draw = random.next()
  if (draw < 0.55 || open.length === 0) {
    const cents = Math.round(Number(simulator.trading?.price(SYMBOL)) * 100)
    const limitPrice = ((cents + random.integer(-60, 20)) / 100).toFixed(2)
    const order = {
      clientOrderId: id,
      comboType: 'NORMAL',
      instrumentType: 'EQUITY',
      market: 'US',
      symbol: SYMBOL,
      side: 'BUY',
      orderType: 'LIMIT',
      limitPrice,
      entrustType: 'QTY',
      quantity: String(random.integer(1, 300)),
      timeInForce: 'DAY',
      supportTradingSession: 'CORE',
    } as const
    await pass(simulator, http.request(placeOrder, { accountId, newOrders: [order] }))
    return
  }
  const { clientOrderId, quantity } = random.pick(open)
  if (draw < 0.75) await pass(simulator, http.request(cancelOrder, { accountId, clientOrderId }))
  else if (draw < 0.9) {
    const modifyOrders = [{ clientOrderId, quantity: String(Number(quantity) + random.integer(1, 50)) }]
    await pass(simulator, http.request(replaceOrder, { accountId, modifyOrders }))
  } else await pass(simulator, http.request(listOpenOrders, { accountId }))
}

/** Changes how the simulator fails. */
function disturb(simulator: Simulator, random: Random, counts: Counts): void {
  const draw = random.next()
  if (draw < 0.06) {
    simulator.dropConnections()
    counts.cuts += 1
  } else if (draw < 0.09) {
    simulator.setReachable(false)
    simulator.dropConnections()
    counts.cuts += 1
  } else if (draw < 0.2) simulator.setReachable(true)
  else if (draw < 0.23) simulator.silence('events')
  else if (draw < 0.35) simulator.resume({ skipEvents: true })
  else if (draw < 0.45) simulator.trading?.setQueryLag(random.integer(0, MAX_LAG_MS))
  else if (draw < 0.5) {
    const operation = random.pick(['orders.open', 'orders.history', 'orders.get'] as const)
    simulator.trading?.nextCall(operation, { kind: 'error', code: 'SYSTEM_ERROR', status: 500 })
  }
}

async function runRound(
  { fail, atEnd }: CaseContext,
  round: number,
  random: Random,
  counts: Counts,
): Promise<void> {
  const intervalMs = random.pick([INTERVAL_MS, undefined])
  const clock = createVirtualClock(Date.UTC(2026, 5, 1, 15))
  const simulator = await startSimulator({
    clock,
    seed: random.integer(0, 2 ** 31),
    secondFactor: 'automatic',
    trading: { cash: '1000000000', stepMs: 5000, pageSize: 5 },
  })
  atEnd(() => simulator.close())
  const { baseUrl, eventsUrl, moduleEventsUrl, accounts, credentials, region, environment } = simulator
  const brokerage = createBrokerage({
    region,
    environment,
    ...credentials,
    overrides: { baseUrl, eventsUrl, moduleEventsUrl },
    store: createMemoryStore(),
    clock,
    plugins: [operationRateLimiter({ shared: false })],
    backfill: { intervalMs, settleMs: SETTLE_MS, pathFamily: random.pick(['current', 'openapi']) },
  })
  atEnd(() => brokerage.close())

  await pass(simulator, brokerage.accessTokens.get())

  const picture = createPicture()
  const pictureOfEvents = createPicture()
  const delivered = new Set<string>()
  const stream = brokerage.tradeEvents({ accounts })
  const reading = (async () => {
    for await (const item of stream) {
      picture.apply(item)
      if (item.type === 'event') pictureOfEvents.apply(item)
      if (item.type === 'state') {
        counts.states += 1
        if (delivered.has(item.id)) counts['delivered twice'] += 1
        delivered.add(item.id)
      }
      if (item.type !== 'notice') continue
      if (item.kind === 'missed-events') counts.missed += item.missing
      if (item.kind === 'backfill-incomplete') counts.incomplete += 1
    }
  })()
  await simulator.waitForIdle()

  for (let step = 0; step < STEPS; step += 1) {
    disturb(simulator, random, counts)
    await act(simulator, brokerage.http, random.pick(accounts), random, `round-${round}-${step}`)
    const { events } = await simulator.advance(random.integer(1, MAX_STEP_MS))
    counts.events += events
    for (let event = 0; event < Math.max(events, 1); event += 1) {
      if (!random.chance(DROPPED)) continue
      simulator.faults.nextFrame('drop', { service: 'trade' })
      counts.dropped += 1
    }
  }

  // No order changes any more. Lost events stay lost, until the next interval or the next gap.
  simulator.trading?.setPrice(SYMBOL, '10000.00')
  await simulator.advance(10_000)
  simulator.faults.clear()
  simulator.setReachable(true)
  simulator.resume({ skipEvents: true })
  if (intervalMs === undefined) simulator.dropConnections()
  await simulator.advance(3 * INTERVAL_MS + 2 * SETTLE_MS)

  const orders = simulator.trading?.orders() ?? []
  const differences = picture.differences(orders)
  for (const difference of differences) fail(`round ${round}: ${difference}`)
  counts.orders += orders.length
  counts.differing += differences.length
  counts['differing without states'] += pictureOfEvents.differences(orders).length
  const requests = simulator.requests()
  counts.queries += requests.filter(({ path }) => path.endsWith('-orders/list')).length
  counts['rate limited'] += requests.filter(({ status }) => status === 429).length
  await brokerage.close()
  await reading
  await simulator.close()
}

const lossy = (rounds: number): Case => ({
  name: 'lost events, cut connections and delayed queries',
  promise: "at the end, the consumer's picture of all orders equals the simulator's",
  async run(context) {
    const counts: Counts = {
      orders: 0,
      events: 0,
      dropped: 0,
      cuts: 0,
      states: 0,
      missed: 0,
      incomplete: 0,
      queries: 0,
      'differing without states': 0,
      differing: 0,
      'delivered twice': 0,
      'rate limited': 0,
    }
    for (let round = 0; round < rounds; round += 1) {
      await runRound(context, round, context.random.fork(`round ${round}`), counts)
      if (round % 10 === 9)
        context.print(`${round + 1} rounds: ${counts.orders} orders, ${counts.differing} differing`)
    }
    context.check(counts['delivered twice'] === 0, 'no state is delivered twice')
    context.check(counts['rate limited'] === 0, 'no request exceeds a rate limit')
    // A few rounds may have no such change by chance.
    context.check(counts.missed > 0 || rounds < 10, 'the stream was silent about changes')
    context.check(counts['differing without states'] > 0, 'the picture needs the states of the backfill')
    return { rounds, ...counts }
  },
})

export const proof: Proof = {
  flags: { rounds: 'rounds with a simulator and a consumer (200; short: 5)' },
  cases: ({ flag }) => [lossy(flag('rounds', 200, 5))],
}
