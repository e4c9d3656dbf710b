import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeControlChars, escapeJsonControlChars } from './escape-control-chars.ts'

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

describe('text from another system', () => {
  test('that is visible does not change', () => {
    const text = 'Zürich, 東京, 😀, a\u00a0b, \\ and \\u{1b}'
    expect(escapeControlChars(text)).toBe(text)
    expect(escapeControlChars('')).toBe('')
  })

  test.each<[what: string, points: readonly number[]]>([
    ['controls', [...range(0, 0x1f), ...range(0x7f, 0x9f)]],
    ['marks of direction', [0x61c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)]],
    ['separators of lines', [0x2028, 0x2029]],
    [
      'zero widths and other formats',
      [0xad, 0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0xfff9, 0xe0001, 0xe0041],
    ],
    ['halves of a pair', [0xd800, 0xdbff, 0xdc00, 0xdfff]],
  ])('shows %s as escapes', (_what, points) => {
    for (const point of points) {
      const text = point > 0xffff ? String.fromCodePoint(point) : String.fromCharCode(point)
      expect(escapeControlChars(`a${text}b`)).toBe(`a\\u{${point.toString(16)}}b`)
    }
  })

  test('is cut, with a sign that it was', () => {
    expect(escapeControlChars('abcdef', 6)).toBe('abcdef')
    expect(escapeControlChars('abcdef', 5)).toBe('abcde…')
    expect(escapeControlChars('abcdef', 0)).toBe('…')
    expect(escapeControlChars('x'.repeat(100_000), 3)).toBe('xxx…')
  })

  test('is never cut within a pair or an escape', () => {
    expect(escapeControlChars('a😀b', 2)).toBe('a…')
    expect(escapeControlChars('a\nb', 5)).toBe('a…')
    expect(escapeControlChars('a\nb', 6)).toBe('a\\u{a}…')
  })

  test('has at most the given length and no control characters, for any text', () => {
    const unit = fc.constantFrom('a', '\u001b', '\u202e', '\ud83d', '\ude00', '😀', '\\', '{', '}', 'u', '\n')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), fc.nat(30), (text, maxLength) => {
        const shown = escapeControlChars(text, maxLength)
        expect(shown.length).toBeLessThanOrEqual(maxLength + 1)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
        expect(escapeControlChars(text)).toContain(shown.replace(/…$/, ''))
      }),
    )
  })
})

describe('a JSON text', () => {
  test('parses to the same value, with escapes for control characters', () => {
    const value = { 'a\u009b': 'b\u202ec\u2028d\u{e0041}e\ud800\u007f\u001b', 'c\\': '\\u{1b} Zürich 😀' }
    const shown = escapeJsonControlChars(JSON.stringify(value))
    expect(shown).toBe(
      String.raw`{"a\u009b":"b\u202ec\u2028d\udb40\udc41e\ud800\u007f\u001b","c\\":"\\u{1b} Zürich 😀"}`,
    )
    expect(JSON.parse(shown)).toEqual(value)
  })

  test('has no control characters, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const shown = escapeJsonControlChars(JSON.stringify(value))
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
        expect(JSON.stringify(JSON.parse(shown))).toBe(JSON.stringify(value))
      }),
    )
  })
})
