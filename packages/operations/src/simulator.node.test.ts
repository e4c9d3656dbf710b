/** Every operation of the table against the simulator, in both path families. */
import { createHttpClient, type HttpClient } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cancelOrder,
  createAccessToken,
  createClientToken,
  getOrder,
  listOpenOrders,
  listOrderHistory,
  type NewOrder,
  type PathFamily,
  paginate,
  placeOrder,
  previewOrder,
  replaceOrder,
} from './index.ts'
import { OPERATIONS } from './table.ts'

let simulator: Simulator
let accessToken: string
let accountId: string
let orders = 0

beforeAll(async () => {
  simulator = await startSimulator({
    environment: 'sandbox',
    rateLimit: false,
    trading: { rateLimits: false, pageSize: 10 },
  })
  simulator.trading?.setPrice('AAPL', '200.00')
  accountId = simulator.accounts[0] ?? ''
  const { data } = await connect('current').request(createAccessToken, {})
  accessToken = data.token
})

afterAll(() => simulator.close())

/** A client that sends each request once, so that no retry hides a failure. */
const connect = (pathFamily: PathFamily): HttpClient =>
  createHttpClient({
    baseUrl: simulator.baseUrl,
    signer: createSigner(simulator.credentials),
    pathFamily,
    maxRetries: 0,
  })

/** A purchase that stays open, because its price is far below the market. */
function newOrder(): NewOrder {
  orders += 1
  return {
    clientOrderId: `order-${orders}`,
    comboType: 'NORMAL',
    instrumentType: 'EQUITY',
    market: 'US',
    symbol: 'AAPL',
    side: 'BUY',
    orderType: 'LIMIT',
    limitPrice: '10.00',
    entrustType: 'QTY',
    quantity: '3',
    timeInForce: 'DAY',
    supportTradingSession: 'CORE',
  }
}

async function place(http: HttpClient): Promise<string> {
  const order = newOrder()
  await http.request(placeOrder, { accountId, newOrders: [order] }, { accessToken })
  return order.clientOrderId
}

/** Creates the input of an operation. */
type InputFactory = (http: HttpClient) => object | Promise<object>

const account: InputFactory = () => ({ accountId })
const order: InputFactory = async (http) => ({ accountId, clientOrderId: await place(http) })
const stock = { symbol: 'AAPL', category: 'US_STOCK' }
const stocks = { symbols: ['AAPL', 'TSLA'], category: 'US_STOCK' }

const INPUTS: Readonly<Record<string, InputFactory>> = {
  getConfig: () => ({}),
  createAccessToken: () => ({}),
  checkAccessToken: () => ({ token: accessToken }),
  createClientToken: () => ({ clientUserId: 'user-1' }),
  async refreshClientToken(http) {
    const { data } = await http.request(createClientToken, { clientUserId: 'user-2' })
    return { refreshToken: data.refreshToken }
  },
  listAccounts: () => ({}),
  getBalance: account,
  listPositions: account,
  previewOrder: () => ({ accountId, newOrders: [newOrder()] }),
  placeOrder: () => ({ accountId, newOrders: [newOrder()] }),
  batchPlaceOrders: () => ({ accountId, batchOrders: [newOrder(), newOrder()] }),
  replaceOrder: async (http) => ({
    accountId,
    modifyOrders: [{ clientOrderId: await place(http), quantity: '2' }],
  }),
  cancelOrder: order,
  getOrder: order,
  listOpenOrders: account,
  listOrderHistory: account,
  listStockProfiles: () => stocks,
  listSnapshots: () => ({ ...stocks, extendHourRequired: true, overnightRequired: true }),
  listBars: () => ({ ...stocks, timespan: 'M5', count: 5, realTimeRequired: true, tradingSessions: 'RTH' }),
  getDepth: () => ({ ...stock, depth: 5, overnightRequired: false }),
  listTicks: () => ({ ...stock, count: 5, tradingSessions: ['RTH'] }),
}

/** The names of all fields in `extra`, at any depth. */
function extraNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(extraNames)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'extra' ? Object.keys(inner as object) : extraNames(inner),
  )
}

test('the table has no operation without a request to the simulator', () => {
  expect(Object.keys(INPUTS)).toEqual(Object.keys(OPERATIONS))
})

describe.each<PathFamily>(['current', 'openapi'])('in the path family "%s"', (pathFamily) => {
  const rows = Object.entries(OPERATIONS).filter(([, { paths }]) => paths[pathFamily] !== undefined)

  test.each(rows)('%s is answered, and each field of its response is decoded', async (name, operation) => {
    const http = connect(pathFamily)
    // A position, so that no list is empty.
    simulator.trading?.setPosition(accountId, 'AAPL', { quantity: '5', costPrice: '150.00' })
    await place(http)
    const input = await INPUTS[name]?.(http)
    const options = operation.authenticated === false ? {} : { accessToken }
    const { status, issues, data } = await http.request(operation, input as never, options)
    expect(status).toBe(200)
    expect(issues).toEqual([])
    expect(extraNames(data)).toEqual([])
  })

  test('an order is previewed, placed, read, replaced, canceled, and found in the history', async () => {
    const http = connect(pathFamily)
    const options = { accessToken }
    const newOrders = [newOrder()]
    const clientOrderId = newOrders[0]?.clientOrderId ?? ''
    const read = async () => {
      const { data } = await http.request(getOrder, { accountId, clientOrderId }, options)
      return data.orders[0]
    }

    const { data: cost } = await http.request(previewOrder, { accountId, newOrders }, options)
    expect(cost).toMatchObject({ estimatedCost: '30.00', currency: 'USD' })
    const { data: placed } = await http.request(placeOrder, { accountId, newOrders }, options)
    expect(placed.clientOrderId).toBe(clientOrderId)
    expect(await read()).toMatchObject({ status: 'SUBMITTED', totalQuantity: '3', orderId: placed.orderId })

    const modifyOrders = [{ clientOrderId, quantity: '2', limitPrice: '9.50' }]
    await http.request(replaceOrder, { accountId, modifyOrders }, options)
    expect(await read()).toMatchObject({ status: 'SUBMITTED', totalQuantity: '2', limitPrice: '9.50' })

    await http.request(cancelOrder, { accountId, clientOrderId }, options)
    expect(await read()).toMatchObject({ status: 'CANCELLED', filledQuantity: '0' })

    // Three pages: the simulator's pages have ten groups in both families.
    for (let count = 0; count < 21; count += 1) await place(http)
    const history: string[] = []
    for await (const group of paginate(http, listOrderHistory, { accountId }, options))
      history.push(...group.orders.map((entry) => entry.clientOrderId))
    expect(history).toContain(clientOrderId)
    expect(new Set(history).size).toBe(history.length)
    expect(history.length).toBe(simulator.trading?.orders({ accountId }).length)

    const open: string[] = []
    for await (const group of paginate(http, listOpenOrders, { accountId }, options))
      open.push(...group.orders.map((entry) => entry.clientOrderId))
    expect(open).not.toContain(clientOrderId)
    expect(open.length).toBe(simulator.trading?.orders({ accountId, isOpen: true }).length)
  })
})
