/**
 * The latest prices of some symbols, until stopped: `BROKERWIRE_SYMBOLS` holds them, separated by commas.
 *
 * What is wanted is declared once, and is asked for again after every drop. A slow reader sees the latest price of each symbol;
 * a gap notice says from when to when nothing was seen.
 */
import { createBrokerage } from '@brokerwire/client'
import { endWith } from './end-with.ts'
import { readSettings, SettingError } from './settings.ts'

const symbols = (process.env.BROKERWIRE_SYMBOLS ?? 'AAPL').split(',').filter((symbol) => symbol !== '')

try {
  const { overrides, ...settings } = readSettings()
  const mqttUrl = process.env.BROKERWIRE_MQTT_URL
  // Both from one place: a session of one environment is unknown in every other.
  if (overrides.baseUrl !== undefined && mqttUrl === undefined)
    throw new SettingError('BROKERWIRE_MQTT_URL is not set: start `brokerwire simulate --quotes`')
  await using brokerage = createBrokerage({ ...settings, overrides: { ...overrides, mqttUrl } })
  const quotes = brokerage.quotes()
  quotes.set({ symbols, types: ['snapshot'], category: 'US_STOCK' })
  // Leaving ends the loop below as a break in it would.
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
