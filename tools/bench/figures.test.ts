import { describe, expect, test } from 'vitest'
import { joined, percentile, ratioByRound, ratioOf, table, undisturbed } from './figures.ts'

describe('ratioOf', () => {
  test('neither disturbed rounds nor lucky ones count', () => {
    const rounds = { ours: [200, 3, 201, 9000, 199], other: [9000, 100, 100, 1, 101] }
    expect(ratioOf(rounds, 'ours', 'other')).toBe(2)
  })

  test('is no number where there is nothing to compare with', () => {
    expect(ratioOf({ ours: [1] }, 'ours', 'other')).toBeNaN()
  })
})

test('percentile sorts by number', () => {
  expect(percentile([10, 9, 100, 1], 50)).toBe(10)
  expect(percentile([10, 9, 100, 1], 99)).toBe(100)
  expect(percentile([], 50)).toBeNaN()
})

test('a table has its first column to the left and figures to the right', () => {
  expect(
    table([
      ['name', 'rate'],
      ['ours', '1,000'],
      ['another', '9'],
    ]),
  ).toBe('name      rate\nours     1,000\nanother      9')
})

test('each round is compared with itself', () => {
  expect(ratioByRound([10, 400, 30], [5, 200, 10])).toBe(2)
  expect(ratioByRound([1], undefined)).toBeNaN()
})

test('the rounds of several runs stand together, by contender', () => {
  expect(joined([{ ours: [1, 2], other: [3] }, { ours: [4] }])).toEqual({ ours: [1, 2, 4], other: [3] })
  expect(joined([])).toEqual({})
})

test('a tenth of the rounds may be as fast as no other', () => {
  expect(undisturbed([9, 1, 2, 3, 4, 5, 6, 7, 8, 10])).toBe(2)
  expect(undisturbed()).toBeNaN()
})
