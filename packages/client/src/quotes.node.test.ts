/** Market data of a composed brokerage: addresses, key, token and clock are those of the composition. */
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { describe, expect, test } from 'vitest'
import { createBrokerage } from './brokerage.ts'

describe('brokerage.quotes()', () => {
  test('subscribes with the stored token, receives items, and ends when the brokerage is closed', async () => {
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
      await expect(brokerage.quotes().next()).rejects.toMatchObject({
        code: 'QUOTES_CLOSED',
        retryable: false,
      })
    } finally {
      await simulator.close()
    }
  })

  test.each([
    ['before there is a token', false, { signal: 'token', status: 401 }],
    ['with a stored token', true, { signal: 'call', status: 401 }],
  ])('a wrong app secret is reported as such %s', async (_, isStored, details) => {
    await using simulator = await startSimulator({ environment: 'sandbox', quotes: true })
    const options = { ...simulator.brokerageOptions(), store: createMemoryStore() }
    if (isStored) {
      await using right = createBrokerage(options)
      await right.accessTokens.get()
    }
    await using brokerage = createBrokerage({ ...options, appSecret: 'another-secret' })
    const quotes = brokerage.quotes({ supervision: { backoffBaseMs: 1, backoffMaxMs: 1 } })
    quotes.set({ symbols: ['AAPL'], types: ['tick'], category: 'US_STOCK' })
    const read = async (): Promise<void> => {
      for await (const item of quotes) expect(item).toMatchObject({ kind: 'subscribe-failed' })
    }
    const error = await read().catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 'QUOTES_AUTH_REJECTED', details, retryable: false })
    expect(error).toHaveProperty('message', expect.stringContaining('the app secret'))
  })

  test.each(['http', 'mqttUrl', 'allowInsecure', 'product', 'clock', 'group'])(
    '%s is rejected, because the composition sets it',
    (option) => {
      const brokerage = createBrokerage({
        region: 'us',
        environment: 'sandbox',
        appKey: 'key',
        appSecret: 'secret',
      })
      expect(() => brokerage.quotes({ [option]: 'hidden-value' })).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID', details: expect.objectContaining({ option }) }),
      )
    },
  )

  test('a brokerage with another HTTP host only has no market data, so that no app key reaches the real host', () => {
    const brokerage = createBrokerage({
      region: 'us',
      environment: 'sandbox',
      appKey: 'key',
      appSecret: 'secret',
      overrides: { baseUrl: 'http://127.0.0.1:1' },
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
