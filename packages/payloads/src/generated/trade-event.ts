/** Generated from the definitions by `pnpm generate payloads`. Do not edit. */
import { isRecord } from '@brokerwire/core/internal'
import { collectExtra } from '../combinators/extra.ts'
import type { JsonText } from '../exact-values.ts'
import { fastList } from '../fast-path.ts'
import { isDecimal } from '../values/decimal-text.ts'
import { isInstant } from '../values/instant-text.ts'

const read2Names = new Set(['type', 'actual_value', 'receivable_value'])
function read2(value: unknown, json: JsonText): object | undefined {
  if (!isRecord(value)) return undefined
  const typeWire = value.type
  const actualValueWire = value.actual_value
  const receivableValueWire = value.receivable_value
  if (
    typeof typeWire !== 'string' ||
    typeof actualValueWire !== 'string' ||
    !isDecimal(actualValueWire) ||
    typeof receivableValueWire !== 'string' ||
    !isDecimal(receivableValueWire)
  )
    return undefined
  const extra = collectExtra(value, 3, read2Names, json)
  if (extra === undefined) return undefined
  const output: Record<string, unknown> = {
    type: typeWire,
    actualValue: actualValueWire,
    receivableValue: receivableValueWire,
    extra,
  }
  return output
}
const read1Names = new Set([
  'account_id',
  'request_id',
  'order_id',
  'client_order_id',
  'instrument_id',
  'order_status',
  'symbol',
  'short_name',
  'qty',
  'filled_price',
  'filled_qty',
  'side',
  'category',
  'order_type',
  'scene_type',
  'filled_time',
  'actual_commission',
  'receivable_commission',
  'fees',
])
function read1(value: unknown, json: JsonText): object | undefined {
  if (!isRecord(value)) return undefined
  const accountIdWire = value.account_id
  const requestIdWire = value.request_id
  const orderIdWire = value.order_id
  const clientOrderIdWire = value.client_order_id
  const instrumentIdWire = value.instrument_id
  const orderStatusWire = value.order_status
  const symbolWire = value.symbol
  const shortNameWire = value.short_name
  const qtyWire = value.qty
  const filledPriceWire = value.filled_price
  const filledQtyWire = value.filled_qty
  const sideWire = value.side
  const categoryWire = value.category
  const orderTypeWire = value.order_type
  const sceneTypeWire = value.scene_type
  const filledTimeWire = value.filled_time
  const actualCommissionWire = value.actual_commission
  const receivableCommissionWire = value.receivable_commission
  const feesWire = value.fees
  if (
    typeof accountIdWire !== 'string' ||
    typeof requestIdWire !== 'string' ||
    (orderIdWire !== undefined && typeof orderIdWire !== 'string') ||
    typeof clientOrderIdWire !== 'string' ||
    typeof instrumentIdWire !== 'string' ||
    typeof orderStatusWire !== 'string' ||
    typeof symbolWire !== 'string' ||
    typeof shortNameWire !== 'string' ||
    typeof qtyWire !== 'string' ||
    !isDecimal(qtyWire) ||
    typeof filledPriceWire !== 'string' ||
    !isDecimal(filledPriceWire) ||
    typeof filledQtyWire !== 'string' ||
    !isDecimal(filledQtyWire) ||
    typeof sideWire !== 'string' ||
    typeof categoryWire !== 'string' ||
    typeof orderTypeWire !== 'string' ||
    (sceneTypeWire !== undefined && typeof sceneTypeWire !== 'string') ||
    (filledTimeWire !== undefined && (typeof filledTimeWire !== 'string' || !isInstant(filledTimeWire))) ||
    (actualCommissionWire !== undefined &&
      (typeof actualCommissionWire !== 'string' || !isDecimal(actualCommissionWire))) ||
    (receivableCommissionWire !== undefined &&
      (typeof receivableCommissionWire !== 'string' || !isDecimal(receivableCommissionWire)))
  )
    return undefined
  const fees = feesWire === undefined ? undefined : fastList(feesWire, json, read2)
  if (fees === undefined && feesWire !== undefined) return undefined
  const extra = collectExtra(
    value,
    13 +
      (orderIdWire === undefined ? 0 : 1) +
      (sceneTypeWire === undefined ? 0 : 1) +
      (filledTimeWire === undefined ? 0 : 1) +
      (actualCommissionWire === undefined ? 0 : 1) +
      (receivableCommissionWire === undefined ? 0 : 1) +
      (feesWire === undefined ? 0 : 1),
    read1Names,
    json,
  )
  if (extra === undefined) return undefined
  const output: Record<string, unknown> = {
    accountId: accountIdWire,
    requestId: requestIdWire,
    clientOrderId: clientOrderIdWire,
    instrumentId: instrumentIdWire,
    orderStatus: orderStatusWire,
    symbol: symbolWire,
    shortName: shortNameWire,
    qty: qtyWire,
    filledPrice: filledPriceWire,
    filledQty: filledQtyWire,
    side: sideWire,
    category: categoryWire,
    orderType: orderTypeWire,
    extra,
  }
  if (orderIdWire !== undefined) output.orderId = orderIdWire
  if (sceneTypeWire !== undefined) output.sceneType = sceneTypeWire
  if (filledTimeWire !== undefined) output.filledTime = filledTimeWire
  if (actualCommissionWire !== undefined) output.actualCommission = actualCommissionWire
  if (receivableCommissionWire !== undefined) output.receivableCommission = receivableCommissionWire
  if (feesWire !== undefined) output.fees = fees
  return output
}
const read3Names = new Set([
  'account_id',
  'request_id',
  'order_id',
  'client_order_id',
  'instrument_id',
  'order_status',
  'symbol',
  'short_name',
  'qty',
  'filled_price',
  'filled_qty',
  'side',
  'category',
  'order_type',
  'scene_type',
  'filled_time',
  'actual_commission',
  'receivable_commission',
  'fees',
])
function read3(value: unknown, json: JsonText): object | undefined {
  if (!isRecord(value)) return undefined
  const accountIdWire = value.account_id
  const requestIdWire = value.request_id
  const orderIdWire = value.order_id
  const clientOrderIdWire = value.client_order_id
  const instrumentIdWire = value.instrument_id
  const orderStatusWire = value.order_status
  const symbolWire = value.symbol
  const shortNameWire = value.short_name
  const qtyWire = value.qty
  const filledPriceWire = value.filled_price
  const filledQtyWire = value.filled_qty
  const sideWire = value.side
  const categoryWire = value.category
  const orderTypeWire = value.order_type
  const sceneTypeWire = value.scene_type
  const filledTimeWire = value.filled_time
  const actualCommissionWire = value.actual_commission
  const receivableCommissionWire = value.receivable_commission
  const feesWire = value.fees
  if (
    typeof accountIdWire !== 'string' ||
    typeof requestIdWire !== 'string' ||
    (orderIdWire !== undefined && typeof orderIdWire !== 'string') ||
    typeof clientOrderIdWire !== 'string' ||
    typeof instrumentIdWire !== 'string' ||
    typeof orderStatusWire !== 'string' ||
    typeof symbolWire !== 'string' ||
    typeof shortNameWire !== 'string' ||
    typeof qtyWire !== 'string' ||
    !isDecimal(qtyWire) ||
    typeof filledPriceWire !== 'string' ||
    !isDecimal(filledPriceWire) ||
    typeof filledQtyWire !== 'string' ||
    !isDecimal(filledQtyWire) ||
    typeof sideWire !== 'string' ||
    typeof categoryWire !== 'string' ||
    typeof orderTypeWire !== 'string' ||
    (sceneTypeWire !== 'FILLED' && sceneTypeWire !== 'FINAL_FILLED') ||
    typeof filledTimeWire !== 'string' ||
    !isInstant(filledTimeWire) ||
    typeof actualCommissionWire !== 'string' ||
    !isDecimal(actualCommissionWire) ||
    typeof receivableCommissionWire !== 'string' ||
    !isDecimal(receivableCommissionWire)
  )
    return undefined
  const fees = fastList(feesWire, json, read2)
  if (fees === undefined) return undefined
  const extra = collectExtra(value, 18 + (orderIdWire === undefined ? 0 : 1), read3Names, json)
  if (extra === undefined) return undefined
  const output: Record<string, unknown> = {
    accountId: accountIdWire,
    requestId: requestIdWire,
    clientOrderId: clientOrderIdWire,
    instrumentId: instrumentIdWire,
    orderStatus: orderStatusWire,
    symbol: symbolWire,
    shortName: shortNameWire,
    qty: qtyWire,
    filledPrice: filledPriceWire,
    filledQty: filledQtyWire,
    side: sideWire,
    category: categoryWire,
    orderType: orderTypeWire,
    sceneType: sceneTypeWire,
    filledTime: filledTimeWire,
    actualCommission: actualCommissionWire,
    receivableCommission: receivableCommissionWire,
    fees: fees,
    extra,
  }
  if (orderIdWire !== undefined) output.orderId = orderIdWire
  return output
}
const read4Names = new Set([
  'account_id',
  'request_id',
  'order_id',
  'client_order_id',
  'instrument_id',
  'order_status',
  'symbol',
  'short_name',
  'qty',
  'filled_price',
  'filled_qty',
  'side',
  'category',
  'order_type',
  'scene_type',
  'actual_commission',
  'receivable_commission',
  'fees',
])
function read4(value: unknown, json: JsonText): object | undefined {
  if (!isRecord(value)) return undefined
  const accountIdWire = value.account_id
  const requestIdWire = value.request_id
  const orderIdWire = value.order_id
  const clientOrderIdWire = value.client_order_id
  const instrumentIdWire = value.instrument_id
  const orderStatusWire = value.order_status
  const symbolWire = value.symbol
  const shortNameWire = value.short_name
  const qtyWire = value.qty
  const filledPriceWire = value.filled_price
  const filledQtyWire = value.filled_qty
  const sideWire = value.side
  const categoryWire = value.category
  const orderTypeWire = value.order_type
  const sceneTypeWire = value.scene_type
  const actualCommissionWire = value.actual_commission
  const receivableCommissionWire = value.receivable_commission
  const feesWire = value.fees
  if (
    typeof accountIdWire !== 'string' ||
    typeof requestIdWire !== 'string' ||
    (orderIdWire !== undefined && typeof orderIdWire !== 'string') ||
    typeof clientOrderIdWire !== 'string' ||
    typeof instrumentIdWire !== 'string' ||
    typeof orderStatusWire !== 'string' ||
    typeof symbolWire !== 'string' ||
    typeof shortNameWire !== 'string' ||
    typeof qtyWire !== 'string' ||
    !isDecimal(qtyWire) ||
    typeof filledPriceWire !== 'string' ||
    !isDecimal(filledPriceWire) ||
    typeof filledQtyWire !== 'string' ||
    !isDecimal(filledQtyWire) ||
    typeof sideWire !== 'string' ||
    typeof categoryWire !== 'string' ||
    typeof orderTypeWire !== 'string' ||
    (sceneTypeWire !== 'MODIFY_SUCCESS' && sceneTypeWire !== 'CANCEL_SUCCESS') ||
    typeof actualCommissionWire !== 'string' ||
    !isDecimal(actualCommissionWire) ||
    typeof receivableCommissionWire !== 'string' ||
    !isDecimal(receivableCommissionWire)
  )
    return undefined
  const fees = fastList(feesWire, json, read2)
  if (fees === undefined) return undefined
  const extra = collectExtra(value, 17 + (orderIdWire === undefined ? 0 : 1), read4Names, json)
  if (extra === undefined) return undefined
  const output: Record<string, unknown> = {
    accountId: accountIdWire,
    requestId: requestIdWire,
    clientOrderId: clientOrderIdWire,
    instrumentId: instrumentIdWire,
    orderStatus: orderStatusWire,
    symbol: symbolWire,
    shortName: shortNameWire,
    qty: qtyWire,
    filledPrice: filledPriceWire,
    filledQty: filledQtyWire,
    side: sideWire,
    category: categoryWire,
    orderType: orderTypeWire,
    sceneType: sceneTypeWire,
    actualCommission: actualCommissionWire,
    receivableCommission: receivableCommissionWire,
    fees: fees,
    extra,
  }
  if (orderIdWire !== undefined) output.orderId = orderIdWire
  return output
}
const read5Names = new Set([
  'account_id',
  'request_id',
  'order_id',
  'client_order_id',
  'instrument_id',
  'order_status',
  'symbol',
  'short_name',
  'qty',
  'filled_price',
  'filled_qty',
  'side',
  'category',
  'order_type',
  'scene_type',
])
function read5(value: unknown, json: JsonText): object | undefined {
  if (!isRecord(value)) return undefined
  const accountIdWire = value.account_id
  const requestIdWire = value.request_id
  const orderIdWire = value.order_id
  const clientOrderIdWire = value.client_order_id
  const instrumentIdWire = value.instrument_id
  const orderStatusWire = value.order_status
  const symbolWire = value.symbol
  const shortNameWire = value.short_name
  const qtyWire = value.qty
  const filledPriceWire = value.filled_price
  const filledQtyWire = value.filled_qty
  const sideWire = value.side
  const categoryWire = value.category
  const orderTypeWire = value.order_type
  const sceneTypeWire = value.scene_type
  if (
    typeof accountIdWire !== 'string' ||
    typeof requestIdWire !== 'string' ||
    (orderIdWire !== undefined && typeof orderIdWire !== 'string') ||
    typeof clientOrderIdWire !== 'string' ||
    typeof instrumentIdWire !== 'string' ||
    typeof orderStatusWire !== 'string' ||
    typeof symbolWire !== 'string' ||
    typeof shortNameWire !== 'string' ||
    typeof qtyWire !== 'string' ||
    !isDecimal(qtyWire) ||
    typeof filledPriceWire !== 'string' ||
    !isDecimal(filledPriceWire) ||
    typeof filledQtyWire !== 'string' ||
    !isDecimal(filledQtyWire) ||
    typeof sideWire !== 'string' ||
    typeof categoryWire !== 'string' ||
    typeof orderTypeWire !== 'string' ||
    sceneTypeWire !== 'PLACE_FAILED'
  )
    return undefined
  const extra = collectExtra(value, 14 + (orderIdWire === undefined ? 0 : 1), read5Names, json)
  if (extra === undefined) return undefined
  const output: Record<string, unknown> = {
    accountId: accountIdWire,
    requestId: requestIdWire,
    clientOrderId: clientOrderIdWire,
    instrumentId: instrumentIdWire,
    orderStatus: orderStatusWire,
    symbol: symbolWire,
    shortName: shortNameWire,
    qty: qtyWire,
    filledPrice: filledPriceWire,
    filledQty: filledQtyWire,
    side: sideWire,
    category: categoryWire,
    orderType: orderTypeWire,
    sceneType: sceneTypeWire,
    extra,
  }
  if (orderIdWire !== undefined) output.orderId = orderIdWire
  return output
}
/** Reads a clean payload. */
export function readTradeEvent(value: unknown, json: JsonText): object | undefined {
  if (!isRecord(value)) return undefined
  switch (value.scene_type) {
    case 'FILLED':
      return read3(value, json)
    case 'FINAL_FILLED':
      return read3(value, json)
    case 'MODIFY_SUCCESS':
      return read4(value, json)
    case 'CANCEL_SUCCESS':
      return read4(value, json)
    case 'PLACE_FAILED':
      return read5(value, json)
    default:
      return read1(value, json)
  }
}
