import { expect, test } from 'vitest'
import { parseJsonObject } from './json-object.ts'

test.each([undefined, '', '{', '5', '"secret"', 'null', '{"a":1} x'])('%s is no object', (text) => {
  expect(parseJsonObject(text)).toBeUndefined()
})

test('an object is given as it is', () => {
  expect(parseJsonObject('{"a":{"b":[1]}}')).toEqual({ a: { b: [1] } })
})
