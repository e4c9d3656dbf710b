/**
 * The decoders alone, for payloads that come from somewhere else: a queue, a log, another client. Reads JSON payloads of
 * order events from standard input, one a line.
 *
 * Decimals stay exact text: quantities and prices are never rounded by a float.
 */
import { createInterface } from 'node:readline'
import { compareDecimals, formatPath, parseDecimal, payloads } from '@brokerwire/payloads'

/** The event type and content type that the trade stream would have said. */
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
