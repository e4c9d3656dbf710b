/** How a body may have been written by others: each way, in the order of likelihood. */
import { describe, expect, it } from 'vitest'
import { bodyVariants } from './body-variants.ts'

const variantsOf = (body: string | Uint8Array): string[] => {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return bodyVariants(bytes).map((one) => `${one.cause} ${new TextDecoder().decode(one.bytes)}`)
}

describe('bodyVariants', () => {
  it('of plain text', () => {
    expect(variantsOf('a<é\u2028')).toEqual([
      'html-escapes a\\u003cé\\u2028',
      'ascii-escapes a<\\u00e9\\u2028',
      'line-ending a<é\u2028\n',
    ])
  })

  it('of text with line ends', () => {
    expect(variantsOf('a\r\nb\r\n')).toEqual([
      'line-ending a\r\nb\r\n\n',
      'line-ending a\r\nb',
      'line-ending a\nb\n',
    ])
    expect(variantsOf('a\nb\n')).toEqual(['line-ending a\nb\n\n', 'line-ending a\nb'])
  })

  it('of JSON', () => {
    const one = '{"b":[1,{"d":null,"c":"é"}],"a":"&"}'
    const sorted = '{"a":"&","b":[1,{"c":"é","d":null}]}'
    const spaced = '{"b": [1, {"d": null, "c": "é"}], "a": "&"}'
    const spacedSorted = '{"a": "&", "b": [1, {"c": "é", "d": null}]}'
    const indented = JSON.stringify(JSON.parse(one), null, 2)
    const indentedSorted = JSON.stringify(JSON.parse(sorted), null, 2)
    const variants = variantsOf(one)
    const each = (cause: string): string[] =>
      variants.filter((text) => text.startsWith(cause)).map((text) => text.slice(cause.length + 1))
    expect(each('reserialized-json')).toEqual([spaced, indented, sorted, spacedSorted, indentedSorted])
    const ways = [one, spaced, indented, sorted, spacedSorted, indentedSorted]
    const html = ways.map((text) => text.replace('&', '\\u0026'))
    expect(new Set(each('html-escapes'))).toEqual(new Set([...html, one].filter((text) => text !== one)))
    expect(new Set(each('ascii-escapes'))).toEqual(new Set(ways.map((text) => text.replace('é', '\\u00e9'))))
    expect(variants[0]).toBe(`html-escapes ${html[0]}`)
  })

  it('writes HTML characters out where the client escaped them', () => {
    expect(variantsOf('{"a":"\\u003c"}')).toContain('html-escapes {"a":"<"}')
  })

  it('of bytes that are no text: none', () => {
    expect(bodyVariants(new Uint8Array([255]))).toEqual([])
  })
})
