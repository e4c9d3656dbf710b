/** Encoded ids are equal exactly if the ids are equal. */
import * as fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { MessageBatch, notesFor } from '../transport/message-batch.ts'
import { EncodedId } from './encoded-id.ts'

const SEED = 0.3
const createId = () => new EncodedId(() => SEED)

function contentOf({ words, count, hash }: EncodedId) {
  return { words: [...words.subarray(0, count)], hash }
}

/** Creates a batch of one message whose id is in this range of the chunk. */
function createBatch(chunk: Uint8Array, idStart: number, idEnd: number): MessageBatch<undefined> {
  const batch = new MessageBatch(
    { decode: () => undefined, texts: { idStart, idEnd }, extraBytes: () => 0 },
    notesFor(1),
  )
  batch.read(chunk, 0, chunk.length)
  return batch
}

const character = fc.constantFrom('a', 'b', '0', '-', '\u007f', '\u0080', 'é', 'ÿ', '\u20ac', '\ufeff', '😀')
const ids = fc.string({ unit: character, maxLength: 12 })
const around = fc.uint8Array({ maxLength: 9 })

test('encodes the bytes of an id like its string, whatever bytes are around them', () => {
  const [one, other] = [createId(), createId()]
  fc.assert(
    fc.property(ids, around, around, (text, before, after) => {
      const bytes = Buffer.from(text)
      const start = before.length
      one.encodeFrom(createBatch(Buffer.concat([before, bytes, after]), start, start + bytes.length), 0)
      other.encodeString(text)
      expect(contentOf(one)).toEqual(contentOf(other))
    }),
    { numRuns: inject('isFullRun') ? 2000 : 200 },
  )
})

test('encodes two different ids differently, lone surrogates included', () => {
  const [one, other] = [createId(), createId()]
  const any = fc.string({
    unit: fc.oneof(character, fc.constantFrom('\ud800', '\udc00', '\ufffd')),
    maxLength: 5,
  })
  fc.assert(
    fc.property(any, any, (a, b) => {
      one.encodeString(a)
      other.encodeString(b)
      expect(contentOf(one).words.join() === contentOf(other).words.join()).toBe(a === b)
    }),
    { numRuns: inject('isFullRun') ? 3000 : 300 },
  )
})

test.each(['x', 'é'])('encodes three million %j, and releases the buffer at the next short id', (text) => {
  const id = createId()
  const bytes = Buffer.from(text.repeat(3_000_000))
  id.encodeFrom(createBatch(bytes, 0, bytes.length), 0)
  expect(id.count).toBe(1 + bytes.length / 4)
  id.encodeString('id')
  expect(id.count).toBe(2)
  expect(id.words).toHaveLength(64)
})
