/** The fields of an order in a request, and the checks of several fields together. */
import type { RateLimits } from '@brokerwire/core'
import type { OptionFailure } from '@brokerwire/core/internal'
import { field, type InputOf } from '../fields.ts'

/** Letters, digits, hyphens and underscores. A guide of the service allows only letters and digits. */
const CLIENT_ID = { pattern: /^[\w-]{1,32}$/, expected: '1 to 32 letters, digits, "-" or "_"' }
const WHOLE_PERCENT = { pattern: /^(?:[1-9]|1\d|20)$/, expected: 'a whole number from "1" to "20"' }
const TIME_OF_DAY = { pattern: /^\d\d:\d\d:\d\d$/, expected: 'a time such as "09:30:00"' }

/** The identifier that you choose for an order. */
export const clientOrderId = field.string(CLIENT_ID)

/** Side of an order. */
const side = field.oneOf('BUY', 'SELL', 'SHORT')
const market = field.oneOf('US', 'HK', 'CN', 'JP')

const leg = field.object({
  side,
  symbol: field.string(),
  market,
  instrumentType: field.oneOf('OPTION', 'EQUITY'),
  quantity: field.optional(field.decimal),
  strikePrice: field.optional(field.decimal),
  optionExpireDate: field.optional(field.date),
  optionType: field.optional(field.oneOf('CALL', 'PUT')),
})

/** Fields of an order that a replacement can change too. */
export const CHANGEABLE = {
  quantity: field.optional(field.decimal),
  limitPrice: field.optional(field.decimal),
  stopPrice: field.optional(field.decimal),
  trailingType: field.optional(field.oneOf('AMOUNT', 'PERCENTAGE')),
  trailingStopStep: field.optional(field.decimal),
  trailingLimitPriceOffset: field.optional(field.decimal, { family: 'current' }),
  trailingLimitPrice: field.optional(field.decimal, { family: 'openapi' }),
  triggerPriceType: field.optional(field.oneOf('PRICE', 'PRICE_BID', 'PRICE_ASK')),
  expireDate: field.optional(field.date),
  targetVolPercent: field.optional(field.string(WHOLE_PERCENT)),
  maxTargetPercent: field.optional(field.string(WHOLE_PERCENT)),
  algoStartTime: field.optional(field.string(TIME_OF_DAY)),
  algoEndTime: field.optional(field.string(TIME_OF_DAY)),
}

/** The order types of all regions. */
export const orderType = field.oneOf(
  'MARKET',
  'LIMIT',
  'STOP_LOSS',
  'STOP_LOSS_LIMIT',
  'TRAILING_STOP_LOSS',
  'TRAILING_STOP_LOSS_LIMIT',
  'TOUCH_MKT',
  'TOUCH_LMT',
  'MARKET_ON_OPEN',
  'MARKET_ON_CLOSE',
  'LIMIT_ON_OPEN',
  'ENHANCED_LIMIT',
  'AT_AUCTION',
  'AT_AUCTION_LIMIT',
  'ODD_LOT_LIMIT',
)

export const timeInForce = field.oneOf('DAY', 'GTC', 'GTD', 'IOC', 'FOK')

const ORDER = {
  clientOrderId,
  comboType: field.oneOf('NORMAL', 'MASTER', 'STOP_PROFIT', 'STOP_LOSS', 'OTO', 'OCO', 'OTOCO'),
  instrumentType: field.oneOf('EQUITY', 'OPTION', 'FUTURES', 'CRYPTO', 'EVENT'),
  market,
  symbol: field.string(),
  side,
  orderType,
  entrustType: field.oneOf('QTY', 'AMOUNT'),
  timeInForce,
  supportTradingSession: field.optional(field.oneOf('CORE', 'ALL', 'NIGHT', 'ALL_DAY')),
  ...CHANGEABLE,
  positionIntent: field.optional(field.oneOf('BUY_TO_OPEN', 'BUY_TO_CLOSE', 'SELL_TO_OPEN', 'SELL_TO_CLOSE')),
  optionStrategy: field.optional(
    field.oneOf(
      'SINGLE',
      'COVERED_STOCK',
      'STRADDLE',
      'STRANGLE',
      'VERTICAL',
      'CALENDAR',
      'BUTTERFLY',
      'CONDOR',
      'COLLAR_WITH_STOCK',
      'IRON_BUTTERFLY',
      'IRON_CONDOR',
      'DIAGONAL',
    ),
  ),
  legs: field.optional(field.array(leg, [1, 10])),
  legInOrOut: field.optional(field.oneOf('LEG_IN', 'LEG_OUT')),
  positionId: field.optional(field.string()),
  legInStrategy: field.optional(field.string()),
  algoType: field.optional(field.oneOf('TWAP', 'VWAP', 'POV')),
  eventOutcome: field.optional(field.oneOf('yes', 'no')),
  eventTradeMode: field.optional(field.oneOf('TRADE_IN_AMOUNT', 'TRADE_IN_CONTRACT')),
  senderSubId: field.optional(field.string()),
  noPartyIds: field.optional(
    field.array(
      field.object({
        partyId: field.string(),
        partyIdSource: field.string(),
        partyRole: field.optional(field.string()),
      }),
      [1, 10],
    ),
  ),
  accountTaxType: field.optional(field.oneOf('GENERAL', 'SPECIFIC'), { confidence: 'official-client' }),
  marginType: field.optional(field.oneOf('ONE_DAY', 'INDEFINITE'), { confidence: 'official-client' }),
  closeContracts: field.optional(
    field.array(field.object({ contractId: field.string(), quantity: field.decimal }), [1, 10]),
    { confidence: 'official-client' },
  ),
  tradeCurrency: field.optional(field.string(), { confidence: 'official-client' }),
}

/** Fields of a request to place orders. */
export const PLACE_FIELDS = {
  accountId: field.string(),
  newOrders: field.array(field.object({ ...ORDER, totalCashAmount: field.optional(field.decimal) }), [1, 7]),
  clientComboOrderId: field.optional(field.string(CLIENT_ID)),
}

/** Fields of a request to preview orders. */
export const PREVIEW_FIELDS = {
  accountId: field.string(),
  newOrders: field.array(
    field.object({
      ...ORDER,
      currentAsk: field.optional(field.decimal),
      currentBid: field.optional(field.decimal),
    }),
    [1, 7],
  ),
  clientComboOrderId: field.optional(field.string(CLIENT_ID)),
}

/** One order of {@link placeOrder}. */
export type NewOrder = InputOf<typeof PLACE_FIELDS>['newOrders'][number]

/** Fields of a request to place several independent orders. */
export const BATCH_FIELDS = {
  accountId: field.string(),
  batchOrders: field.array(
    field.object({
      clientOrderId,
      comboType: field.oneOf('NORMAL'),
      instrumentType: field.oneOf('EQUITY'),
      market: field.oneOf('US'),
      symbol: field.string(),
      side: field.oneOf('BUY', 'SELL'),
      orderType: field.oneOf('MARKET', 'LIMIT'),
      entrustType: field.oneOf('QTY'),
      timeInForce: field.oneOf('DAY'),
      supportTradingSession: field.oneOf('CORE', 'ALL', 'NIGHT'),
      quantity: field.decimal,
      limitPrice: field.optional(field.decimal),
    }),
    [1, 50],
  ),
}

/** One order of {@link batchPlaceOrders}. */
export type BatchOrder = InputOf<typeof BATCH_FIELDS>['batchOrders'][number]

const LIMIT = ['limitPrice'] as const
const STOP = ['stopPrice'] as const
const TRAILING = ['trailingType', 'trailingStopStep'] as const

/** Price fields that a documented order type needs. The service decides about other types. */
const PRICE_FIELDS: Readonly<Record<string, readonly (keyof NewOrder)[]>> = {
  LIMIT,
  ENHANCED_LIMIT: LIMIT,
  AT_AUCTION_LIMIT: LIMIT,
  STOP_LOSS: STOP,
  TOUCH_MKT: STOP,
  STOP_LOSS_LIMIT: [...LIMIT, ...STOP],
  TOUCH_LMT: [...LIMIT, ...STOP],
  TRAILING_STOP_LOSS: TRAILING,
  TRAILING_STOP_LOSS_LIMIT: TRAILING,
}

type OrderFields = Pick<NewOrder, 'orderType' | 'entrustType' | 'eventTradeMode'> &
  Partial<Readonly<Record<string, unknown>>>

/**
 * Checks that each order has the price and the quantity that its type needs. An order with `eventTradeMode` needs
 * neither, because it takes the best price.
 *
 * @param list - Name of the field with the orders.
 */
export function checkOrders(list: string, orders: readonly OrderFields[], fail: OptionFailure): void {
  orders.forEach((order, index) => {
    const { orderType, entrustType, eventTradeMode } = order
    if (eventTradeMode !== undefined) return
    const prices = Object.hasOwn(PRICE_FIELDS, orderType) ? PRICE_FIELDS[orderType] : []
    const size = { QTY: ['quantity'], AMOUNT: ['totalCashAmount'] }[entrustType as string] ?? []
    for (const name of [...(prices ?? []), ...size]) {
      if (order[name] === undefined || order[name] === null)
        throw fail(
          `${list}[${index}].${name}`,
          'set',
          'undefined',
          `${list}[${index}].${name} must be set for orderType "${orderType}" with entrustType "${entrustType}"`,
        )
    }
  })
}

/**
 * Returns the header `category`, which official clients send: market and instrument type of the first order,
 * or of the option leg of that order.
 */
export function categoryHeader([first]: readonly Pick<
  NewOrder,
  'market' | 'instrumentType' | 'legs'
>[]): Readonly<Record<string, string>> {
  const subject = first?.legs?.find(({ instrumentType }) => instrumentType === 'OPTION') ?? first
  return subject === undefined ? {} : { category: `${subject.market}_${subject.instrumentType}` }
}

const HK_US: RateLimits['hk'] = { limit: 15, windowMs: 1000, counter: 'us' }

/**
 * Returns the limits for placing, replacing and cancelling orders. In the HK region they are 15 requests a second for
 * US stocks, and 1 a second for HK and CN stocks.
 */
export const orderLimits = (market: string | undefined): RateLimits => ({
  us: { limit: 600, windowMs: 60_000 },
  hk: market === 'HK' || market === 'CN' ? { limit: 1, windowMs: 1000, counter: 'hk' } : HK_US,
})
