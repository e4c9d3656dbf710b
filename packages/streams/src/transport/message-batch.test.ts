import { expect, test } from 'vitest'
import { MessageBatch, notesFor } from './message-batch.ts'

const decoder = { decode: () => 'message', texts: { idStart: 2, idEnd: 9 }, extraBytes: () => 0 }

test('keeps the offset of a message beyond 2 GiB', () => {
  const chunk = { byteOffset: 2 ** 31 } as Uint8Array
  const batch = new MessageBatch(decoder, notesFor(2))
  batch.read(chunk, 0, 10)
  batch.read(chunk, 10, 25)
  const message = { start: batch.startOf(1), end: batch.endOf(1) }
  expect(message).toEqual({ start: 2 ** 31 + 10, end: 2 ** 31 + 25 })
  const id = { start: batch.idStartOf(1), end: batch.idEndOf(1) }
  expect(id).toEqual({ start: 2, end: 9 })
  expect(batch.chunkOf(1)).toBe(chunk)
})

test('gives each batch a different id', () => {
  const notes = notesFor(1)
  const numbers = [1, 2, 3].map(() => new MessageBatch(decoder, notes).id)
  expect(new Set(numbers).size).toBe(3)
})

test('grows its array with a batch, and shrinks it when batches become smaller', () => {
  const notes = notesFor(1024)
  const chunk = new Uint8Array(2000)
  const bytes: number[] = []
  for (const count of [0, 1, 1024, 100, 1, 1, 1, 1, 1, 1, 1]) {
    const batch = new MessageBatch(decoder, notes)
    for (let n = 0; n < count; n += 1) batch.read(chunk, n, 2 * n)
    const ends = batch.messages.map((_, n) => [batch.startOf(n), batch.endOf(n)])
    expect(ends).toEqual(Array.from({ length: count }, (_, n) => [n, 2 * n]))
    bytes.push(notes.fields.byteLength)
  }
  const [none = 0, one, all] = bytes
  expect(none).toBeLessThan(256)
  expect(one).toBe(none)
  expect(all).toBe(6 * 4 * 1024)
  expect(bytes.at(-1)).toBe(none)
})
