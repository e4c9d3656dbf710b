/**
 * Trade events of some accounts, until stopped: `BROKERWIRE_ACCOUNTS` holds them, separated by commas.
 *
 * Events and notices come in one order. A gap notice says from when to when something may be missing: the service keeps
 * no cursor for trade events, so ask for the orders of that time by HTTP.
 */
import { createBrokerage } from '@brokerwire/client'
import { endWith } from './end-with.ts'
import { readSettings } from './settings.ts'

const accounts = (process.env.BROKERWIRE_ACCOUNTS ?? '').split(',').filter((account) => account !== '')

const at = (ms: number | undefined): string => (ms === undefined ? 'before' : new Date(ms).toISOString())

try {
  await using brokerage = createBrokerage(readSettings())
  const events = brokerage.tradeEvents({ accounts })
  // Leaving ends the loop below as a break in it would.
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
      // Delivered although it cannot be read: `raw` is what came.
      console.log(`unreadable: ${order.error.code}`)
    }
  }
} catch (error) {
  endWith(error)
}
