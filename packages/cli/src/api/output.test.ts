/** The formats of responses: text and JSON. */
import { NumberText } from '@brokerwire/payloads'
import { expect, test } from 'vitest'
import { toJsonLine, toLines, withoutSecrets } from './output.ts'

const DATA = {
  orders: [{ symbol: 'AAPL', price: '10.10', note: undefined, legs: [], extra: {} }],
  extra: { large: new NumberText('12345678901234567890'), 'line\nbreak': '\u001b[2J' },
}

test('text has one line for each value, and no control characters', () => {
  expect(toLines(DATA)).toEqual([
    'orders:',
    '  - symbol: AAPL',
    '    price: 10.10',
    '    legs: none',
    'extra:',
    '  large: 12345678901234567890',
    '  line\\u{a}break: \\u{1b}[2J',
  ])
  expect(toLines([])).toEqual([])
})

test('JSON keeps every digit as text, and leaves out an empty extra', () => {
  expect(JSON.parse(toJsonLine(DATA))).toEqual({
    orders: [{ symbol: 'AAPL', price: '10.10', legs: [] }],
    extra: { large: '12345678901234567890', 'line\nbreak': '\u001b[2J' },
  })
})

test('secrets are replaced', () => {
  expect(withoutSecrets({ token: 'abc', status: 'NORMAL' }, ['token'])).toEqual({
    token: '[secret]',
    status: 'NORMAL',
  })
})
