import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVirtualClock } from '@brokerwire/core/testing'
import { sendSigned, usableToken } from '@brokerwire/testing/signed-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Simulator, type SimulatorOptions, startSimulator } from './index.ts'

const NOON = Date.parse('2026-05-06T16:00:00Z')

async function started(options: SimulatorOptions = {}) {
  const clock = createVirtualClock(NOON)
  const sim = await startSimulator({
    environment: 'sandbox',
    clock,
    trading: { rateLimits: false },
    ...options,
  })
  const token = await usableToken(sim)
  const ask = async (method: string, path: string, given: Readonly<Record<string, unknown>> = {}) => {
    const answer = await sendSigned(sim, {
      method,
      path,
      ...(method === 'GET'
        ? { query: Object.entries(given).map(([name, value]) => [name, String(value)] as const) }
        : { json: given }),
      headers: { 'x-access-token': token, 'x-version': path.startsWith('/openapi') ? 'v2' : 'v3' },
    })
    return { status: answer.status, json: answer.text === '' ? undefined : JSON.parse(answer.text) }
  }
  const [account_id = ''] = sim.accounts
  const trading = sim.trading
  if (trading === undefined) throw new Error('trading is on by default')
  return { sim, trading, ask, account_id }
}

const order = (fields: Readonly<Record<string, string>> = {}) => ({
  client_order_id: 'c1',
  combo_type: 'NORMAL',
  instrument_type: 'EQUITY',
  market: 'US',
  symbol: 'AAPL',
  side: 'BUY',
  order_type: 'MARKET',
  entrust_type: 'QTY',
  time_in_force: 'DAY',
  support_trading_session: 'CORE',
  quantity: '10',
  ...fields,
})

const PATHS = {
  new: {
    accounts: '/trading/accounts/list',
    balance: '/trading/assets/balances/get',
    positions: '/trading/assets/positions/list',
    preview: '/trading/orders/preview',
    place: '/trading/orders/place',
    batchPlace: '/trading/orders/batch-place',
    replace: '/trading/orders/replace',
    cancel: '/trading/orders/cancel',
    get: '/trading/orders/get',
    open: '/trading/orders/open-orders/list',
    history: '/trading/orders/historical-orders/list',
  },
  old: {
    accounts: '/openapi/account/list',
    balance: '/openapi/assets/balance',
    positions: '/openapi/assets/positions',
    preview: '/openapi/trade/order/preview',
    place: '/openapi/trade/order/place',
    batchPlace: '/openapi/trade/order/batch-place',
    replace: '/openapi/trade/order/replace',
    cancel: '/openapi/trade/order/cancel',
    get: '/openapi/trade/order/detail',
    open: '/openapi/trade/order/open',
    history: '/openapi/trade/order/history',
  },
} as const

const payloadsOf = (sim: Simulator) => sim.tradeEvents().map(({ payload }) => JSON.parse(payload))

describe.each(['new', 'old'] as const)('the %s paths', (family) => {
  const paths = PATHS[family]
  const groupsOf = (json: unknown): readonly Record<string, never>[] =>
    family === 'new' ? (json as { data: never[] }).data : (json as never[])

  it('list accounts, balance and positions', async () => {
    const { sim, ask, account_id } = await started()
    await using _ = sim
    const { json: accounts } = await ask('GET', paths.accounts)
    expect(accounts).toEqual([
      {
        account_id,
        account_number: expect.stringMatching(/^[A-Z]{3}\d{5}$/),
        account_type: 'MARGIN',
        account_class: 'INDIVIDUAL_MARGIN',
        account_label: 'Individual Margin',
        user_id: expect.stringMatching(/^\d{9}$/),
      },
      expect.objectContaining({ account_id: sim.accounts[1], account_type: 'CASH' }),
    ])
    const { json: balance } = await ask('GET', paths.balance, { account_id })
    expect(balance).toMatchObject({
      total_asset_currency: 'USD',
      total_cash_balance: '1000000.00',
      total_market_value: '0.00',
      total_unrealized_profit_loss: '0.00',
      total_net_liquidation_value: '1000000.00',
      total_day_profit_loss: '0.00',
      account_currency_assets: [{ currency: 'USD', cash_balance: '1000000.00', buying_power: '2000000.00' }],
    })
    expect(await ask('GET', paths.positions, { account_id })).toEqual({ status: 200, json: [] })
  })

  it('place a batch, whose orders are accepted or rejected one by one', async () => {
    const { sim, trading, ask, account_id } = await started()
    await using _ = sim
    const batch_orders = [
      order({ client_order_id: 'b1' }),
      order({ client_order_id: 'b1' }),
      order({ client_order_id: 'b3', time_in_force: 'GTC' }),
      order({ client_order_id: 'b4', order_type: 'LIMIT', limit_price: '1.00' }),
    ]
    const { status, json } = await ask('POST', paths.batchPlace, { account_id, batch_orders })
    expect(status).toBe(200)
    expect(json).toEqual({
      total: 4,
      success: 2,
      failed: 2,
      batch_orders: [
        { client_order_id: 'b1', order_id: expect.any(String) },
        {
          client_order_id: 'b1',
          error_code: 'OPENAPI_TRADE_PLACE_ORDER_REPEAT',
          message: 'client_order_id b1 is already used',
        },
        {
          client_order_id: 'b3',
          error_code: 'INVALID_PARAMETER',
          message: 'batch_orders[2].time_in_force must be one of DAY',
        },
        { client_order_id: 'b4', order_id: expect.any(String) },
      ],
    })
    expect(
      trading
        .orders()
        .map(({ clientOrderId }) => clientOrderId)
        .sort(),
    ).toEqual(['b1', 'b4'])
    expect(await ask('POST', paths.batchPlace, { account_id, batch_orders: [] })).toMatchObject({
      status: 417,
      json: { message: 'batch_orders must be an array of 1 to 50 objects' },
    })
  })

  it('preview, place, replace and cancel an order, and report it', async () => {
    const { sim, trading, ask, account_id } = await started()
    await using _ = sim
    trading.setPrice('AAPL', '200.00')
    const limit = order({ order_type: 'LIMIT', limit_price: '150.5' })
    const preview = await ask('POST', paths.preview, { account_id, new_orders: [limit] })
    expect(preview.json).toEqual({
      estimated_cost: '1505.00',
      estimated_transaction_fee: '0.51',
      currency: 'USD',
    })
    const placed = await ask('POST', paths.place, { account_id, new_orders: [limit] })
    expect(placed).toEqual({ status: 200, json: { client_order_id: 'c1', order_id: expect.any(String) } })
    const { order_id } = placed.json

    const opened = groupsOf((await ask('GET', paths.open, { account_id })).json)
    const expected = {
      client_order_id: 'c1',
      order_id,
      symbol: 'AAPL',
      instrument_type: 'EQUITY',
      side: 'BUY',
      status: 'SUBMITTED',
      order_type: 'LIMIT',
      time_in_force: 'DAY',
      entrust_type: 'QTY',
      support_trading_session: 'CORE',
      total_quantity: '10',
      filled_quantity: '0',
      filled_price: '0.00',
      limit_price: '150.50',
      place_time: String(NOON),
      place_time_at: '2026-05-06T16:00:00.000Z',
    }
    expect(opened).toEqual([{ combo_type: 'NORMAL', client_order_id: 'c1', orders: [expected] }])

    const modify_orders = [{ client_order_id: 'c1', quantity: '20', limit_price: null }]
    expect((await ask('POST', paths.replace, { account_id, modify_orders })).json).toEqual(placed.json)
    expect((await ask('POST', paths.cancel, { account_id, client_order_id: 'c1' })).json).toEqual(placed.json)
    const again = await ask('POST', paths.cancel, { account_id, client_order_id: 'c1' })
    expect(again).toMatchObject({ status: 417, json: { error_code: 'OPENAPI_ORDER_CAN_NOT_BE_CANCEL' } })

    const { json: detail } = await ask('GET', paths.get, { account_id, client_order_id: 'c1' })
    const none = { actual_commission: '0.00', receivable_commission: '0.00' }
    expect(detail.orders).toEqual([
      {
        ...expected,
        status: 'CANCELLED',
        total_quantity: '20',
        commission: none,
        fees: [{ type: 'FINRA_CAT_REGULATORY_FEE', actual_value: '0.00', receivable_value: '0.00' }],
      },
    ])
    expect(groupsOf((await ask('GET', paths.open, { account_id })).json)).toEqual([])
    const history = groupsOf((await ask('GET', paths.history, { account_id })).json)
    expect(history).toMatchObject([{ orders: [{ client_order_id: 'c1', status: 'CANCELLED' }] }])
  })

  it('fill an order as time advances, with an event for each step in the same instant', async () => {
    const { sim, ask, account_id } = await started()
    await using _ = sim
    const { json } = await ask('POST', paths.place, { account_id, new_orders: [order({ quantity: '100' })] })
    await sim.advance(5000)
    const payloads = payloadsOf(sim)
    expect(payloads[0]).toMatchObject({
      order_status: 'SUBMITTED',
      qty: '100.0000000000',
      filled_qty: '0E-10',
    })
    expect(payloads.slice(1, -1).every(({ scene_type }) => scene_type === 'FILLED')).toBe(true)
    const last = payloads.at(-1)
    expect(last).toMatchObject({
      account_id,
      order_id: json.order_id,
      client_order_id: 'c1',
      order_status: 'FILLED',
      scene_type: 'FINAL_FILLED',
      filled_qty: '100.0',
      side: 'BUY',
    })
    const { json: detail } = await ask('GET', paths.get, { account_id, client_order_id: 'c1' })
    const [filled] = detail.orders
    expect(filled).toMatchObject({
      status: 'FILLED',
      filled_quantity: '100',
      filled_price: last.filled_price,
      commission: { actual_commission: last.actual_commission },
      fees: last.fees,
    })
    const times = sim.tradeEvents().map(({ timestampMs }) => timestampMs - NOON)
    expect(Number(filled.filled_time)).toBe(sim.tradeEvents().at(-1)?.timestampMs)
    expect(times.every((ms) => ms % 1000 === 0)).toBe(true)
    const { json: positions } = await ask('GET', paths.positions, { account_id })
    expect(positions).toMatchObject([
      {
        symbol: 'AAPL',
        quantity: '100',
        available_quantity: '100',
        currency: 'USD',
        instrument_type: 'EQUITY',
      },
    ])
    const { json: balance } = await ask('GET', paths.balance, { account_id })
    const value = Number(balance.total_net_liquidation_value)
    expect(value).toBeGreaterThan(990_000)
    expect(value).toBeLessThan(1_010_000)
  })

  it('reject what is wrong, and name the field', async () => {
    const { sim, ask, account_id } = await started()
    await using _ = sim
    const errors = async (fields: Readonly<Record<string, string | undefined>>) => {
      const { status, json } = await ask('POST', paths.place, {
        account_id,
        new_orders: [{ ...order(), ...fields }],
      })
      return [status, json.error_code, json.message]
    }
    const invalid = (message: string) => [417, 'INVALID_PARAMETER', message]
    expect(await errors({ side: undefined })).toEqual(
      invalid('new_orders[0].side must be one of BUY, SELL, SHORT'),
    )
    expect(await errors({ quantity: '1e3' })).toEqual(
      invalid('new_orders[0].quantity must be a decimal above 0 with at most 8 places'),
    )
    expect(await errors({ order_type: 'LIMIT' })).toEqual(
      invalid('new_orders[0].limit_price must be set for order_type LIMIT'),
    )
    expect(await errors({ client_order_id: 'a b' })).toEqual(
      invalid('new_orders[0].client_order_id must be 1 to 32 letters, digits, hyphens and underscores'),
    )
    expect((await errors({ combo_type: 'OCO' }))[2]).toContain(
      'new_orders[0].combo_type must be one of NORMAL',
    )
    expect((await errors({ instrument_type: 'OPTION' })).slice(0, 2)).toEqual([417, 'OPENAPI_TICKER_IS_DENY'])
    expect((await errors({ symbol: 'NONE' })).slice(0, 2)).toEqual([417, 'INSTRUMENT_NOT_FOUND'])
    const other = await ask('POST', paths.place, { account_id: 'NOT-MINE', new_orders: [order()] })
    expect([other.status, other.json.error_code]).toEqual([403, 'ACCOUNT_ACCESS_DENIED'])
    const missing = await ask('GET', paths.balance)
    expect(missing.json.message).toBe('account_id must be a non-empty string')
    const unknown = await ask('GET', paths.get, { account_id, client_order_id: 'c9' })
    expect([unknown.status, unknown.json.error_code]).toEqual([417, 'OPENAPI_ORDER_NOT_FOUND'])
  })

  it('use the id of an accepted order, but not of a rejected one', async () => {
    const { sim, ask, account_id } = await started()
    await using _ = sim
    const codeOf = async (fields: Readonly<Record<string, string>>) =>
      (await ask('POST', paths.place, { account_id, new_orders: [order(fields)] })).json.error_code
    expect(await codeOf({ side: 'SELL' })).toBe('OPENAPI_SELL_QTY_EXCEED_AVAILABLE_QTY')
    expect(await codeOf({})).toBeUndefined()
    expect(await codeOf({})).toBe('OPENAPI_TRADE_PLACE_ORDER_REPEAT')
    const [, second = ''] = sim.accounts
    const other = await ask('POST', paths.place, { account_id: second, new_orders: [order()] })
    expect(other.status).toBe(200)
  })

  it('return the history in pages, newest first, without duplicates', async () => {
    const { sim, ask, account_id } = await started({ trading: { rateLimits: false, pageSize: 10 } })
    await using _ = sim
    for (let count = 1; count <= 25; count += 1) {
      await ask('POST', paths.place, { account_id, new_orders: [order({ client_order_id: `c${count}` })] })
    }
    const ids: string[] = []
    const sizes: number[] = []
    let next: Readonly<Record<string, string>> | undefined = {}
    while (next !== undefined) {
      const { json }: { json: Record<string, never> } = await ask('GET', paths.history, {
        account_id,
        ...next,
      })
      const page = groupsOf(json)
      ids.push(...page.map(({ client_order_id }) => String(client_order_id)))
      sizes.push(page.length)
      if (family === 'new') next = json.pagination_key && { pagination_key: json.pagination_key }
      else next = page.length < 10 ? undefined : { last_client_order_id: ids.at(-1) ?? '' }
    }
    expect(sizes).toEqual([10, 10, 5])
    expect(ids).toEqual(Array.from({ length: 25 }, (_, index) => `c${25 - index}`))
    const bad = family === 'new' ? { pagination_key: 'x' } : { last_client_order_id: 'x' }
    expect((await ask('GET', paths.history, { account_id, ...bad })).status).toBe(417)
    if (family === 'old') {
      expect((await ask('GET', paths.history, { account_id, page_size: '9' })).json.message).toBe(
        'page_size must be a whole number from 10 to 100',
      )
    }
  })

  it('place a group whose children follow the MASTER', async () => {
    const { sim, trading, ask, account_id } = await started()
    await using _ = sim
    trading.setPrice('AAPL', '200')
    const child = { side: 'SELL', quantity: '10' }
    const new_orders = [
      order({ client_order_id: 'm', combo_type: 'MASTER' }),
      order({
        ...child,
        client_order_id: 'p',
        combo_type: 'STOP_PROFIT',
        order_type: 'LIMIT',
        limit_price: '210',
      }),
      order({
        ...child,
        client_order_id: 'l',
        combo_type: 'STOP_LOSS',
        order_type: 'STOP_LOSS',
        stop_price: '190',
      }),
    ]
    const placed = await ask('POST', paths.place, { account_id, client_combo_order_id: 'g1', new_orders })
    expect(placed.json).toEqual({ client_combo_order_id: 'g1', combo_order_id: expect.any(String) })
    await sim.advance(5000)
    trading.setPrice('AAPL', '211')
    await sim.advance(5000)
    const { json } = await ask('GET', paths.get, { account_id, client_order_id: 'l' })
    expect(json).toMatchObject({ combo_type: 'MASTER', client_combo_order_id: 'g1' })
    expect(json.orders.map(({ status }: { status: string }) => status)).toEqual([
      'FILLED',
      'FILLED',
      'CANCELLED',
    ])
  })
})

describe('market data', () => {
  it('is the same on both paths, and has a bid below the ask', async () => {
    const { sim, trading, ask } = await started()
    await using _ = sim
    const query = { symbols: 'AAPL,NONE', category: 'US_STOCK', overnight_required: 'true' }
    const snapshot = await ask('GET', '/market-data/stocks/snapshots/list', query)
    expect(await ask('GET', '/openapi/market-data/stock/snapshot', query)).toEqual(snapshot)
    const [first, ...others] = snapshot.json
    expect(others).toEqual([])
    expect(first).toMatchObject({
      symbol: 'AAPL',
      price: trading.price('AAPL'),
      quote_time: NOON,
      ovn_price: first.price,
    })
    expect(Number(first.bid)).toBeLessThan(Number(first.ask))
    const one = { symbol: 'AAPL', category: 'US_STOCK' }
    const depth = await ask('GET', '/market-data/stocks/depths/list', { ...one, depth: '5' })
    expect(await ask('GET', '/openapi/market-data/stock/quotes', { ...one, depth: '5' })).toEqual(depth)
    expect(depth.json.asks).toHaveLength(5)
    expect([depth.json.bids[0].price, depth.json.asks[0].price]).toEqual([first.bid, first.ask])
    const ticks = await ask('GET', '/market-data/stocks/ticks/list', { ...one, count: '3' })
    expect(await ask('GET', '/openapi/market-data/stock/tick', { ...one, count: '3' })).toEqual(ticks)
    expect(ticks.json.result.map(({ time }: { time: string }) => Number(time) - NOON)).toEqual([
      0, -1000, -2000,
    ])
  })

  it('has bars, newest first, that follow one another', async () => {
    const { sim, ask } = await started()
    await using _ = sim
    for (const timespan of ['M1', 'D', 'W', 'M', 'Y']) {
      const body = { symbols: ['AAPL', 'TSLA'], category: 'US_STOCK', timespan, count: 5 }
      const { json } = await ask('POST', '/market-data/stocks/bars/list', body)
      expect(
        (await ask('POST', '/openapi/market-data/stock/batch-bars', { ...body, count: '5' })).json,
      ).toEqual(json)
      const [{ result }] = json.result
      expect(json.result).toHaveLength(2)
      const times = result.map(({ time }: { time: string }) => Date.parse(time))
      expect(times).toHaveLength(5)
      expect(times).toEqual([...times].sort((a, b) => b - a))
      for (const bar of result) {
        expect(bar.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000\+0000$/)
        expect(Number(bar.low)).toBeLessThanOrEqual(Math.min(Number(bar.open), Number(bar.close)))
        expect(Number(bar.high)).toBeGreaterThanOrEqual(Math.max(Number(bar.open), Number(bar.close)))
      }
      const one = { symbol: 'AAPL', category: 'US_STOCK', timespan, count: '5' }
      const single = await ask('GET', '/openapi/market-data/stock/bars', one)
      expect(single.json).toEqual(result.map((bar: object) => ({ symbol: 'AAPL', ...bar })))
    }
  })

  it('rejects what it does not know, by name', async () => {
    const { sim, ask } = await started()
    await using _ = sim
    const path = '/market-data/stocks/ticks/list'
    const codes = async (query: object) => {
      const { json } = await ask('GET', path, { symbol: 'AAPL', category: 'US_STOCK', ...query })
      return [json.error_code, json.message]
    }
    expect(await codes({ category: 'US_OPTION' })).toEqual([
      'UNSUPPORTED_CATEGORY',
      'category must be one of US_STOCK, US_ETF',
    ])
    expect((await codes({ symbol: 'NONE' }))[0]).toBe('UNSUPPORTED_SYMBOL')
    expect((await codes({ count: '1001' }))[1]).toBe('count must be a whole number from 1 to 1000')
    expect((await codes({ trading_sessions: 'NOON' }))[1]).toContain('trading_sessions must be')
  })

  it('has profiles in both shapes', async () => {
    const { sim, ask } = await started()
    await using _ = sim
    const { json } = await ask('GET', '/trading/instruments/stocks/profiles/list', { category: 'US_STOCK' })
    const old = await ask('GET', '/openapi/instrument/stock/list', { category: 'US_STOCK' })
    expect(old.json).toEqual(json.data)
    expect(json.pagination_key).toBeUndefined()
    expect(json.data.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['AAPL', 'TSLA', 'BRK.B'])
    const page = { category: 'US_STOCK', page_size: '2' }
    const first = (await ask('GET', '/openapi/instrument/stock/list', page)).json
    const last_instrument_id = first[1].instrument_id
    const rest = await ask('GET', '/openapi/instrument/stock/list', { ...page, last_instrument_id })
    expect([...first, ...rest.json]).toEqual(json.data)
  })
})

describe('in Hong Kong', () => {
  it('orders have the types and lots of the market', async () => {
    const { sim, ask, account_id } = await started({ region: 'hk', environment: 'sandbox' })
    await using _ = sim
    const fields = { market: 'HK', symbol: '00700', order_type: 'ENHANCED_LIMIT', limit_price: '999' }
    const place = async (given: Readonly<Record<string, string>>) =>
      (await ask('POST', PATHS.new.place, { account_id, new_orders: [order({ ...fields, ...given })] })).json
    expect((await place({ quantity: '150' })).message).toBe(
      'new_orders[0].quantity must be a multiple of the lot size 100',
    )
    expect((await place({ order_type: 'MARKET' })).message).toContain(
      'new_orders[0].order_type must be one of',
    )
    expect((await place({ quantity: '200' })).client_order_id).toBe('c1')
    await sim.advance(10_000)
    const { json } = await ask('GET', PATHS.new.positions, { account_id })
    expect(json).toMatchObject([{ symbol: '700', quantity: '200', currency: 'HKD' }])
    const unknown = await ask('GET', PATHS.new.get, { account_id, client_order_id: 'c9' })
    expect(unknown).toEqual({ status: 200, json: { combo_type: 'NORMAL', orders: [] } })
  })
})

describe('rate limits', () => {
  it('are the published ones, for each app key and operation', async () => {
    const { sim, ask, account_id } = await started({
      environment: 'production',
      secondFactor: 'automatic',
      trading: true,
    })
    await using _ = sim
    const statuses: number[] = []
    for (let count = 0; count < 3; count += 1) {
      statuses.push(
        (await ask('GET', count === 1 ? PATHS.old.balance : PATHS.new.balance, { account_id })).status,
      )
    }
    expect(statuses).toEqual([200, 200, 429])
    expect((await ask('GET', PATHS.new.positions, { account_id })).status).toBe(200)
    await sim.advance(2000)
    expect((await ask('GET', PATHS.new.balance, { account_id })).status).toBe(200)
  })

  it('can be set for single operations', async () => {
    const rateLimits = { 'accounts.list': { requests: 1, windowMs: 1000 } }
    const { sim, ask } = await started({ trading: { rateLimits } })
    await using _ = sim
    expect((await ask('GET', PATHS.new.accounts)).status).toBe(200)
    expect(await ask('GET', PATHS.old.accounts)).toEqual({
      status: 429,
      json: { error_code: 'TOO_MANY_REQUESTS', message: 'too many calls of accounts.list' },
    })
  })
})

describe('faults', () => {
  it('lose the response of an order that was placed', async () => {
    const { sim, trading, ask, account_id } = await started()
    await using _ = sim
    trading.nextCall('orders.place', { kind: 'lost-response' })
    const body = { account_id, new_orders: [order()] }
    await expect(ask('POST', PATHS.old.place, body)).rejects.toThrow()
    expect((await ask('POST', PATHS.new.place, body)).json.error_code).toBe(
      'OPENAPI_TRADE_PLACE_ORDER_REPEAT',
    )
    expect(trading.orders()).toMatchObject([{ clientOrderId: 'c1', status: 'SUBMITTED' }])
  })

  it('are errors of the service: nothing is executed', async () => {
    const { sim, trading, ask, account_id } = await started()
    await using _ = sim
    trading.nextCall('orders.place', {
      kind: 'error',
      code: 'OPENAPI_DAY_BUYING_POWER_INSUFFICIENT',
      message: 'no',
    })
    const body = { account_id, new_orders: [order()] }
    expect(await ask('POST', PATHS.new.place, body)).toEqual({
      status: 417,
      json: { error_code: 'OPENAPI_DAY_BUYING_POWER_INSUFFICIENT', message: 'no' },
    })
    expect(trading.orders()).toEqual([])
    expect((await ask('POST', PATHS.old.place, body)).status).toBe(200)
  })

  it('delay a response: the order is placed before', async () => {
    const { sim, trading, ask, account_id } = await started()
    await using _ = sim
    trading.nextCall('orders.place', { kind: 'delay', delayMs: 5000 })
    let isAnswered = false
    const placed = ask('POST', PATHS.new.place, { account_id, new_orders: [order()] }).finally(() => {
      isAnswered = true
    })
    await expect.poll(() => trading.orders().length).toBe(1)
    expect(isAnswered).toBe(false)
    await sim.advance(5000)
    expect((await placed).status).toBe(200)
  })

  it('let queries lag behind', async () => {
    const { sim, trading, ask, account_id } = await started()
    await using _ = sim
    trading.setQueryLag(3000)
    const limit = order({ order_type: 'LIMIT', limit_price: '1' })
    await ask('POST', PATHS.new.place, { account_id, new_orders: [limit] })
    const status = async () => {
      const { json } = await ask('GET', PATHS.new.get, { account_id, client_order_id: 'c1' })
      return json.orders?.[0].status ?? json.error_code
    }
    expect(await status()).toBe('OPENAPI_ORDER_NOT_FOUND')
    expect((await ask('GET', PATHS.new.history, { account_id })).json).toEqual({ data: [] })
    await sim.advance(3000)
    expect(await status()).toBe('SUBMITTED')
    await ask('POST', PATHS.new.cancel, { account_id, client_order_id: 'c1' })
    expect(await status()).toBe('SUBMITTED')
    expect((await ask('GET', PATHS.old.open, { account_id })).json).toHaveLength(1)
    await sim.advance(3000)
    expect(await status()).toBe('CANCELLED')
  })
})

describe('the controls', () => {
  it('set cash, positions and hours, and reject an accepted order', async () => {
    const { sim, trading, ask, account_id } = await started()
    await using _ = sim
    trading.setCash(account_id, '500.25')
    trading.setPosition(account_id, 'TSLA', { quantity: '2.5', costPrice: '100' })
    expect(trading.accounts()[0]).toEqual({
      accountId: account_id,
      accountType: 'MARGIN',
      cash: '500.25',
      positions: [{ symbol: 'TSLA', quantity: '2.5', costPrice: '100.00' }],
    })
    const sell = order({ symbol: 'TSLA', side: 'SELL', quantity: '2' })
    trading.setHours('closed')
    const closed = await ask('POST', PATHS.new.place, { account_id, new_orders: [sell] })
    expect(closed.json.error_code).toBe('OPENAPI_NO_TRADING_TIME')
    trading.setHours('always')
    await ask('POST', PATHS.new.place, { account_id, new_orders: [sell] })
    trading.failOrder(account_id, 'c1')
    expect(trading.orders({ accountId: account_id })[0]?.status).toBe('FAILED')
    expect(payloadsOf(sim).at(-1)).toMatchObject({ scene_type: 'PLACE_FAILED', order_status: 'FAILED' })
    expect(() => trading.failOrder(account_id, 'c1')).toThrow('an order that is not final')
  })

  it.each([
    ['accountId', (trading: NonNullable<Simulator['trading']>) => trading.setCash('none', '1')],
    ['cash', (trading: NonNullable<Simulator['trading']>, id: string) => trading.setCash(id, '1e9')],
    ['symbol', (trading: NonNullable<Simulator['trading']>) => trading.setPrice('NONE', '1')],
    ['price', (trading: NonNullable<Simulator['trading']>) => trading.setPrice('AAPL', '0.00')],
    ['hours', (trading: NonNullable<Simulator['trading']>) => trading.setHours('open' as never)],
    ['lagMs', (trading: NonNullable<Simulator['trading']>) => trading.setQueryLag(-1)],
    [
      'operation',
      (trading: NonNullable<Simulator['trading']>) =>
        trading.nextCall('order' as never, { kind: 'lost-response' }),
    ],
    [
      'fault.kind',
      (trading: NonNullable<Simulator['trading']>) => trading.nextCall('orders.get', { kind: 'x' } as never),
    ],
  ])('reject a wrong %s', async (argument, call) => {
    const { sim, trading, account_id } = await started()
    await using _ = sim
    expect(() => call(trading, account_id)).toThrow(
      expect.objectContaining({
        code: 'SIMULATOR_ARGUMENT_INVALID',
        details: expect.objectContaining({ argument }),
      }),
    )
  })
})

it('a submission that is delayed leaves an order PENDING, which is too early to cancel', async () => {
  const { sim, trading, ask, account_id } = await started({
    trading: { rateLimits: false, submitDelayMs: 1500 },
  })
  await using _ = sim
  await ask('POST', PATHS.new.place, {
    account_id,
    new_orders: [order({ order_type: 'LIMIT', limit_price: '1' })],
  })
  const cancel = () => ask('POST', PATHS.new.cancel, { account_id, client_order_id: 'c1' })
  expect(trading.orders()[0]?.status).toBe('PENDING')
  expect((await cancel()).json.error_code).toBe('OPENAPI_ORDER_CAN_NOT_BE_CANCEL_FOR_PENDING_SUBMIT')
  await sim.advance(1500)
  expect(trading.orders()[0]?.status).toBe('SUBMITTED')
  expect((await cancel()).status).toBe(200)
})

it('a route of the user on the same path has precedence, and the paths can be turned off', async () => {
  const { sim, ask } = await started()
  await using _ = sim
  const route = sim.route('GET', PATHS.new.accounts, () => ({ status: 200, json: ['mine'] }))
  expect((await ask('GET', PATHS.new.accounts)).json).toEqual(['mine'])
  route.remove()
  expect((await ask('GET', PATHS.new.accounts)).json).toHaveLength(2)
  await using without = await startSimulator({ environment: 'sandbox', trading: false })
  expect(without.trading).toBeUndefined()
  const headers = { 'x-access-token': await usableToken(without) }
  expect((await sendSigned(without, { method: 'GET', path: PATHS.new.accounts, headers })).status).toBe(404)
})

it('each app has its own accounts and orders, at the same prices', async () => {
  await using sim = await startSimulator({ apps: [{ name: 'one' }, { name: 'two' }] })
  const [one, two] = sim.apps
  expect(one?.trading?.accounts()[0]?.accountId).not.toBe(two?.trading?.accounts()[0]?.accountId)
  expect(one?.trading?.price('AAPL')).toBe(two?.trading?.price('AAPL'))
})

it('orders and positions are restored from a state file, and orders go on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-trading-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const clock = createVirtualClock(NOON)
  const options = { clock, stateFile: join(folder, 'state.jsonl') }
  const { sim: first, trading, ask, account_id } = await started(options)
  trading.setPrice('AAPL', '200')
  const limit = { order_type: 'LIMIT', limit_price: '100' }
  await ask('POST', PATHS.new.place, { account_id, new_orders: [order()] })
  await ask('POST', PATHS.new.place, { account_id, new_orders: [order({ ...limit, client_order_id: 'c2' })] })
  await first.advance(5000)
  const before = { accounts: trading.accounts(), orders: trading.orders() }
  expect(before.orders.map(({ status }) => status)).toEqual(['FILLED', 'SUBMITTED'])
  await first.close()

  const { sim: second, trading: restored, ask: askAgain } = await started(options)
  await using _ = second
  expect({ accounts: restored.accounts(), orders: restored.orders() }).toEqual(before)
  const repeated = await askAgain('POST', PATHS.new.place, { account_id, new_orders: [order()] })
  expect(repeated.json.error_code).toBe('OPENAPI_TRADE_PLACE_ORDER_REPEAT')
  restored.setPrice('AAPL', '99')
  await second.advance(5000)
  expect(restored.orders().map(({ status }) => status)).toEqual(['FILLED', 'FILLED'])
})

it('memory is bounded: the oldest orders are dropped, and open ones are limited', async () => {
  const { sim, trading, ask, account_id } = await started({
    trading: { rateLimits: false, maxOrders: 3, maxOpenOrders: 2 },
  })
  await using _ = sim
  const place = (id: string, limit_price = '1') =>
    ask('POST', PATHS.new.place, {
      account_id,
      new_orders: [order({ client_order_id: id, order_type: 'LIMIT', limit_price })],
    })
  await place('a')
  await place('b')
  expect((await place('c')).json.error_code).toBe('OPENAPI_OPEN_ORDER_LIMIT')
  for (const id of ['b', 'd', 'e', 'f']) {
    await place(id)
    await ask('POST', PATHS.new.cancel, { account_id, client_order_id: id })
  }
  expect(trading.orders().map(({ clientOrderId }) => clientOrderId)).toEqual(['a', 'e', 'f'])
})

it.each([
  ['trading', { trading: 'yes' }],
  ['trading.cash', { trading: { cash: '1.001' } }],
  ['trading.hours', { trading: { hours: 'open' } }],
  ['trading.stepMs', { trading: { stepMs: 0 } }],
  ['trading.rateLimits', { trading: { rateLimits: { 'orders.buy': { requests: 1, windowMs: 1 } } } }],
  [
    'trading.rateLimits.orders.get.requests',
    { trading: { rateLimits: { 'orders.get': { requests: 0, windowMs: 1 } } } },
  ],
])('a wrong option %s is rejected by name', async (option, options) => {
  await expect(startSimulator(options as never)).rejects.toMatchObject({
    code: 'SIMULATOR_OPTION_INVALID',
    details: { option },
  })
})
