/** Market data of a composed brokerage: addresses, key, token and clock are those of the composition. */
import { startSimulator } from '@brokerwire/simulator'
import { describe, expect, test } from 'vitest'
import { createBrokerage } from './brokerage.ts'

describe('brokerage.quotes()', () => {
  test('asks with the stored token and receives; closing the brokerage leaves it', async () => {
    const simulator = await startSimulator({ environment: 'sandbox', quotes: true })
    try {
      const brokerage = createBrokerage(simulator.brokerageOptions())
      await brokerage.accessTokens.get()
      const quotes = brokerage.quotes()
      quotes.set({ symbols: ['AAPL'], types: ['tick'], category: 'US_STOCK' })
      expect(await quotes.next()).toMatchObject({ value: { kind: 'subscribed', symbols: 1 } })
      simulator.quotes?.step()
      expect(await quotes.next()).toMatchObject({ value: { type: 'message', kind: 'tick', symbol: 'AAPL' } })
      await brokerage.close()
      expect(await quotes.next()).toEqual({ done: true, value: undefined })
      await expect.poll(() => simulator.quotes?.sessions()).toEqual([])
    } finally {
      await simulator.close()
    }
  })

  test('a brokerage whose HTTP host alone was replaced has no market data: no key meets the real host', () => {
    const brokerage = createBrokerage({
      region: 'us',
      environment: 'sandbox',
      appKey: 'key',
      appSecret: 'secret',
      overrides: { httpUrl: 'http://127.0.0.1:1' },
    })
    expect(() => brokerage.quotes()).toThrow(
      expect.objectContaining({
        code: 'ENDPOINT_UNKNOWN',
        details: expect.objectContaining({ option: 'overrides.mqttUrl' }),
      }),
    )
    expect(() => brokerage.quotes({ transport: 'websocket' })).toThrow('overrides.mqttWebSocketUrl')
    expect(() => brokerage.quotes({ transport: 'udp' as never })).toThrow('transport')
  })
})
