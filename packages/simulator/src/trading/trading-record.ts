/** Orders and holdings in a state file. Decimals are strings. Instruments are identified by their symbols. */
import { isRecord } from '@brokerwire/core/internal'
import type { Instrument, Market } from '../wire/instruments.ts'
import type { Holdings, Position } from './account.ts'
import { ORDER_STATUSES, type TradingOrder } from './order.ts'

/** A change of one account: its holdings, or `null` if they did not change, and the orders that changed. */
export interface TradingRecord {
  readonly kind: 'trading'
  readonly app: string
  readonly accountId: string
  readonly holdings: HoldingsRecord | null
  readonly orders: readonly OrderRecord[]
}

export interface HoldingsRecord {
  readonly cashCents: string
  readonly realizedCents: string
  readonly positions: readonly {
    readonly positionId: string
    readonly symbol: string
    readonly quantity: string
    readonly costCents: string
  }[]
}

type BigFields = 'quantity' | 'filledQuantity' | 'filledCents' | 'commissionCents' | 'feeCents'

export type OrderRecord = Omit<TradingOrder, 'instrument' | 'cashCents' | 'accountId' | BigFields> & {
  readonly symbol: string
  readonly cashCents?: string | undefined
} & { readonly [Name in BigFields]: string }

export function holdingsRecord({ cashCents, realizedCents, positions }: Holdings): HoldingsRecord {
  return {
    cashCents: String(cashCents),
    realizedCents: String(realizedCents),
    positions: [...positions.values()].map(({ positionId, instrument, quantity, costCents }) => ({
      positionId,
      symbol: instrument.symbol,
      quantity: String(quantity),
      costCents: String(costCents),
    })),
  }
}

export function orderRecord({ instrument, cashCents, accountId: _, ...order }: TradingOrder): OrderRecord {
  return {
    ...order,
    symbol: instrument.symbol,
    cashCents: cashCents === undefined ? undefined : String(cashCents),
    quantity: String(order.quantity),
    filledQuantity: String(order.filledQuantity),
    filledCents: String(order.filledCents),
    commissionCents: String(order.commissionCents),
    feeCents: String(order.feeCents),
  }
}

/** Restores cash and positions. Positions in instruments that the app no longer has are omitted. */
export function restoreHoldings(record: HoldingsRecord, market: Market): Holdings {
  const positions = new Map<string, Position>()
  for (const { positionId, symbol, quantity, costCents } of record.positions) {
    const instrument = find(market, symbol)
    if (instrument === undefined) continue
    positions.set(symbol, {
      positionId,
      instrument,
      quantity: BigInt(quantity),
      costCents: BigInt(costCents),
    })
  }
  return { cashCents: BigInt(record.cashCents), realizedCents: BigInt(record.realizedCents), positions }
}

/** Restores an order. Returns `undefined` if the app no longer has the instrument. */
export function restoreOrder(
  record: OrderRecord,
  accountId: string,
  market: Market,
): TradingOrder | undefined {
  const { symbol, cashCents, ...order } = record
  const instrument = find(market, symbol)
  if (instrument === undefined) return undefined
  return {
    ...order,
    accountId,
    instrument,
    cashCents: cashCents === undefined ? undefined : BigInt(cashCents),
    limitCents: order.limitCents,
    stopCents: order.stopCents,
    filledAtMs: order.filledAtMs,
    quantity: BigInt(order.quantity),
    filledQuantity: BigInt(order.filledQuantity),
    filledCents: BigInt(order.filledCents),
    commissionCents: BigInt(order.commissionCents),
    feeCents: BigInt(order.feeCents),
  }
}

function find(market: Market, symbol: string): Instrument | undefined {
  return market.instruments.find((item) => item.symbol === symbol)
}

const INTEGER = /^-?\d{1,40}$/
const isInteger = (value: unknown): boolean => typeof value === 'string' && INTEGER.test(value)
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isInstant = (value: unknown): boolean => Number.isSafeInteger(value)
const isOptional = (isRight: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || isRight(value)
const isTextRecord = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((item) => typeof item === 'string')

type Checks = Readonly<Record<string, (value: unknown) => boolean>>

const POSITION: Checks = { positionId: isText, symbol: isText, quantity: isInteger, costCents: isInteger }
const ORDER: Checks = {
  orderId: isText,
  clientOrderId: isText,
  groupId: isText,
  groupOrderId: (value) => typeof value === 'string',
  comboType: (value) => ['NORMAL', 'MASTER', 'STOP_PROFIT', 'STOP_LOSS'].includes(String(value)),
  symbol: isText,
  side: (value) => ['BUY', 'SELL', 'SHORT'].includes(String(value)),
  orderType: isText,
  entrustType: isText,
  timeInForce: isText,
  session: isText,
  quantity: isInteger,
  cashCents: isOptional(isInteger),
  limitCents: isOptional(isInstant),
  stopCents: isOptional(isInstant),
  otherFields: isTextRecord,
  status: (value) => ORDER_STATUSES.some((status) => status === value),
  isTriggered: (value) => typeof value === 'boolean',
  filledQuantity: isInteger,
  filledCents: isInteger,
  commissionCents: isInteger,
  feeCents: isInteger,
  placedAtMs: isInstant,
  filledAtMs: isOptional(isInstant),
  submitAtMs: isInstant,
  firstStep: isInstant,
  expiresAtMs: isInstant,
}

const passes = (value: unknown, checks: Checks): boolean =>
  isRecord(value) && Object.entries(checks).every(([name, isRight]) => isRight(value[name]))

/** Whether a value is a valid {@link HoldingsRecord} or null. */
export function isHoldingsRecord(value: unknown): boolean {
  if (value === null) return true
  const isRight = passes(value, { cashCents: isInteger, realizedCents: isInteger, positions: Array.isArray })
  return isRight && (value as HoldingsRecord).positions.every((item) => passes(item, POSITION))
}

/** Whether a value is a valid array of {@link OrderRecord}s. */
export function isOrderRecords(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => passes(item, ORDER))
}
