import { expect, test } from 'vitest'
import { payloads } from '../index.ts'
import { type SummarizedEvent, summarizeEvent } from './summary.ts'

const ORDER = {
  account_id: 'ACCOUNT1234567890',
  request_id: 'r',
  order_id: '998877665544',
  client_order_id: 'c',
  instrument_id: 'i',
  order_status: 'FILLED',
  symbol: 'AAPL',
  short_name: 'Apple',
  qty: '10.0000000000',
  filled_price: '187.2500000000',
  filled_qty: '0E-10',
  filled_time: '2026-01-02T03:04:05.678+0000',
  actual_commission: '0.00',
  receivable_commission: '0.00',
  side: 'BUY',
  scene_type: 'FINAL_FILLED',
  category: 'US_STOCK',
  order_type: 'LIMIT',
  fees: [],
}
const SETTLEMENT = {
  event_name: 'Rain?',
  yes_condition: 'more than 1 mm',
  settle_result: 'YES',
  settle_side: 'YES',
  quantity: '1.2E+1',
  cost: '3.10',
  settle_amount: '0E-10',
}

const tradeFrame = (eventType: number, payload: unknown) => ({
  eventType,
  contentType: 'application/json',
  payload: JSON.stringify(payload),
})
const order = (payload: unknown): SummarizedEvent => ({
  service: 'trade',
  kind: 'order',
  decode: () => payloads.order(tradeFrame(1024, payload)),
})
const position = (payload: unknown): SummarizedEvent => ({
  service: 'trade',
  kind: 'position',
  decode: () => payloads.position(tradeFrame(1028, payload)),
})
const unknown = (payload: unknown): SummarizedEvent => ({
  service: 'trade',
  kind: 'unknown',
  eventType: 2048,
  decode: () => payloads.unknown(tradeFrame(2048, payload)),
})
const moduleEvent = (eventType: string, payload: unknown): SummarizedEvent => ({
  service: 'module',
  kind: 'module',
  decode: () =>
    payloads.module({
      id: 'i',
      eventType,
      position: '',
      timestamp: '2026-01-02T03:04:05Z',
      version: '1',
      payload: JSON.stringify(payload),
    }),
})

test('the summary of an order has shortened identifiers, and decimals without exponents and trailing zeros', () => {
  expect(summarizeEvent(order(ORDER))).toEqual({
    name: 'filled',
    tone: 'good',
    text: 'filled BUY 10 AAPL LIMIT, 0 at 187.25 (order \u2026665544, account \u2026567890)',
  })
})

test('names of orders and positions are padded, so that lines are aligned', () => {
  const options = { nameWidth: 14 }
  expect(summarizeEvent(order(ORDER), options).text).toMatch(/^filled {9}BUY 10 AAPL/)
  expect(summarizeEvent(position(SETTLEMENT), options).text).toMatch(/^settled {8}Rain\?/)
})

test('decimals in the summary of a settlement have no exponents', () => {
  expect(summarizeEvent(position(SETTLEMENT)).text).toBe('settled Rain? (more than 1 mm): YES; 12 YES for 0')
})

test('decimals in the summary of other events have no exponents, but symbols may', () => {
  const fields = { amount: '0E-10', fee: '1.50E+2', left: '1E+999', symbol: '1E5', total: 7, list: [1, 2] }
  expect(summarizeEvent(unknown(fields)).text).toBe(
    `code 2048: amount=0 fee=150 left=1${'0'.repeat(31)}... symbol=1E5 total=7 list=[2]`,
  )
  const transfer = moduleEvent('FUNDING', {
    biz_type: 'OTHER',
    payload: { amount: '0E-10', currency: 'USD' },
  })
  expect(summarizeEvent(transfer)).toEqual({
    name: 'FUNDING',
    tone: 'module',
    text: 'FUNDING: amount=0 currency=USD',
  })
})

test('the summary of an event that cannot be decoded has the reason', () => {
  const summary = summarizeEvent(order('text'), { nameWidth: 20 })
  expect(summary).toMatchObject({ name: 'not decodable', tone: 'bad' })
  expect(summary.text).toMatch(/^not decodable: \S/)
})
