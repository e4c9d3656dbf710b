import { payloads } from '@brokerwire/payloads'
import { expect, test } from 'vitest'
import { type DescribedEvent, eventLine } from './event-line.ts'

test('an order names its order and its account by their ends, and decimals without trailing zeros', () => {
  const payload = JSON.stringify({
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
  })
  const frame = { eventType: 1024, contentType: 'application/json', payload }
  const item = { kind: 'order', service: 'trade', eventType: 1024, decode: () => payloads.order(frame) }
  expect(eventLine(item as DescribedEvent, 0).text).toBe(
    'filled         BUY 10 AAPL LIMIT, 0 at 187.25 (order \u2026665544, account \u2026567890)',
  )
})
