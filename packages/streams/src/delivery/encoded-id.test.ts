/** Spelled names are equal where the names are, wherever they were read from. */
import * as fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { MessageBatch, notesFor } from '../transport/message-batch.ts'
import { EncodedId } from './encoded-id.ts'

const SEED = 0.3
const startName = () => new EncodedId(() => SEED)

function said({ words, count, hash }: EncodedId) {
  return { words: [...words.subarray(0, count)], hash }
}

/** A batch of one message, whose name lies there. */
function batchOf(chunk: Uint8Array, nameStart: number, nameEnd: number): MessageBatch<undefined> {
  const batch = new MessageBatch(
    { decode: () => undefined, texts: { nameStart, nameEnd }, extraBytes: () => 0 },
    notesFor(1),
  )
  batch.read(chunk, 0, chunk.length)
  return batch
}

const character = fc.constantFrom('a', 'b', '0', '-', '\u007f', '\u0080', 'é', 'ÿ', '\u20ac', '\ufeff', '😀')
const name = fc.string({ unit: character, maxLength: 12 })
const around = fc.uint8Array({ maxLength: 9 })

test('from its bytes as from its text, whatever stands around them', () => {
  const [one, other] = [startName(), startName()]
  fc.assert(
    fc.property(name, around, around, (text, before, after) => {
      const bytes = Buffer.from(text)
      const start = before.length
      one.encodeFrom(batchOf(Buffer.concat([before, bytes, after]), start, start + bytes.length), 0)
      other.encodeString(text)
      expect(said(one)).toEqual(said(other))
    }),
    { numRuns: inject('isFullRun') ? 2000 : 200 },
  )
})

test('no two names are spelled alike, also such as no UTF-8 holds', () => {
  const [one, other] = [startName(), startName()]
  const any = fc.string({
    unit: fc.oneof(character, fc.constantFrom('\ud800', '\udc00', '\ufffd')),
    maxLength: 5,
  })
  fc.assert(
    fc.property(any, any, (a, b) => {
      one.encodeString(a)
      other.encodeString(b)
      expect(said(one).words.join() === said(other).words.join()).toBe(a === b)
    }),
    { numRuns: inject('isFullRun') ? 3000 : 300 },
  )
})

test.each(['x', 'é'])('%j three million times is spelled whole, and its room given back', (text) => {
  const spelled = startName()
  const bytes = Buffer.from(text.repeat(3_000_000))
  spelled.encodeFrom(batchOf(bytes, 0, bytes.length), 0)
  expect(spelled.count).toBe(1 + bytes.length / 4)
  spelled.encodeString('id')
  expect([spelled.count, spelled.words.length]).toEqual([2, 64])
})
