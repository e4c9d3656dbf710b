/**
 * Prints the latest prices of the symbols in `BROKERWIRE_SYMBOLS` (separated by commas), until stopped.
 *
 * You declare the subscriptions once; they are made again after each reconnect. A slow reader gets the latest price of each symbol.
 * A gap notice has the time range without prices.
 */
import { createBrokerage } from '@brokerwire/client'
import { endWith } from './end-with.ts'
import { readSettings, SettingError } from './settings.ts'

const symbols = (process.env.BROKERWIRE_SYMBOLS ?? 'AAPL').split(',').filter((symbol) => symbol !== '')

try {
  const { overrides, ...settings } = readSettings()
  const mqttUrl = process.env.BROKERWIRE_MQTT_URL
  // Both URLs must belong to the same service, because a session is valid in one environment only.
  if (overrides.baseUrl !== undefined && mqttUrl === undefined)
    throw new SettingError('BROKERWIRE_MQTT_URL is not set: start `brokerwire simulate --quotes`')
  await using brokerage = createBrokerage({ ...settings, overrides: { ...overrides, mqttUrl } })
  const quotes = brokerage.quotes()
  quotes.set({ symbols, types: ['snapshot'], category: 'US_STOCK' })
  // `return()` ends the loop below, like `break`.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => quotes.return())

  for await (const item of quotes) {
    if (item.type === 'notice') console.log(`-- ${item.kind}`)
    else if (item.type === 'message' && item.kind === 'snapshot') {
      const decoded = item.decode()
      if (decoded.ok) console.log(`${decoded.value.symbol}: ${decoded.value.price}`)
      else console.log(`unreadable: ${decoded.error.code}`)
    }
  }
} catch (error) {
  endWith(error)
}
