/**
 * Reads the orders in the bodies of the operations that preview, place and replace orders
 * (packages/operations/OPERATIONS.md, the request). Unknown fields are ignored.
 */
import type { Region } from '@brokerwire/core/endpoints'
import type { Instrument, Market } from '../wire/instruments.ts'
import { isWhole, wholeUnits } from './decimal.ts'
import {
  type FieldValues,
  optionalCents,
  optionalOneOf,
  optionalQuantity,
  optionalText,
  requiredItems,
  requiredOneOf,
  requiredText,
} from './fields.ts'
import { findInstrument, getLotSize, getMarketName, isFractionable, MARKET_NAMES } from './instruments.ts'
import type { ComboType, OrderSide } from './order.ts'
import { fieldRejection, orderRejection, rejection } from './rejection.ts'

/** One order of a request. */
export interface OrderRequest {
  readonly clientOrderId: string
  readonly comboType: ComboType
  readonly instrument: Instrument
  readonly side: OrderSide
  readonly orderType: string
  readonly timeInForce: string
  readonly session: string
  readonly entrustType: 'QTY' | 'AMOUNT'
  /** The quantity. `undefined` for an order by amount. */
  readonly quantity: bigint | undefined
  readonly cashCents: bigint | undefined
  readonly limitCents: number | undefined
  readonly stopCents: number | undefined
  readonly otherFields: Readonly<Record<string, string>>
}

/** The orders of one placement. */
export interface GroupRequest {
  readonly clientComboOrderId: string | undefined
  readonly orders: readonly OrderRequest[]
}

const ID = /^[A-Za-z0-9_-]{1,32}$/
const ID_TEXT = '1 to 32 letters, digits, hyphens and underscores'

const COMBO_TYPES = ['NORMAL', 'MASTER', 'STOP_PROFIT', 'STOP_LOSS'] as const
const REJECTED_COMBO_TYPES = ['OTO', 'OCO', 'OTOCO'] as const
const INSTRUMENT_TYPES = ['EQUITY', 'OPTION', 'FUTURES', 'CRYPTO', 'EVENT'] as const
const SIDES = ['BUY', 'SELL', 'SHORT'] as const

const COMMON_TYPES = ['MARKET', 'LIMIT', 'STOP_LOSS', 'STOP_LOSS_LIMIT', 'TRAILING_STOP_LOSS'] as const
const HK_ONLY_TYPES = ['TRAILING_STOP_LOSS_LIMIT', 'TOUCH_MKT', 'TOUCH_LMT'] as const
/** Order types by region and market. */
const ORDER_TYPES: Readonly<Record<string, readonly string[]>> = {
  'us US': [...COMMON_TYPES, 'MARKET_ON_OPEN', 'MARKET_ON_CLOSE', 'LIMIT_ON_OPEN'],
  'hk US': [...COMMON_TYPES, ...HK_ONLY_TYPES, 'MARKET_ON_OPEN', 'MARKET_ON_CLOSE'],
  'hk HK': [
    'ENHANCED_LIMIT',
    'AT_AUCTION',
    'AT_AUCTION_LIMIT',
    'STOP_LOSS',
    'STOP_LOSS_LIMIT',
    'TRAILING_STOP_LOSS',
    'ODD_LOT_LIMIT',
    ...HK_ONLY_TYPES,
  ],
  'hk CN': ['LIMIT'],
}

/** Returns the order types of an instrument. */
export function getOrderTypes(region: Region, instrument: Instrument): readonly string[] {
  return ORDER_TYPES[`${region} ${getMarketName(instrument)}`] ?? []
}

const SESSIONS: Readonly<Record<Region, readonly string[]>> = {
  us: ['CORE', 'ALL', 'NIGHT'],
  hk: ['CORE', 'ALL', 'NIGHT', 'ALL_DAY', 'Y', 'N'],
}
const CORE_SESSIONS: ReadonlySet<string> = new Set(['CORE', 'N'])

const WITH_LIMIT =
  /^(LIMIT|ENHANCED_LIMIT|AT_AUCTION_LIMIT|ODD_LOT_LIMIT|LIMIT_ON_OPEN|STOP_LOSS_LIMIT|TOUCH_LMT)$/
const WITH_STOP = /^(STOP_LOSS|STOP_LOSS_LIMIT|TOUCH_MKT|TOUCH_LMT)$/
const WITH_TRAIL = /^TRAILING_/

/** This quantity and larger ones are rejected (packages/operations/OPERATIONS.md, quantities). */
const QUANTITY_LIMIT = wholeUnits(200_000)

export interface RequestContext {
  readonly region: Region
  readonly market: Market
}

const MAX_BATCH = 50

/**
 * Reads the items of `batch_orders`, without checking them.
 *
 * @throws TradingRejection
 */
export const parseBatch = (body: FieldValues): readonly FieldValues[] =>
  requiredItems(body, 'batch_orders', MAX_BATCH)

/**
 * Reads one item of a batch. An item has the form of a NORMAL order, but only some values are allowed.
 *
 * @throws TradingRejection
 */
export function parseBatchOrder(item: FieldValues, index: number, context: RequestContext): GroupRequest {
  const path = `batch_orders[${index}].`
  const order = parseOrder(item, path, context)
  requiredOneOf(item, 'combo_type', ['NORMAL'], path)
  requiredOneOf(item, 'market', ['US'], path)
  requiredOneOf(item, 'side', ['BUY', 'SELL'], path)
  requiredOneOf(item, 'order_type', ['MARKET', 'LIMIT'], path)
  requiredOneOf(item, 'time_in_force', ['DAY'], path)
  requiredOneOf(item, 'entrust_type', ['QTY'], path)
  return { clientComboOrderId: undefined, orders: [order] }
}

/** Reads `new_orders`. @throws TradingRejection */
export function parseGroup(body: FieldValues, context: RequestContext): GroupRequest {
  const items = requiredItems(body, 'new_orders', 3)
  const orders = items.map((item, index) => parseOrder(item, `new_orders[${index}].`, context))
  requireCombo(orders)
  const given = optionalText(body, 'client_combo_order_id')
  if (given !== undefined && !ID.test(given)) throw fieldRejection('client_combo_order_id', ID_TEXT)
  if (new Set(orders.map(({ clientOrderId }) => clientOrderId)).size < orders.length) {
    throw fieldRejection('client_order_id', 'different for each order of a group')
  }
  return { clientComboOrderId: given, orders }
}

/**
 * Checks the combo types of a group. Allowed are a single NORMAL, a MASTER with a STOP_PROFIT, a STOP_LOSS or
 * both, and a STOP_PROFIT, a STOP_LOSS or both without a MASTER.
 */
function requireCombo(orders: readonly OrderRequest[]): void {
  const count = (type: ComboType): number => orders.filter(({ comboType }) => comboType === type).length
  if (count('NORMAL') > 0) {
    if (orders.length === 1) return
    throw fieldRejection('new_orders', 'one order if its combo_type is NORMAL')
  }
  for (const type of ['MASTER', 'STOP_PROFIT', 'STOP_LOSS'] as const) {
    if (count(type) > 1) throw fieldRejection('new_orders', `a group with at most one ${type}`)
  }
  if (count('MASTER') === orders.length) {
    throw fieldRejection('new_orders', 'a group of a MASTER with a STOP_PROFIT, a STOP_LOSS or both')
  }
  const [{ instrument } = { instrument: undefined }] = orders
  if (orders.some((order) => order.instrument !== instrument)) {
    throw fieldRejection('symbol', 'the same for each order of a group')
  }
}

function parseOrder(item: FieldValues, path: string, { region, market }: RequestContext): OrderRequest {
  const clientOrderId = requiredText(item, 'client_order_id', path)
  if (!ID.test(clientOrderId)) throw fieldRejection(`${path}client_order_id`, ID_TEXT)
  const comboType = requiredOneOf(item, 'combo_type', [...COMBO_TYPES, ...REJECTED_COMBO_TYPES], path)
  if (!isServedCombo(comboType)) {
    throw fieldRejection(
      `${path}combo_type`,
      `one of ${COMBO_TYPES.join(', ')}: the simulator has no ${comboType}`,
    )
  }
  if (requiredOneOf(item, 'instrument_type', INSTRUMENT_TYPES, path) !== 'EQUITY') {
    throw orderRejection(
      'TICKER_IS_DENY',
      `${path}instrument_type must be EQUITY: the simulator trades nothing else`,
    )
  }
  if (optionalText(item, 'algo_type', path) !== undefined) {
    throw fieldRejection(`${path}algo_type`, 'left out: the simulator has no algo orders')
  }
  const marketName = requiredOneOf(item, 'market', MARKET_NAMES[region], path)
  const symbol = requiredText(item, 'symbol', path)
  const instrument = findInstrument(market, symbol)
  if (instrument === undefined || getMarketName(instrument) !== marketName) {
    throw rejection('INSTRUMENT_NOT_FOUND', `${path}symbol must be an instrument of the market ${marketName}`)
  }
  const side = requiredOneOf(item, 'side', SIDES, path)
  const orderType = requiredOneOf(item, 'order_type', getOrderTypes(region, instrument), path)
  requireComboType(comboType, orderType, side, path)
  const timeInForce = requiredOneOf(item, 'time_in_force', timesInForce(region, marketName), path)
  const session = requiredOneOf(item, 'support_trading_session', SESSIONS[region], path)
  if (!CORE_SESSIONS.has(session) && !WITH_LIMIT.test(orderType)) {
    throw fieldRejection(`${path}support_trading_session`, `CORE for order_type ${orderType}`)
  }
  return {
    clientOrderId,
    comboType,
    instrument,
    side,
    orderType,
    timeInForce,
    session,
    ...parseSize(item, path, { instrument, orderType, timeInForce }),
    ...parsePrices(item, path, orderType),
    otherFields: parseOtherFields(item, path, { orderType, timeInForce }),
  }
}

function isServedCombo(type: string): type is ComboType {
  return COMBO_TYPES.some((served) => served === type)
}

function timesInForce(region: Region, marketName: string): readonly string[] {
  if (marketName === 'CN') return ['DAY']
  return region === 'hk' && marketName === 'US' ? ['DAY', 'GTC', 'IOC', 'GTD'] : ['DAY', 'GTC', 'IOC']
}

function requireComboType(comboType: ComboType, orderType: string, side: OrderSide, path: string): void {
  const isPlain = orderType === 'MARKET' || /^(ENHANCED_)?LIMIT$/.test(orderType)
  if (comboType === 'MASTER' && !isPlain)
    throw fieldRejection(`${path}order_type`, 'MARKET or LIMIT for a MASTER')
  if (comboType === 'STOP_PROFIT' && !/^(ENHANCED_)?LIMIT$/.test(orderType)) {
    throw fieldRejection(`${path}order_type`, 'LIMIT for a STOP_PROFIT')
  }
  if (comboType === 'STOP_LOSS' && orderType !== 'STOP_LOSS') {
    throw fieldRejection(`${path}order_type`, 'STOP_LOSS for a STOP_LOSS')
  }
  if (comboType.startsWith('STOP_') && side === 'SHORT') {
    throw fieldRejection(`${path}side`, `BUY or SELL for a ${comboType}`)
  }
}

/** Reads `quantity`, or `total_cash_amount` of an order by amount. */
function parseSize(
  item: FieldValues,
  path: string,
  order: { readonly instrument: Instrument; readonly orderType: string; readonly timeInForce: string },
): Pick<OrderRequest, 'entrustType' | 'quantity' | 'cashCents'> {
  const { instrument, orderType, timeInForce } = order
  const entrustType = requiredOneOf(item, 'entrust_type', ['QTY', 'AMOUNT'] as const, path)
  if (entrustType === 'AMOUNT') {
    const cents = optionalCents(item, 'total_cash_amount', path)
    if (cents === undefined) throw fieldRejection(`${path}total_cash_amount`, 'set for entrust_type AMOUNT')
    if (!isFractionable(instrument)) {
      throw orderRejection(
        'FRACT_TICKER_DONT_SUPPORT_TRADE',
        `${instrument.symbol} cannot be traded by amount`,
      )
    }
    if (orderType !== 'MARKET') throw fieldRejection(`${path}order_type`, 'MARKET for entrust_type AMOUNT')
    return { entrustType, quantity: undefined, cashCents: BigInt(cents) }
  }
  const quantity = optionalQuantity(item, 'quantity', path)
  if (quantity === undefined) throw fieldRejection(`${path}quantity`, 'set for entrust_type QTY')
  requireQuantity(quantity, { instrument, orderType, timeInForce }, path)
  return { entrustType, quantity, cashCents: undefined }
}

/**
 * Checks that a quantity is below the maximum, has a fraction only if that is allowed, and is a multiple of
 * the lot size.
 *
 * @throws TradingRejection
 */
export function requireQuantity(
  quantity: bigint,
  order: { readonly instrument: Instrument; readonly orderType: string; readonly timeInForce: string },
  path: string,
): void {
  const { instrument, orderType, timeInForce } = order
  if (quantity >= QUANTITY_LIMIT) {
    throw orderRejection('ORDER_QUANTITY_EXCEED_LIMIT', `${path}quantity must be below 200000`)
  }
  if (!isWhole(quantity)) {
    const isPlain = (orderType === 'MARKET' || orderType === 'LIMIT') && timeInForce === 'DAY'
    if (!isFractionable(instrument) || !isPlain) {
      throw orderRejection(
        'FRACT_TICKER_DONT_SUPPORT_TRADE',
        `${path}quantity must be whole, except for MARKET and LIMIT orders of US stocks with DAY`,
      )
    }
  }
  const lotSize = getLotSize(instrument)
  if (orderType !== 'ODD_LOT_LIMIT' && quantity % wholeUnits(lotSize) !== 0n && lotSize > 1) {
    throw fieldRejection(`${path}quantity`, `a multiple of the lot size ${lotSize}`)
  }
}

/** Reads the prices that the order type needs. Other prices are ignored. */
function parsePrices(
  item: FieldValues,
  path: string,
  orderType: string,
): Pick<OrderRequest, 'limitCents' | 'stopCents'> {
  const price = (name: string): number => {
    const cents = optionalCents(item, name, path)
    if (cents === undefined) throw fieldRejection(path + name, `set for order_type ${orderType}`)
    return cents
  }
  return {
    limitCents: WITH_LIMIT.test(orderType) ? price('limit_price') : undefined,
    stopCents: WITH_STOP.test(orderType) ? price('stop_price') : undefined,
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/

/**
 * Reads fields that responses return unchanged. Only `expire_date` has another effect: the order expires
 * after this day.
 */
function parseOtherFields(
  item: FieldValues,
  path: string,
  { orderType, timeInForce }: { readonly orderType: string; readonly timeInForce: string },
): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  if (WITH_TRAIL.test(orderType)) {
    fields.trailing_type = requiredOneOf(item, 'trailing_type', ['AMOUNT', 'PERCENTAGE'], path)
    const step = optionalQuantity(item, 'trailing_stop_step', path)
    if (step === undefined)
      throw fieldRejection(`${path}trailing_stop_step`, `set for order_type ${orderType}`)
    fields.trailing_stop_step = requiredText(item, 'trailing_stop_step', path)
  }
  const trigger = optionalOneOf(item, 'trigger_price_type', ['PRICE', 'PRICE_BID', 'PRICE_ASK'], path)
  if (trigger !== undefined) fields.trigger_price_type = trigger
  if (timeInForce === 'GTD') {
    const day = requiredText(item, 'expire_date', path)
    if (!DAY.test(day) || Number.isNaN(Date.parse(day))) {
      throw fieldRejection(`${path}expire_date`, 'a day such as 2026-05-01')
    }
    fields.expire_date = day
  }
  return fields
}

/** A request to replace fields of an order. Fields that do not change are `undefined`. */
export interface ReplaceRequest {
  readonly clientOrderId: string
  readonly quantity: bigint | undefined
  readonly limitCents: number | undefined
  readonly stopCents: number | undefined
  readonly orderType: string | undefined
  readonly timeInForce: string | undefined
}

/** Reads the only item of `modify_orders`. @throws TradingRejection */
export function parseReplace(body: FieldValues): ReplaceRequest {
  const [item = {}] = requiredItems(body, 'modify_orders', 1)
  const path = 'modify_orders[0].'
  return {
    clientOrderId: requiredText(item, 'client_order_id', path),
    quantity: optionalQuantity(item, 'quantity', path),
    limitCents: optionalCents(item, 'limit_price', path),
    stopCents: optionalCents(item, 'stop_price', path),
    orderType: optionalText(item, 'order_type', path),
    timeInForce: optionalText(item, 'time_in_force', path),
  }
}

/** Returns whether an order type has a limit price, and whether it has a stop price. */
export function getPriceFields(orderType: string): { readonly limit: boolean; readonly stop: boolean } {
  return { limit: WITH_LIMIT.test(orderType), stop: WITH_STOP.test(orderType) }
}
