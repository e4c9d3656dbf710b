import { expect, test } from 'vitest'
import { separateWords } from './separate-words.ts'

test.each([
  ['limitPrice', '_', 'limit_price'],
  ['limitPrice', '-', 'limit-price'],
  ['noPartyIds', ' ', 'no party ids'],
  ['symbol', '_', 'symbol'],
] as const)('%s with %j is %s', (name, separator, expected) => {
  expect(separateWords(name, separator)).toBe(expected)
})
