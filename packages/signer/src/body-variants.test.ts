/** The variants of a body, most likely first. */
import { describe, expect, inject, it } from 'vitest'
import { bodyVariants } from './body-variants.ts'

const variantsOf = (body: string | Uint8Array): string[] => {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return [...bodyVariants(bytes)].map((one) => `${one.cause} ${new TextDecoder().decode(one.bytes)}`)
}

describe('bodyVariants', () => {
  it('changes escapes and line endings of plain text', () => {
    expect(variantsOf('a<é\u2028=/')).toEqual([
      'html-escapes a\\u003cé\\u2028=/',
      'html-escapes a\\u003Cé\\u2028=/',
      'html-escapes a\\u003cé\\u2028\\u003d/',
      'ascii-escapes a<\\u00e9\\u2028=/',
      'ascii-escapes a<\\u00E9\\u2028=/',
      'line-ending a<é\u2028=/\n',
      'line-ending a<é\u2028=/\r\n',
      'reserialized-json a<é\u2028=\\/',
    ])
  })

  it('changes every kind of line ending', () => {
    expect(variantsOf('a\r\nb\r\n')).toEqual([
      'line-ending a\r\nb\r\n\n',
      'line-ending a\r\nb\r\n\r\n',
      'line-ending a\r\nb',
      'line-ending a\nb\n',
    ])
    expect(variantsOf('a\nb\n')).toEqual([
      'line-ending a\nb\n\n',
      'line-ending a\nb\n\r\n',
      'line-ending a\nb',
      'line-ending a\r\nb\r\n',
    ])
  })

  it('serializes JSON again in several ways', () => {
    const one = '{"b":[1,{"d":null,"c":"é"}],"a":"& , : \\" \\\\"}'
    const sorted = '{"a":"& , : \\" \\\\","b":[1,{"c":"é","d":null}]}'
    const spaced = '{"b": [1, {"d": null, "c": "é"}], "a": "& , : \\" \\\\"}'
    const spacedSorted = '{"a": "& , : \\" \\\\", "b": [1, {"c": "é", "d": null}]}'
    const indented = [2, 4, '\t'].flatMap((by) =>
      [one, sorted].map((json) => JSON.stringify(JSON.parse(json), null, by)),
    )
    const ways = [one, sorted, spaced, spacedSorted, ...indented]
    const variants = variantsOf(one)
    const each = (cause: string): string[] =>
      variants.filter((text) => text.startsWith(cause)).map((text) => text.slice(cause.length + 1))
    // A line ending after serialized JSON counts as reserialized JSON.
    const rewritten = ways.slice(1).flatMap((text) => {
      const windows = text.replace(/\n/g, '\r\n')
      return [text, `${text}\n`, `${text}\r\n`, ...(windows === text ? [] : [windows])]
    })
    expect(each('reserialized-json')).toEqual(rewritten)
    expect(each('line-ending')).toEqual([`${one}\n`, `${one}\r\n`])
    expect(each('html-escapes')).toEqual(
      ways.flatMap((text) => {
        const html = text.replace('&', '\\u0026')
        return [html, html, html]
      }),
    )
    expect(each('ascii-escapes')).toEqual(
      ways.flatMap((text) => [text.replace('é', '\\u00e9'), text.replace('é', '\\u00E9')]),
    )
    expect(variants[0]).toBe(`html-escapes ${one.replace('&', '\\u0026')}`)
  })

  it('writes numbers and escapes unchanged, and as JavaScript writes them', () => {
    const variants = variantsOf('{ "id": 12345678901234567890,\r\n\t"n": 1.0, "a": "\\u003c" }')
    expect(variants).toContain('reserialized-json {"id":12345678901234567890,"n":1.0,"a":"\\u003c"}')
    expect(variants).toContain('reserialized-json {"id": 12345678901234567890, "n": 1.0, "a": "\\u003c"}')
    expect(variants).toContain('reserialized-json {"id":12345678901234567000,"n":1,"a":"<"}')
  })

  it('accepts long texts, and does not serialize JSON that is nested too deeply', () => {
    const long = JSON.stringify({ a: 'x'.repeat(inject('isFullRun') ? 9_000_000 : 500_000) })
    expect([...bodyVariants(new TextEncoder().encode(long))].length).toBeGreaterThan(5)
    expect(variantsOf(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)).toHaveLength(2)
  })

  it('does not serialize JSON that indentation would make hundreds of times as long', () => {
    const nested = (levels: number): string => {
      const [open, close] = ['[{"a":'.repeat(levels / 2), '}]'.repeat(levels / 2)]
      return `${open}[${'1,'.repeat(50_000)}1]${close}`
    }
    const causes = (text: string) => new Set(variantsOf(text).map((variant) => variant.split(' ', 1)[0]))
    expect(causes(nested(2000))).toEqual(new Set(['line-ending']))
    expect(causes(nested(20))).toEqual(new Set(['line-ending', 'reserialized-json']))
    // A longer text may be accepted if it has fewer levels.
    const long = (levels: number): string => {
      const [open, close] = ['['.repeat(levels), ']'.repeat(levels)]
      return `${open}"${'x'.repeat(4_194_302 - 2 * levels)}"${close}`
    }
    expect(causes(long(3)).has('reserialized-json')).toBe(true)
    expect(causes(long(4)).has('reserialized-json')).toBe(false)
  })

  it('has no variants of bytes that are not UTF-8', () => {
    expect(variantsOf(new Uint8Array([255]))).toEqual([])
  })
})
