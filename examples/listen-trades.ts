/**
 * Prints trade events of the accounts in `BROKERWIRE_ACCOUNTS` (separated by commas), until stopped.
 *
 * Events and notices arrive in order. A gap notice has the time range in which events may be missing. Trade events have no cursor, so
 * request the orders of that time over HTTP.
 */
import { createBrokerage } from '@brokerwire/client'
import { endWith } from './end-with.ts'
import { readSettings } from './settings.ts'

const accounts = (process.env.BROKERWIRE_ACCOUNTS ?? '').split(',').filter((account) => account !== '')

const at = (ms: number | undefined): string => (ms === undefined ? 'before' : new Date(ms).toISOString())

try {
  await using brokerage = createBrokerage(readSettings())
  const events = brokerage.tradeEvents({ accounts })
  // `return()` ends the loop below, like `break`.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => events.return())

  for await (const item of events) {
    if (item.type === 'notice') {
      console.log(
        item.kind === 'gap' ? `-- gap from ${at(item.fromMs)} to ${at(item.toMs)}` : `-- ${item.kind}`,
      )
      continue
    }
    if (item.type === 'undecodable') {
      console.log(`-- a message of ${item.length} bytes cannot be decoded: ${item.message}`)
      continue
    }
    if (item.kind !== 'order') {
      console.log(`${item.kind} event`)
      continue
    }
    const order = item.decode()
    if (order.ok) {
      const { symbol, sceneType, orderStatus, filledQty } = order.value
      console.log(`${symbol}: ${sceneType ?? orderStatus}, ${filledQty ?? '0'} filled`)
    } else {
      // The payload cannot be decoded. `raw` contains the payload as it was received.
      console.log(`unreadable: ${order.error.code}`)
    }
  }
} catch (error) {
  endWith(error)
}
