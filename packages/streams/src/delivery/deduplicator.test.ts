import { expect, test } from 'vitest'
import { MessageBatch, notesFor } from '../transport/message-batch.ts'
import { Deduplicator } from './deduplicator.ts'
import { DuplicateFilter } from './duplicate-filter.ts'
import { FrameRingBuffer } from './frame-ring-buffer.ts'

interface Frame {
  readonly id: string
  readonly payload: string
}

function createFixture() {
  const texts = { idStart: 0, idEnd: 0 }
  const decoder = {
    /** Decodes `id|payload`. */
    decode(bytes: Uint8Array, start: number, end: number): Frame {
      const [id = '', payload = ''] = Buffer.from(bytes.subarray(start, end)).toString().split('|')
      texts.idStart = start
      texts.idEnd = start + Buffer.byteLength(id)
      return { id, payload }
    },
    texts,
    extraBytes: () => 0,
  }
  const createFilter = () =>
    new DuplicateFilter<Frame>({
      maxIds: 100,
      idBytes: 1024,
      frames: new FrameRingBuffer({ maxFrames: 64, maxBytes: 1 << 16, decoder }),
      compare: (known, frame) => (known.payload === frame.payload ? 'duplicate' : 'conflict'),
      idOnly: true,
    })
  const notes = notesFor(8)
  const read = (...frames: string[]): MessageBatch<Frame> => {
    const batch = new MessageBatch<Frame>(decoder, notes)
    for (const frame of frames) batch.read(Buffer.from(frame), 0, Buffer.byteLength(frame))
    return batch
  }
  return { deduplicator: new Deduplicator<Frame>(() => 0.5), createFilter, read }
}

test('finds duplicates within a batch and across batches, and reports another payload as a conflict', () => {
  const { deduplicator, createFilter, read } = createFixture()
  const filter = createFilter()
  const first = read('a|1', 'a|1', 'b|1', 'a|2')
  const results = first.messages.map((_, index) => deduplicator.check(filter, first, index))
  expect(results).toEqual(['new', 'duplicate', 'new', 'conflict'])
  deduplicator.flush()
  const second = read('a|2', 'b|1', 'c|1')
  expect(second.messages.map((_, index) => deduplicator.check(filter, second, index))).toEqual([
    'duplicate',
    'duplicate',
    'new',
  ])
})

test('adds the last event on flush(), and before another filter is checked', () => {
  const { deduplicator, createFilter, read } = createFixture()
  const one = createFilter()
  const other = createFilter()
  const batch = read('a|1')
  expect(deduplicator.check(one, batch, 0)).toBe('new')
  deduplicator.flush()
  deduplicator.flush()
  const next = read('a|1')
  expect(deduplicator.check(other, next, 0)).toBe('new')
  // This check of the other filter adds the event to its own filter first.
  expect(deduplicator.check(one, next, 0)).toBe('duplicate')
  expect(deduplicator.check(other, next, 0)).toBe('duplicate')
})

test('compares a given id instead of the received one, and never finds a duplicate of an empty id', () => {
  const { deduplicator, createFilter, read } = createFixture()
  const filter = createFilter()
  deduplicator.add(filter, 'stored')
  const batch = read('x|1', 'x|1', 'x|1')
  expect(deduplicator.check(filter, batch, 0, 'stored')).toBe('duplicate')
  expect([1, 2].map((index) => deduplicator.check(filter, batch, index, ''))).toEqual(['new', 'new'])
})
