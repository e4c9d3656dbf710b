import { describe, expect, it } from 'vitest'
import { lineOf, wholeLines } from './state-lines.ts'

/** Reads a string in chunks of this size, or less if the file returns less. */
function read(text: string, pieceBytes: number, maxLineBytes = 100) {
  const file = Buffer.from(text)
  const readAt = (bytes: Buffer, place: number): number => file.copy(bytes, 0, place, place + pieceBytes)
  return [...wholeLines(readAt, { pieceBytes, maxLineBytes })]
}

describe('the lines of a file', () => {
  it.each([1, 2, 3, 5, 7, 100])('are the same in chunks of %i bytes', (pieceBytes) => {
    expect(read('one\n\nzwölf €\nnot ended', pieceBytes)).toEqual([
      { text: 'one', end: 4 },
      { text: '', end: 5 },
      { text: 'zwölf €', end: 16 },
    ])
  })

  it('are none if the file is empty or has no line break', () => {
    expect([read('', 10), read('begun', 2)]).toEqual([[], []])
  })

  it.each([1, 3, 100])('that are too long stop the reader, in chunks of %i bytes', (pieceBytes) => {
    const lines = read('12345\n123456\n1\n', pieceBytes, 5)
    expect(lines.map(({ text }) => text)).toEqual(['12345', undefined])
    expect(read('123456', pieceBytes, 5).map(({ text }) => text)).toEqual([undefined])
  })
})

it('a record with a line that is too long has no line', () => {
  const record = { kind: 'console', token: '€', port: 1 } as const
  const line = '{"kind":"console","token":"€","port":1}\n'
  expect(lineOf(record)).toBe(line)
  expect(lineOf(record, Buffer.byteLength(line))).toBe(line)
  expect(lineOf(record, Buffer.byteLength(line) - 1)).toBeUndefined()
})
