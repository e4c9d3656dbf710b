/** The option `backfill`: the states of orders that a stream missed, in virtual time at the simulator. */
import { Secret } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createOrderBackfill, type OrderBackfill, type OrderStateItem } from '@brokerwire/orders'
import type { ModuleEvent } from '@brokerwire/payloads'
import type { SimulatorOptions } from '@brokerwire/simulator'
import type { EventStream, TradeStreamItem } from '@brokerwire/streams'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { createBackfillAdder } from './backfill.ts'
import {
  type Brokerage,
  type BrokerageBackfillOptions,
  type BrokerageOptions,
  createBrokerage,
} from './index.ts'
import { startSetUp } from './test/set-up.ts'

type Item = TradeStreamItem | OrderStateItem

const INTERVAL_MS = 120_000
const SETTLED_MS = 40_000

async function start(
  backfill: true | BrokerageBackfillOptions = { intervalMs: INTERVAL_MS },
  options: SimulatorOptions = {},
) {
  const clock = createVirtualClock(Date.UTC(2026, 5, 1, 15))
  const setUp = await startSetUp({ clock, secondFactor: 'automatic', ...options })
  const { simulator } = setUp
  const { trading, accounts } = simulator
  if (trading === undefined) throw new Error('the simulator must trade')
  trading.setPrice('AAPL', '200.00')
  const brokerage: Brokerage<ModuleEvent, OrderStateItem> = setUp.open({ backfill })
  /** Advances the time until a promise settles. */
  const pass = async <T>(promise: Promise<T>): Promise<T> => {
    let isDone = false
    const end = (): void => {
      isDone = true
    }
    promise.then(end, end)
    await simulator.waitForIdle()
    while (!isDone) await simulator.advance(1000)
    return await promise
  }
  /** Places an order that is filled when the price falls below 150. */
  const place = async (clientOrderId: string): Promise<void> => {
    const order = {
      client_order_id: clientOrderId,
      combo_type: 'NORMAL',
      instrument_type: 'EQUITY',
      market: 'US',
      symbol: 'AAPL',
      side: 'BUY',
      order_type: 'LIMIT',
      limit_price: '150.00',
      entrust_type: 'QTY',
      quantity: '3',
      time_in_force: 'DAY',
      support_trading_session: 'CORE',
    }
    const json = { account_id: accounts[0], new_orders: [order] }
    await pass(brokerage.http.request({ method: 'POST', path: '/trading/orders/place', json }))
  }
  const items: Item[] = []
  /** Reads in the background. */
  const read = async (stream: AsyncIterable<Item>): Promise<void> => {
    void (async () => {
      for await (const item of stream) items.push(item)
    })()
    await simulator.waitForIdle()
  }
  const labels = (): string[] =>
    items
      .splice(0)
      .map((item) => (item.kind === 'order-state' ? `${item.clientOrderId} ${item.status}` : item.kind))
  return { setUp, simulator, trading, accounts, brokerage, pass, place, read, labels, items }
}

describe('a stream of order events', () => {
  test('delivers what it missed in a gap', async () => {
    const { simulator, trading, accounts, brokerage, pass, place, read, labels } = await start(true)
    await pass(brokerage.accessTokens.get())
    await place('o1')
    await read(brokerage.tradeEvents({ accounts }))
    await simulator.advance(SETTLED_MS)
    expect(labels()).toEqual(['subscribed', 'gap', 'o1 SUBMITTED'])

    simulator.setReachable(false)
    simulator.dropConnections()
    trading.setPrice('AAPL', '140.00')
    await simulator.advance(5000)
    simulator.setReachable(true)
    await simulator.advance(SETTLED_MS)
    const missed = labels()
    expect(missed.filter((label) => label !== 'reconnecting')).toEqual(['subscribed', 'gap', 'o1 FILLED'])
    expect(simulator.requests().filter(({ status }) => status === 429)).toEqual([])
  })

  test('delivers what the live stream did not, with the notice missed-events', async () => {
    const { simulator, trading, accounts, brokerage, pass, place, read, labels } = await start()
    await pass(brokerage.accessTokens.get())
    await place('o1')
    await read(brokerage.tradeEvents({ accounts }))
    await simulator.advance(SETTLED_MS)
    labels()
    simulator.faults.nextFrame('drop', { service: 'trade' })
    trading.setPrice('AAPL', '140.00')
    await simulator.advance(INTERVAL_MS)
    expect(labels()).toEqual(['o1 FILLED', 'missed-events'])
    await simulator.advance(INTERVAL_MS)
    expect(labels()).toEqual([])
  })

  test('in a subscription with positions has a backfill too, and one of positions has none', async () => {
    const { setUp, simulator, accounts, brokerage, pass, read, labels } = await start(true, {
      combinedSubscribeTypes: true,
    })
    await pass(brokerage.accessTokens.get())
    await read(brokerage.positionEvents({ accounts }))
    await read(brokerage.accountEvents({ accounts, subscribeType: 2 }))
    await simulator.advance(SETTLED_MS)
    const lists = () => setUp.paths().filter((path) => path.endsWith('/list')).length
    expect(lists()).toBe(0)
    await read(brokerage.accountEvents({ accounts, subscribeType: 3 }))
    await simulator.advance(SETTLED_MS)
    expect(lists()).toBe(4 * accounts.length)
    expect(labels()).not.toContain('backfill-incomplete')
  })

  test('uses the backfill in the options of a stream', async () => {
    const { setUp, simulator, accounts, brokerage, pass, read } = await start(true)
    await pass(brokerage.accessTokens.get())
    await read(brokerage.tradeEvents({ accounts, backfill: () => 0 }))
    await simulator.advance(SETTLED_MS)
    expect(setUp.paths().filter((path) => path.endsWith('/list'))).toEqual([])
  })
})

test('each query has the stored token, so that it creates and renews none', async () => {
  const token = new Secret('stored-token')
  const sent: unknown[] = []
  const clock = createVirtualClock()
  const add = createBackfillAdder(
    {},
    {
      http: {
        request: async (_operation: unknown, _input: unknown, options: { accessToken?: unknown }) => {
          sent.push(options.accessToken)
          throw new Error('no response')
        },
      } as never,
      clock,
      accessTokens: { peek: async () => ({ token }) as never },
      tokenMode: 'auto',
      streamToken: { isRequired: async () => true },
    },
  )
  const { backfill } = add({ accounts: ['A1'] }) as unknown as { readonly backfill: OrderBackfill }
  void backfill.run({
    cause: 'subscribed',
    accounts: ['A1'],
    gap: { fromMs: clock.now(), toMs: clock.now() },
    clockOffsetMs: undefined,
    receivedUntilMs: undefined,
    signal: new AbortController().signal,
    ready: async () => {},
    deliver() {},
  })
  await clock.settle()
  expect(sent).toEqual([token, token])
})

test('the queries create no access token, and a notice reports that none is stored', async () => {
  const { setUp, simulator, accounts, brokerage, read, items } = await start(true)
  await read(brokerage.tradeEvents({ accounts }))
  await simulator.advance(4 * SETTLED_MS)
  expect(items.find((item) => item.kind === 'backfill-incomplete')).toMatchObject({
    problems: expect.arrayContaining([
      { code: 'ACCESS_TOKEN_MISSING', accountId: accounts[0], operation: 'orders.open' },
    ]),
  })
  expect(setUp.paths()).toEqual(['/openapi/config'])
})

test.each([
  ['yes', /backfill must be true, false or an object/],
  [{ intervalMs: 1 }, /backfill\.intervalMs/],
  [{ http: {} }, /backfill\.http/],
])('a wrong option is an error that names it: %j', (backfill, message) => {
  const options = { region: 'us', environment: 'sandbox', appKey: 'key', appSecret: 'secret', backfill }
  expect(() => createBrokerage(options as never)).toThrow(message)
})

test('the type of a stream has states only with the option', () => {
  const options: BrokerageOptions = {
    region: 'us',
    environment: 'sandbox',
    appKey: 'key',
    appSecret: 'secret',
  }
  const plain = createBrokerage(options)
  const withStates = createBrokerage({ ...options, backfill: true })
  const input = { accounts: ['A1'] }
  expectTypeOf(plain.tradeEvents(input)).toEqualTypeOf<EventStream<TradeStreamItem>>()
  expectTypeOf(withStates.tradeEvents(input)).toEqualTypeOf<EventStream<Item>>()
  const own = createOrderBackfill({ http: plain.http })
  expectTypeOf(plain.tradeEvents({ ...input, backfill: own })).toEqualTypeOf<EventStream<Item>>()
})
