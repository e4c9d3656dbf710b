import { describe, expect, it } from 'vitest'
import { completeLines, formatLine } from './state-lines.ts'

/** Reads a string in chunks of this size, or less if the file returns less. */
function read(text: string, chunkBytes: number, maxLineBytes = 100) {
  const file = Buffer.from(text)
  const readAt = (bytes: Buffer, offset: number): number => file.copy(bytes, 0, offset, offset + chunkBytes)
  return [...completeLines(readAt, { chunkBytes, maxLineBytes })]
}

describe('the lines of a file', () => {
  it.each([1, 2, 3, 5, 7, 100])('are the same in chunks of %i bytes', (chunkBytes) => {
    expect(read('one\n\nzwölf €\nnot ended', chunkBytes)).toEqual([
      { text: 'one', end: 4 },
      { text: '', end: 5 },
      { text: 'zwölf €', end: 16 },
    ])
  })

  it('are an empty list if the file is empty or has no line break', () => {
    expect([read('', 10), read('begun', 2)]).toEqual([[], []])
  })

  it.each([1, 3, 100])('that are too long stop the reader, in chunks of %i bytes', (chunkBytes) => {
    const lines = read('12345\n123456\n1\n', chunkBytes, 5)
    expect(lines.map(({ text }) => text)).toEqual(['12345', undefined])
    expect(read('123456', chunkBytes, 5).map(({ text }) => text)).toEqual([undefined])
  })
})

it('a record with a line that is too long has no line', () => {
  const record = { kind: 'console', token: '€', port: 1 } as const
  const line = '{"kind":"console","token":"€","port":1}\n'
  expect(formatLine(record)).toBe(line)
  expect(formatLine(record, Buffer.byteLength(line))).toBe(line)
  expect(formatLine(record, Buffer.byteLength(line) - 1)).toBeUndefined()
})
