import { describe, expect, test } from 'vitest'
import { renderLine } from './line.ts'
import { createPaint } from './palette.ts'

const line = { at: Date.UTC(2026, 0, 2, 3, 4, 5, 6), tag: 'order', tone: 'good', text: 'AAPL' } as const

describe('a line', () => {
  test('has the time in UTC, the tag and the text', () => {
    expect(renderLine(line, createPaint(false))).toBe('03:04:05.006  order     AAPL')
  })

  test('is colored if the output supports colors', () => {
    expect(renderLine(line, createPaint(true))).toContain('\u001b[32morder')
  })

  test('escapes control characters of text from the wire', () => {
    const text = 'a\u001b[2Jb\nc\u202ed\u2028e'
    expect(renderLine({ ...line, text }, createPaint(false))).toContain(
      'a\\u{1b}[2Jb\\u{a}c\\u{202e}d\\u{2028}e',
    )
  })

  test('has a limited length', () => {
    expect(renderLine({ ...line, text: 'x'.repeat(5e6) }, createPaint(false)).length).toBeLessThan(2100)
  })
})
