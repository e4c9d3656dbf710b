import { expect, test } from 'vitest'
import { outerSpace, stripLineEnd } from './outer-space.ts'

test.each([
  ['secret\n', 'secret'],
  ['secret\r\n', 'secret'],
  ['\ufeffsecret', 'secret'],
  ['\ufeffsecret\r\n', 'secret'],
  ['secret', 'secret'],
  ['secret\n\n', 'secret\n'],
  [' secret ', ' secret '],
  ['\n', ''],
])('%j in a file is %j', (text, expected) => {
  expect(stripLineEnd(text)).toBe(expected)
})

test.each([
  ['secret', undefined],
  ['a secret', undefined],
  ['', undefined],
  ['secret\n', 'text with a line end at its end'],
  ['secret\r', 'text with a line end at its end'],
  [' secret', 'text with white space at its start'],
  ['secret\t', 'text with white space at its end'],
  ['\ufeffsecret', 'text with white space at its start'],
  ['\u00a0secret', 'text with white space at its start'],
  [' secret ', 'text with white space at its start'],
])('%j is %j', (text, expected) => {
  expect(outerSpace(text)).toBe(expected)
})
