import { expect, test } from 'vitest'
import { durationText } from './duration-text.ts'

test.each([
  [-5, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [299_999, '4 min 59 s'],
  [3_900_000, '1 h 5 min'],
  [14 * 86_400_000 + 23 * 3_600_000, '14 d 23 h'],
])('%i ms: %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
