/**
 * Prints order events of the accounts in `BROKERWIRE_ACCOUNTS` (separated by commas), with the package `streams` alone, until stopped.
 *
 * Trade events have no position. So each gap notice has the time for which you query the orders.
 */
import { createSigner } from '@brokerwire/signer'
import { createStreams } from '@brokerwire/streams'

const { BROKERWIRE_APP_KEY = '', BROKERWIRE_APP_SECRET = '', BROKERWIRE_ACCOUNTS = '' } = process.env
const signer = createSigner({ appKey: BROKERWIRE_APP_KEY, appSecret: BROKERWIRE_APP_SECRET })
const streams = createStreams({
  signer,
  eventsUrl: process.env.BROKERWIRE_EVENTS_URL ?? 'https://events-api.example.com',
})
const events = streams.tradeEvents({ accounts: BROKERWIRE_ACCOUNTS.split(',') })
// `return()` ends the loop below, like `break`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => events.return())

const at = (ms: number | undefined): string => (ms === undefined ? 'unknown' : new Date(ms).toISOString())

for await (const item of events) {
  if (item.type === 'notice') {
    if (item.kind === 'gap')
      console.log(`-- gap from ${at(item.fromMs)} to ${at(item.toMs)}: query the orders`)
    else if (item.kind === 'reconnecting') console.log(`-- reconnecting: ${item.reason}`)
    else console.log(`-- ${item.kind}`)
  } else if (item.type === 'undecodable') {
    console.log(`-- a message of ${item.length} bytes cannot be decoded: ${item.message}`)
  } else if (item.kind === 'order') {
    const order = item.decode()
    if (order.ok) console.log(`${order.value.symbol}: ${order.value.orderStatus}`)
    else console.log(`-- ${order.error.code}: ${order.error.message}`)
  }
}
