/** The backfill hook that fetches snapshots. */
import type { HttpRequest } from '@brokerwire/http'
import { describe, expect, test } from 'vitest'
import { snapshotBackfill } from './backfill.ts'

const signal = new AbortController().signal
const gap = { fromMs: 1, toMs: 2, signal }
const stocks = (...symbols: string[]) => symbols.map((symbol) => ({ category: 'US_STOCK', symbol }))

function recorded(answer: (request: HttpRequest) => unknown) {
  const requests: HttpRequest[] = []
  const request = async (given: HttpRequest): Promise<never> => {
    requests.push(given)
    return { json: () => answer(given) } as never
  }
  return { http: { request }, requests }
}

describe('snapshotBackfill', () => {
  test('requests each category separately, a hundred symbols in a request, with the signal of the gap', async () => {
    const { http, requests } = recorded(() => [])
    const names = Array.from({ length: 150 }, (_, at) => `S${at}`)
    await snapshotBackfill({ http, apiVersion: 'v3' })({
      ...gap,
      symbols: [...stocks(...names), { category: 'US_ETF', symbol: 'SPY' }],
    })
    expect(requests).toMatchObject([
      {
        method: 'GET',
        path: '/market-data/stocks/snapshots/list',
        query: { symbols: names.slice(0, 100).join(','), category: 'US_STOCK' },
        apiVersion: 'v3',
        signal,
      },
      { query: { symbols: names.slice(100).join(','), category: 'US_STOCK' } },
      { query: { symbols: 'SPY', category: 'US_ETF' } },
    ])
  })

  test('returns the row of each symbol, and skips malformed rows', async () => {
    const aapl = { symbol: 'AAPL', last_trade_time: 5, extend_hour_last_price: '1.50' }
    const { http } = recorded(() => [aapl, null, { symbol: 7 }, 'AAPL'])
    expect(await snapshotBackfill({ http })({ ...gap, symbols: stocks('AAPL', 'TSLA') })).toEqual([
      { category: 'US_STOCK', symbol: 'AAPL', state: 'snapshot', value: aapl },
    ])
  })

  test('skips a category without a path, and uses a path of the caller', async () => {
    const { http, requests } = recorded(() => [{ symbol: 'BTCUSD', price: '1' }])
    const symbols = [{ category: 'US_CRYPTO', symbol: 'BTCUSD' }]
    expect(await snapshotBackfill({ http })({ ...gap, symbols })).toEqual([])
    expect(requests).toEqual([])
    const path = (category: string) => `/of/${category}`
    expect(await snapshotBackfill({ http, path })({ ...gap, symbols })).toHaveLength(1)
    expect(requests).toMatchObject([{ path: '/of/US_CRYPTO' }])
  })

  test.each([{ data: [] }, null, 'no'])('fails for a response that is not an array: %j', async (answer) => {
    const { http } = recorded(() => answer)
    await expect(snapshotBackfill({ http })({ ...gap, symbols: stocks('A') })).rejects.toThrow(
      'snapshots must be an array',
    )
  })

  test.each([
    [{}, 'http'],
    [{ http: {} }, 'http'],
    [{ http: { request() {} }, path: 7 }, 'path'],
    [{ http: { request() {} }, paths: 7 }, 'paths'],
  ])('the wrong options %j are named', (options, option) => {
    expect(() => snapshotBackfill(options as never)).toThrow(
      expect.objectContaining({ code: 'QUOTES_OPTION_INVALID', message: expect.stringContaining(option) }),
    )
  })
})
