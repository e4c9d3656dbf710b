/**
 * Decodes payloads from another source, such as a queue, a log or another client. The program reads JSON payloads of order events
 * from standard input, one per line.
 *
 * Decimals stay exact strings, so that quantities and prices are never rounded.
 */
import { createInterface } from 'node:readline'
import { compareDecimals, formatPath, parseDecimal, payloads } from '@brokerwire/payloads'

/** The event type and content type of order events on the trade stream. */
const FRAME = { eventType: 1024, contentType: 'application/json' }
const zero = parseDecimal('0')

for await (const payload of createInterface({ input: process.stdin })) {
  const order = payloads.order({ ...FRAME, payload })
  if (!order.ok) {
    console.log(`unreadable: ${order.error.code}`)
    continue
  }
  const { symbol, orderStatus, qty, filledQty } = order.value
  const isFilling =
    zero !== undefined && filledQty !== undefined && compareDecimals(filledQty, zero) > 0 ? ', filling' : ''
  console.log(`${symbol} ${orderStatus}: ${filledQty ?? '0'} of ${qty}${isFilling}`)
  for (const issue of order.issues) console.log(`  ${formatPath(issue.path)}: ${issue.code}`)
}
