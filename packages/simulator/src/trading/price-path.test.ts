import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createPricePath } from './price-path.ts'

const step = fc.integer({ min: 0, max: 250_000_000_000 })

it('a price depends on nothing but the seed, the symbol and the step', () => {
  fc.assert(
    fc.property(fc.nat(), fc.string(), step, (seed, symbol, at) => {
      const path = createPricePath(seed, symbol, 23_812)
      path.priceAt(at + 1)
      expect(path.priceAt(at)).toBe(createPricePath(seed, symbol, 23_812).priceAt(at))
    }),
  )
})

it('a price is a whole number of cents within a quarter of the base price', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 200, max: 1_000_000_000 }), step, (seed, base, at) => {
      const cents = createPricePath(seed, 'AAPL', base).priceAt(at)
      expect(Number.isSafeInteger(cents)).toBe(true)
      expect(Math.abs(cents - base)).toBeLessThanOrEqual(base / 4)
    }),
  )
})

it('a price moves, a little in a second and more in a day', () => {
  const path = createPricePath(1, 'AAPL', 23_812)
  const prices = Array.from({ length: 1000 }, (_, at) => path.priceAt(at))
  const moves = prices.slice(1).map((price, index) => Math.abs(price - (prices[index] ?? 0)))
  expect(Math.max(...moves)).toBeLessThan(60)
  expect(new Set(prices).size).toBeGreaterThan(50)
  const days = Array.from({ length: 30 }, (_, day) => path.priceAt(day * 86_400))
  expect(Math.max(...days) - Math.min(...days)).toBeGreaterThan(100)
})

it('draws of one step differ by use and stay within their bounds', () => {
  const path = createPricePath(1, 'AAPL', 23_812)
  const drawn = Array.from({ length: 50 }, (_, use) => path.draw(7, use, 30, 100))
  expect(new Set(drawn).size).toBeGreaterThan(20)
  expect(drawn.every((percent) => percent >= 30 && percent <= 100)).toBe(true)
})
