import { expect, test } from 'vitest'
import { createSeededRandom } from './random.ts'

const draw = (seed: number, count = 5): number[] => Array.from({ length: count }, createSeededRandom(seed))

test('the same seed returns the same numbers, and another seed returns others', () => {
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
})

test('the numbers are the mulberry32 sequence', () => {
  expect(draw(0, 3)).toEqual([0.26642920868471265, 0.0003297457005828619, 0.2232720274478197])
})

test('numbers are at least 0, less than 1 and evenly distributed', () => {
  const numbers = draw(7, 10_000)
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  expect(mean).toBeCloseTo(0.5, 1)
})
