/**
 * Prints orders and positions of the accounts in `BROKERWIRE_ACCOUNTS` (separated by commas) from one subscription, until stopped.
 *
 * Use it if the service grants one subscription of this kind for each app key. `subscribeType` is 1 (orders) + 2 (positions).
 */
import { createBrokerage } from '@brokerwire/client'
import { endWith } from './end-with.ts'
import { readSettings } from './settings.ts'

const accounts = (process.env.BROKERWIRE_ACCOUNTS ?? '').split(',').filter((account) => account !== '')

try {
  await using brokerage = createBrokerage(readSettings())
  const events = brokerage.accountEvents({ accounts, subscribeType: 3 })
  // `return()` ends the loop below.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => events.return())

  for await (const item of events) {
    if (item.type !== 'event') {
      console.log(`-- ${item.kind}`)
    } else if (item.kind === 'order') {
      const order = item.decode()
      console.log(order.ok ? `order ${order.value.symbol}` : `unreadable order: ${order.error.code}`)
    } else if (item.kind === 'position') {
      const position = item.decode()
      console.log(
        position.ok ? `position ${position.value.quantity}` : `unreadable position: ${position.error.code}`,
      )
    } else {
      console.log(`${item.kind} event: ${item.payload}`)
    }
  }
} catch (error) {
  endWith(error)
}
