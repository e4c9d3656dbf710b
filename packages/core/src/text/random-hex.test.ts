import { expect, test } from 'vitest'
import { randomHex } from './random-hex.ts'

test('returns two lower-case digits for each byte, different ones each time', () => {
  const texts = Array.from({ length: 100 }, () => randomHex(16))
  for (const text of texts) expect(text).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(texts).size).toBe(100)
  expect(randomHex(0)).toBe('')
})
