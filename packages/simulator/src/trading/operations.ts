/** The operations that the simulator serves: names, paths of both families, and rate limits (packages/operations/OPERATIONS.md). */
import type { Environment, Region } from '@brokerwire/core/endpoints'

/** Maximum number of calls in a window of time. */
export interface OperationLimit {
  /** Maximum number of calls in each window. */
  readonly requests: number
  /** Length of the window, in milliseconds. */
  readonly windowMs: number
}

/** Name of an operation. `stocks.bar` returns the bars of one symbol, and has only an old path. */
export type TradingOperation =
  | 'accounts.list'
  | 'accounts.balance'
  | 'accounts.positions'
  | 'orders.preview'
  | 'orders.place'
  | 'orders.batch-place'
  | 'orders.replace'
  | 'orders.cancel'
  | 'orders.get'
  | 'orders.open'
  | 'orders.history'
  | 'stocks.profiles'
  | 'stocks.snapshots'
  | 'stocks.bars'
  | 'stocks.bar'
  | 'stocks.depth'
  | 'stocks.ticks'

interface Operation {
  readonly method: 'GET' | 'POST'
  /** Path of the new family, whose responses have the form of version 3. */
  readonly path: string | undefined
  /** Path of the old family, whose responses have the form of version 2. */
  readonly oldPath: string
  /**
   * Path that the official clients use in their class for stock orders of the second generation. Responses on
   * this path have the form of version 2, as on `oldPath`.
   */
  readonly stockOrderPath?: string
  readonly us: OperationLimit
  readonly hk: OperationLimit
}

const limit = (requests: number, seconds: number): OperationLimit => ({ requests, windowMs: seconds * 1000 })
const QUOTES = { us: limit(60, 60), hk: limit(60, 60) } as const
const ORDER_CHANGES = { us: limit(600, 60), hk: limit(15, 1) } as const
const ORDER_QUERIES = { us: limit(2, 2), hk: limit(40, 2) } as const
const ASSETS = { us: limit(2, 2), hk: limit(2, 2) } as const

export const OPERATIONS: Readonly<Record<TradingOperation, Operation>> = {
  'accounts.list': {
    method: 'GET',
    path: '/trading/accounts/list',
    oldPath: '/openapi/account/list',
    us: limit(10, 30),
    hk: limit(10, 30),
  },
  'accounts.balance': {
    method: 'GET',
    path: '/trading/assets/balances/get',
    oldPath: '/openapi/assets/balance',
    ...ASSETS,
  },
  'accounts.positions': {
    method: 'GET',
    path: '/trading/assets/positions/list',
    oldPath: '/openapi/assets/positions',
    ...ASSETS,
  },
  'orders.preview': {
    method: 'POST',
    path: '/trading/orders/preview',
    oldPath: '/openapi/trade/order/preview',
    stockOrderPath: '/openapi/trade/stock/order/preview',
    us: limit(150, 10),
    hk: limit(40, 10),
  },
  'orders.place': {
    method: 'POST',
    path: '/trading/orders/place',
    oldPath: '/openapi/trade/order/place',
    stockOrderPath: '/openapi/trade/stock/order/place',
    ...ORDER_CHANGES,
  },
  'orders.batch-place': {
    method: 'POST',
    path: '/trading/orders/batch-place',
    oldPath: '/openapi/trade/order/batch-place',
    us: limit(150, 60),
    hk: limit(150, 60),
  },
  'orders.replace': {
    method: 'POST',
    path: '/trading/orders/replace',
    oldPath: '/openapi/trade/order/replace',
    stockOrderPath: '/openapi/trade/stock/order/replace',
    ...ORDER_CHANGES,
  },
  'orders.cancel': {
    method: 'POST',
    path: '/trading/orders/cancel',
    oldPath: '/openapi/trade/order/cancel',
    stockOrderPath: '/openapi/trade/stock/order/cancel',
    ...ORDER_CHANGES,
  },
  'orders.get': {
    method: 'GET',
    path: '/trading/orders/get',
    oldPath: '/openapi/trade/order/detail',
    ...ORDER_QUERIES,
  },
  'orders.open': {
    method: 'GET',
    path: '/trading/orders/open-orders/list',
    oldPath: '/openapi/trade/order/open',
    ...ORDER_QUERIES,
  },
  'orders.history': {
    method: 'GET',
    path: '/trading/orders/historical-orders/list',
    oldPath: '/openapi/trade/order/history',
    ...ORDER_QUERIES,
  },
  'stocks.profiles': {
    method: 'GET',
    path: '/trading/instruments/stocks/profiles/list',
    oldPath: '/openapi/instrument/stock/list',
    ...QUOTES,
  },
  'stocks.snapshots': {
    method: 'GET',
    path: '/market-data/stocks/snapshots/list',
    oldPath: '/openapi/market-data/stock/snapshot',
    ...QUOTES,
  },
  'stocks.bars': {
    method: 'POST',
    path: '/market-data/stocks/bars/list',
    oldPath: '/openapi/market-data/stock/batch-bars',
    ...QUOTES,
  },
  'stocks.bar': { method: 'GET', path: undefined, oldPath: '/openapi/market-data/stock/bars', ...QUOTES },
  'stocks.depth': {
    method: 'GET',
    path: '/market-data/stocks/depths/list',
    oldPath: '/openapi/market-data/stock/quotes',
    ...QUOTES,
  },
  'stocks.ticks': {
    method: 'GET',
    path: '/market-data/stocks/ticks/list',
    oldPath: '/openapi/market-data/stock/tick',
    ...QUOTES,
  },
}
export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly TradingOperation[]

/** Returns all paths of an operation. */
export function getPaths(operation: TradingOperation): readonly string[] {
  const { path, oldPath, stockOrderPath }: Operation = OPERATIONS[operation]
  return [path, oldPath, stockOrderPath].flatMap((each) => each ?? [])
}

/**
 * Limit of operations in the sandbox of the US. It is published for almost every operation, and is used here
 * for all.
 */
const US_SANDBOX = limit(30, 60)
/** Limit of operations that change orders in the markets of Hong Kong and China. */
const HK_MARKETS = limit(1, 1)

/**
 * Returns the published limit of an operation.
 *
 * @param marketName - Market of the order, if the operation changes an order.
 */
export function publishedLimit(
  operation: TradingOperation,
  region: Region,
  environment: Environment,
  marketName: string | undefined,
): OperationLimit {
  const limits: Operation = OPERATIONS[operation]
  if (region === 'us') return environment === 'sandbox' ? US_SANDBOX : limits.us
  const isChange = OPERATIONS[operation].hk === ORDER_CHANGES.hk
  return isChange && (marketName === 'HK' || marketName === 'CN') ? HK_MARKETS : limits.hk
}
