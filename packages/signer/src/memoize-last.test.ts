/** Memoization of the last call. */
import { expect, it } from 'vitest'
import { memoizeLast } from './memoize-last.ts'

it('reuses the result for the last key, and does not cache errors', () => {
  const made: number[] = []
  const twice = memoizeLast((key: number) => {
    made.push(key)
    if (Number.isNaN(key)) throw new RangeError('no number')
    return key * 2
  })
  expect([twice(1), twice(1), twice(2), twice(2), twice(1)]).toEqual([2, 2, 4, 4, 2])
  expect(made).toEqual([1, 2, 1])
  expect(() => twice(Number.NaN)).toThrow('no number')
  expect(twice(1)).toBe(2)
  expect(made).toEqual([1, 2, 1, Number.NaN])
})
