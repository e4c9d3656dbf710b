import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stripByteOrderMark, toBytes, utf8Decode, utf8Encode } from './bytes.ts'

describe('UTF-8', () => {
  test('well-formed text survives the round trip', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Decode(utf8Encode(text))).toBe(text)
      }),
    )
  })

  test('a lone surrogate becomes the replacement character', () => {
    expect([...utf8Encode('\ud800')]).toEqual([0xef, 0xbf, 0xbd])
  })

  test('a byte order mark is kept: bytes that are signed must not lose one', () => {
    expect(utf8Decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa')
  })

  test('stripByteOrderMark removes one byte order mark at the start', () => {
    expect(stripByteOrderMark('\ufeff\ufeffa\ufeff')).toBe('\ufeffa\ufeff')
    expect(stripByteOrderMark('a')).toBe('a')
  })

  test.each([
    ['a stray continuation byte', [0x80]],
    ['a cut sequence', [0xe4, 0xb8]],
    ['an overlong form', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ])('%s is no text', (_, bytes) => {
    expect(utf8Decode(Uint8Array.from(bytes))).toBeUndefined()
    expect(utf8Decode(utf8Encode('the next one'))).toBe('the next one')
  })
})

describe('toBytes', () => {
  const buffer = Uint8Array.of(1, 2, 3, 4).buffer

  test('a Uint8Array is returned unchanged', () => {
    const bytes = new Uint8Array(buffer, 1, 2)
    expect(toBytes(bytes)).toBe(bytes)
  })

  test('another view shows its own window, not the whole buffer', () => {
    expect([...toBytes(new DataView(buffer, 1, 2))]).toEqual([2, 3])
    expect([...toBytes(new Uint16Array(buffer, 2, 1))]).toEqual([3, 4])
  })

  test('nothing is copied', () => {
    const bytes = toBytes(buffer)
    expect([...bytes]).toEqual([1, 2, 3, 4])
    expect(bytes.buffer).toBe(buffer)
  })
})
