import { expect, test } from 'vitest'
import { MAX_READINGS, readingsOf } from './redactor-readings.ts'

const texts = (text: string): readonly string[] => [...readingsOf(text)].map((reading) => reading.text)

test('a text is read as it is, without invisible characters, and decoded up to three times', () => {
  expect(texts('plain')).toEqual(['plain'])
  expect(texts('a\u00adb')).toEqual(['a\u00adb', 'ab'])
  expect(new Set(texts('%252541'))).toEqual(new Set(['%252541', '%2541', '%41', 'A']))
  expect(texts('%25252541')).not.toContain('A')
  // Two kinds of escapes inside one another.
  expect(texts('\\u002541')).toContain('A')
  expect(texts('&amp;#37;&#x34;1')).toContain('A')
  // An escape that is interrupted by a line break and an invisible character.
  expect(texts('%2\r\n 5\u00ad41')).toContain('A')
})

test('each unit of a reading has the position of its source', () => {
  const text = 'x\\u002541\u00ad%F0%9F%98%80y'
  for (const { text: read, from, to } of readingsOf(text)) {
    for (let at = 0; at < read.length; at += 1) {
      const source = text.slice(from[at], to[at])
      if (read[at] === 'x' || read[at] === 'y') expect(source).toBe(read[at])
      if (read[at] === '\ud83d' || read[at] === '\ude00') expect(source).toBe('%F0%9F%98%80')
      if (read[at] === 'A') expect(source).toBe('\\u002541')
    }
  }
})

test('an escape with a number that is not a character stays', () => {
  const text = '&#99999999; \\u{ffffff} \\U0011ffff %F7%BF%BF%BF %zz %'
  expect(texts(text)).toEqual([text])
})

test('the readings of a text are few, and none is longer than the text, however it is made', () => {
  const units = [
    '\\u0025%5c&amp;%2525\\\\x41+\r\n ',
    '%2525',
    '\\',
    '\\u005c',
    '&amp;amp;',
    '%C0%80',
    '\r\n\t+',
    '&lt',
    '&#38;#',
  ]
  for (const unit of units) {
    const text = unit.repeat(200)
    const lengths = texts(text).map(({ length }) => length)
    expect(lengths.length).toBeLessThanOrEqual(MAX_READINGS)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(text.length)
  }
})
