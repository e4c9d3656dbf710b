import { expect, test } from 'vitest'
import { HEADER_VALUE } from './header-value.ts'

test.each(['a', '!', '~', 'a b', 'a  ~', 'x'.repeat(10_000)])('a header carries %j', (text) => {
  expect(HEADER_VALUE.test(text)).toBe(true)
})

test.each(['', ' ', ' a', 'a ', 'a\tb', 'a\nb', 'a\r\nb', 'a\u0000', '\u007f', 'é', '账户'])(
  'a header does not carry %j',
  (text) => {
    expect(HEADER_VALUE.test(text)).toBe(false)
  },
)
