import { expect, test } from 'vitest'
import { deepFreeze } from './deep-freeze.ts'

test('freezes arrays and inner objects, and leaves bytes as they are', () => {
  const value = deepFreeze({ list: [{ name: 'a' }], bytes: Uint8Array.of(1), none: null })
  expect(Object.isFrozen(value)).toBe(true)
  expect(Object.isFrozen(value.list)).toBe(true)
  expect(Object.isFrozen(value.list[0])).toBe(true)
  expect(Object.isFrozen(value.bytes)).toBe(false)
})

test.each([undefined, null, 1, 'text'])('returns %s unchanged', (value) => {
  expect(deepFreeze(value)).toBe(value)
})
