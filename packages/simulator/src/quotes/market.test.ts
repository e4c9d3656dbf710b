import { MarketSnapshotSchema } from '@brokerwire/protos/quotes'
import { fromBinary } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { createWireRandom } from '../wire/random.ts'
import { createQuoteMarket } from './market.ts'

it('prices of symbols without a subscription are dropped, those of subscribed symbols are kept', () => {
  const market = createQuoteMarket(createWireRandom(1), () => new Set(['HEARD']))
  const volumeOf = (symbol: string): number => {
    const subscribed = { category: 'US_STOCK', symbol, types: new Set<never>(), depth: 1, overnight: false }
    const { payload } = market.message(subscribed, 'SNAPSHOT', 0)
    return Number(fromBinary(MarketSnapshotSchema, payload).volume)
  }
  for (const symbol of ['HEARD', 'LEFT']) market.move(symbol)
  const [heard, left] = [volumeOf('HEARD'), volumeOf('LEFT')]
  expect(Math.min(heard, left)).toBeGreaterThan(0)
  for (let symbol = 0; symbol < 9_998; symbol += 1) market.move(`S${symbol}`)
  expect(volumeOf('LEFT')).toBe(left)
  market.move('ONE MORE')
  expect([volumeOf('HEARD'), volumeOf('LEFT')]).toEqual([heard, 0])
})
