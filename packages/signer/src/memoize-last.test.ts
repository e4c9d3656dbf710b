/** What is made once for a key that comes again. */
import { expect, it } from 'vitest'
import { memoizeLast } from './memoize-last.ts'

it('makes nothing anew for the key that came last, and keeps nothing of one for which it threw', () => {
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
