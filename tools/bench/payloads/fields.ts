/**
 * The fields of a trade event. Every library parses the JSON, checks every field, renames the fields to
 * camelCase, and collects unknown keys separately. The checks of decimals and instants, and the renaming, are
 * shared by all libraries, so that only the libraries differ.
 */
import { isDecimal } from '../../../packages/payloads/src/values/decimal-text.ts'
import { isInstant } from '../../../packages/payloads/src/values/instant-text.ts'

export { isDecimal, isInstant }

/** The names of the fields, in one list for each type. */
export const TEXTS = [
  'account_id',
  'request_id',
  'client_order_id',
  'instrument_id',
  'order_status',
  'symbol',
  'short_name',
  'side',
  'category',
  'order_type',
] as const
export const OPTIONAL_TEXTS = ['order_id', 'scene_type'] as const
export const DECIMALS = ['qty', 'filled_price', 'filled_qty'] as const
export const OPTIONAL_DECIMALS = ['actual_commission', 'receivable_commission'] as const
export const OPTIONAL_INSTANTS = ['filled_time'] as const
export const FEE_TEXTS = ['type'] as const
export const FEE_DECIMALS = ['actual_value', 'receivable_value'] as const

/** Creates an object that has the same schema under each name. */
export function each<const N extends readonly string[], T>(names: N, item: T): { [K in N[number]]: T } {
  return Object.fromEntries(names.map((name) => [name, item])) as { [K in N[number]]: T }
}

const FEE_NAMES = new Set<string>([...FEE_TEXTS, ...FEE_DECIMALS])
const NAMES = new Set<string>([
  ...TEXTS,
  ...OPTIONAL_TEXTS,
  ...DECIMALS,
  ...OPTIONAL_DECIMALS,
  ...OPTIONAL_INSTANTS,
  'fees',
])

interface CheckedFee {
  readonly type: string
  readonly actual_value: string
  readonly receivable_value: string
}

/** A payload that a library has accepted. */
export interface Checked {
  readonly [name: string]: unknown
  readonly fees?: readonly CheckedFee[] | undefined
}

const NO_EXTRA = Object.freeze({})

function extraOf(value: object, names: ReadonlySet<string>): object {
  let extra: Record<string, unknown> | undefined
  for (const key in value) {
    if (names.has(key)) continue
    extra ??= {}
    extra[key] = (value as Record<string, unknown>)[key]
  }
  return extra ?? NO_EXTRA
}

function renameFee(fee: CheckedFee): object {
  return {
    type: fee.type,
    actualValue: fee.actual_value,
    receivableValue: fee.receivable_value,
    extra: extraOf(fee, FEE_NAMES),
  }
}

/** Creates the event from a payload that a library has accepted. */
export function rename(value: Checked, raw: string): object {
  const output: Record<string, unknown> = {
    accountId: value.account_id,
    requestId: value.request_id,
    clientOrderId: value.client_order_id,
    instrumentId: value.instrument_id,
    orderStatus: value.order_status,
    symbol: value.symbol,
    shortName: value.short_name,
    qty: value.qty,
    filledPrice: value.filled_price,
    filledQty: value.filled_qty,
    side: value.side,
    category: value.category,
    orderType: value.order_type,
    extra: extraOf(value, NAMES),
    raw,
  }
  if (value.order_id !== undefined) output.orderId = value.order_id
  if (value.scene_type !== undefined) output.sceneType = value.scene_type
  if (value.filled_time !== undefined) output.filledTime = value.filled_time
  if (value.actual_commission !== undefined) output.actualCommission = value.actual_commission
  if (value.receivable_commission !== undefined) output.receivableCommission = value.receivable_commission
  if (value.fees !== undefined) output.fees = value.fees.map(renameFee)
  return output
}
