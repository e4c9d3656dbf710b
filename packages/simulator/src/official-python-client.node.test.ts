/**
 * The official Python client (2.0.12): calls on accounts, orders and market data, and events. The first part sends
 * requests in the form of that client. The second part runs the client itself, from the folder that
 * `BROKERWIRE_PYTHON_CLIENT` names. Without that variable it is skipped.
 */
import { sendSigned, usableToken } from '@brokerwire/testing/signed-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSimulator } from './index.ts'
import type { SimulatorOptions } from './options.ts'
import {
  hasPythonGrpc,
  PYTHON_CLIENT_FOLDER,
  startPythonClient,
  startPythonEvents,
} from './test/foreign/official-python-client.ts'

const PRESET = {
  profile: 'official-clients',
  environment: 'sandbox',
  trading: { rateLimits: false },
} as const satisfies SimulatorOptions

const order = (fields: Readonly<Record<string, string>> = {}) => ({
  combo_type: 'NORMAL',
  client_order_id: 'c1',
  symbol: 'AAPL',
  instrument_type: 'EQUITY',
  market: 'US',
  order_type: 'LIMIT',
  limit_price: '1.00',
  quantity: '10',
  support_trading_session: 'CORE',
  side: 'BUY',
  time_in_force: 'DAY',
  entrust_type: 'QTY',
  ...fields,
})

async function start(options: SimulatorOptions = {}) {
  const simulator = await startSimulator({ ...PRESET, ...options })
  onTestFinished(() => simulator.close())
  const [account = ''] = simulator.accounts
  return { simulator, account }
}

describe('requests in the form of the official Python client', () => {
  async function startAsking(options: SimulatorOptions = {}) {
    const { simulator, account } = await start(options)
    const token = await usableToken(simulator)
    const headers = { 'x-access-token': token, 'x-version': 'v2', category: 'US_EQUITY' }
    const read = ({ status, text }: { readonly status: number; readonly text: string }) => ({
      status,
      json: JSON.parse(text),
    })
    return {
      account,
      get: async (path: string, query: Readonly<Record<string, string>>) =>
        read(await sendSigned(simulator, { method: 'GET', path, query: Object.entries(query), headers })),
      post: async (path: string, json: object) => read(await sendSigned(simulator, { path, json, headers })),
    }
  }

  it('reach the operations on the paths for stock orders', async () => {
    const { account, get, post } = await startAsking()
    const path = (name: string): string => `/openapi/trade/stock/order/${name}`
    const body = { account_id: account, new_orders: [order()] }
    expect(await post(path('preview'), body)).toMatchObject({ json: { estimated_cost: '10.00' } })
    expect(await post(path('place'), body)).toMatchObject({ json: { client_order_id: 'c1' } })
    const modify_orders = [{ client_order_id: 'c1', quantity: '20' }]
    expect(await post(path('replace'), { account_id: account, modify_orders })).toMatchObject({ status: 200 })
    const one = { account_id: account, client_order_id: 'c1' }
    expect(await post(path('cancel'), one)).toMatchObject({ status: 200 })
    expect(await get('/openapi/trade/order/detail', one)).toMatchObject({
      json: { orders: [{ total_quantity: '20', status: 'CANCELLED' }] },
    })
  })

  it('are not found on these paths without the preset', async () => {
    const { account, post } = await startAsking({ profile: 'specification' })
    const body = { account_id: account, new_orders: [order()] }
    expect(await post('/openapi/trade/stock/order/place', body)).toMatchObject({ status: 404 })
    expect(await post('/openapi/trade/order/place', body)).toMatchObject({ status: 200 })
  })

  it('may have a boolean as Python writes it, and null for a missing group id', async () => {
    const { account, get, post } = await startAsking()
    const query = { symbols: 'AAPL', category: 'US_STOCK', overnight_required: 'True' }
    const { json } = await get('/openapi/market-data/stock/snapshot', query)
    expect(json).toMatchObject([{ symbol: 'AAPL', ovn_price: expect.any(String) }])
    const body = { account_id: account, client_combo_order_id: null, new_orders: [order()] }
    expect(await post('/openapi/trade/order/preview', body)).toMatchObject({ status: 200 })
  })

  it('may continue a list after the order id of the service', async () => {
    const { account, get, post } = await startAsking()
    const ids: string[] = []
    for (let count = 0; count < 12; count += 1) {
      const new_orders = [order({ client_order_id: `c${count}` })]
      const { json } = await post('/openapi/trade/order/place', { account_id: account, new_orders })
      ids.unshift(json.order_id)
    }
    const list = async (query: Readonly<Record<string, string>>) => {
      const { json } = await get('/openapi/trade/order/open', { account_id: account, ...query })
      return json.map(({ orders }: { readonly orders: readonly { readonly order_id: string }[] }) =>
        orders.map(({ order_id }) => order_id),
      )
    }
    const first = await list({ page_size: '10' })
    const rest = await list({ page_size: '10', last_order_id: ids[9] ?? '' })
    expect([...first, ...rest].flat()).toEqual(ids)
  })
})

const title = PYTHON_CLIENT_FOLDER === undefined ? ' (skipped: BROKERWIRE_PYTHON_CLIENT is not set)' : ''

describe.skipIf(PYTHON_CLIENT_FOLDER === undefined)(`the official Python client${title}`, () => {
  async function startClient(options: SimulatorOptions = {}) {
    const { simulator, account } = await start(options)
    const client = startPythonClient(simulator, PYTHON_CLIENT_FOLDER ?? '')
    onTestFinished(() => client[Symbol.asyncDispose]())
    return { simulator, account, call: client.call }
  }

  it('creates a token by itself, and reads accounts, balances and positions', async () => {
    const { simulator, account, call } = await startClient()
    simulator.trading?.setPosition(account, 'AAPL', { quantity: '3' })
    expect(await call('trade.account_v2.get_account_list')).toMatchObject({
      json: simulator.accounts.map((account_id) => ({ account_id })),
    })
    expect(await call('trade.account_v2.get_account_balance', [account])).toMatchObject({
      json: { total_cash_balance: '1000000.00' },
    })
    expect(await call('trade.account_v2.get_account_position', [account])).toMatchObject({
      json: [{ symbol: 'AAPL', quantity: '3' }],
    })
  })

  it.each(['order_v3', 'order_v2'])('places, replaces, cancels and lists orders with %s', async (name) => {
    const { account, call } = await startClient()
    const on = (method: string, args: readonly unknown[], keywords = {}) =>
      call(`trade.${name}.${method}`, [account, ...args], keywords)
    expect(await on('preview_order', [[order()]])).toMatchObject({ json: { estimated_cost: '10.00' } })
    expect(await on('place_order', [[order()]])).toMatchObject({ json: { client_order_id: 'c1' } })
    expect(await on('place_order', [[order()]])).toMatchObject({
      status: 417,
      code: 'OPENAPI_TRADE_PLACE_ORDER_REPEAT',
    })
    const change = { client_order_id: 'c1', quantity: '20', limit_price: '1.10' }
    expect(await on('replace_order', [[change]])).toMatchObject({ status: 200 })
    expect(await on('get_order_detail', ['c1'])).toMatchObject({
      json: { orders: [{ total_quantity: '20', limit_price: '1.10', status: 'SUBMITTED' }] },
    })
    expect(await on('get_order_open', [], { page_size: 10 })).toMatchObject({
      json: [{ client_order_id: 'c1' }],
    })
    expect(await on('cancel_order', ['c1'])).toMatchObject({ status: 200 })
    expect(await on('get_order_open', [])).toMatchObject({ json: [] })
    const days = { page_size: 10, start_date: '2026-01-01', end_date: '2126-01-01' }
    expect(await on('get_order_history', [], days)).toMatchObject({
      json: [{ orders: [{ status: 'CANCELLED' }] }],
    })
    const after = { last_client_order_id: 'c1' }
    expect(await on('get_order_history', [], after)).toMatchObject({ status: 200, json: [] })
  })

  it('places a batch of orders', async () => {
    const { simulator, account, call } = await startClient()
    const orders = [order(), order({ client_order_id: 'c2' })]
    expect(await call('trade.order_v3.batch_place_order', [account, orders])).toMatchObject({ status: 200 })
    expect(simulator.trading?.orders()).toMatchObject([{ clientOrderId: 'c1' }, { clientOrderId: 'c2' }])
  })

  it('raises the error of a rejected order', async () => {
    const { account, call } = await startClient()
    const expensive = order({ limit_price: '9999.00', quantity: '100000' })
    expect(await call('trade.order_v3.place_order', [account, [expensive]])).toMatchObject({
      status: 417,
      code: 'OPENAPI_ORDER_BUYING_POWER_NOT_ENOUGH',
    })
  })

  it('places an order in Hong Kong', async () => {
    const { account, call } = await startClient({ region: 'hk' })
    const fields = { market: 'HK', symbol: '00700', order_type: 'ENHANCED_LIMIT', quantity: '100' }
    expect(await call('trade.order_v3.place_order', [account, [order(fields)]])).toMatchObject({
      json: { client_order_id: 'c1' },
    })
  })

  it('reads instruments and market data', async () => {
    const { call } = await startClient()
    const stock = ['AAPL', 'US_STOCK'] as const
    const AAPL = { symbol: 'AAPL' }
    expect(await call('data.instrument.get_instrument', stock)).toMatchObject({ json: [AAPL] })
    const flags = { extend_hour_required: true, overnight_required: true }
    expect(await call('data.market_data.get_snapshot', stock, flags)).toMatchObject({
      json: [{ ...AAPL, ovn_price: expect.any(String) }],
    })
    const sessions = { trading_sessions: ['PRE', 'RTH'], real_time_required: true }
    const bars = { count: 1, ...sessions }
    expect(await call('data.market_data.get_history_bar', [...stock, 'M1'], bars)).toMatchObject({
      json: [AAPL],
    })
    expect(
      await call('data.market_data.get_batch_history_bar', [['AAPL', 'TSLA'], 'US_STOCK', 'M1'], bars),
    ).toMatchObject({ json: { result: [AAPL, { symbol: 'TSLA' }] } })
    expect(
      await call('data.market_data.get_quotes', stock, { depth: 2, overnight_required: true }),
    ).toMatchObject({ json: { ...AAPL, asks: [{}, {}] } })
    expect(
      await call('data.market_data.get_tick', stock, { trading_sessions: ['PRE', 'RTH'] }),
    ).toMatchObject({ json: AAPL })
  })

  it.runIf(PYTHON_CLIENT_FOLDER !== undefined && hasPythonGrpc())(
    'receives orders and positions on its stream, also after a dropped connection',
    async () => {
      const { simulator } = await start()
      const events = startPythonEvents(simulator, PYTHON_CLIENT_FOLDER ?? '')
      onTestFinished(() => events[Symbol.asyncDispose]())
      await simulator.waitForSubscriptions()
      simulator.emitPosition()
      expect(await events.next()).toMatchObject({ eventType: 1028, subscribeType: 3 })
      simulator.dropConnections()
      await expect.poll(() => simulator.subscriptions().length).toBe(0)
      await simulator.waitForSubscriptions({ timeoutMs: 45_000 })
      const { payload } = simulator.emitOrder()
      expect(await events.next()).toMatchObject({ eventType: 1024, payload: JSON.parse(payload) })
    },
  )

  it('gets 404 on calls that the table does not have', async () => {
    const { account, call } = await startClient()
    for (const [name, args] of [
      ['trade.account_v2.get_account_position_details', [account, '1']],
      ['trade.account.get_account_profile', [account]],
      ['trade.order.list_today_orders', [account]],
      ['trade.trade_calendar.get_trade_calendar', ['US', '2026-01-01', '2026-02-01']],
      ['data.market_data.get_footprint', ['AAPL', 'US_STOCK', 'S5']],
    ] as const) {
      expect(await call(name, args), name).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    }
  })
})
