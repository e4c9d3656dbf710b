import { expect, test } from 'vitest'
import { MessageBatch, notesFor } from '../transport/message-batch.ts'
import { Deduplicator } from './deduplicate.ts'
import { DuplicateFilter } from './duplicate-filter.ts'
import { FrameRingBuffer } from './frame-ring-buffer.ts'

interface Frame {
  readonly id: string
  readonly payload: string
}

function begin() {
  const texts = { nameStart: 0, nameEnd: 0 }
  const decoder = {
    /** `id|payload` */
    decode(bytes: Uint8Array, start: number, end: number): Frame {
      const [id = '', payload = ''] = Buffer.from(bytes.subarray(start, end)).toString().split('|')
      texts.nameStart = start
      texts.nameEnd = start + Buffer.byteLength(id)
      return { id, payload }
    },
    texts,
    extraBytes: () => 0,
  }
  const createWindow = () =>
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
  return { deduplicator: new Deduplicator<Frame>(() => 0.5), createWindow, read }
}

test('repeats within a batch and across batches are found, and another payload is a conflict', () => {
  const { deduplicator, createWindow, read } = begin()
  const window = createWindow()
  const first = read('a|1', 'a|1', 'b|1', 'a|2')
  const results = first.messages.map((_, index) => deduplicator.check(window, first, index))
  expect(results).toEqual(['new', 'duplicate', 'new', 'conflict'])
  deduplicator.flush()
  const second = read('a|2', 'b|1', 'c|1')
  expect(second.messages.map((_, index) => deduplicator.check(window, second, index))).toEqual([
    'duplicate',
    'duplicate',
    'new',
  ])
})

test('the last event is remembered by flush(), also in the window of another type', () => {
  const { deduplicator, createWindow, read } = begin()
  const [one, other] = [createWindow(), createWindow()]
  const batch = read('a|1')
  expect(deduplicator.check(one, batch, 0)).toBe('new')
  deduplicator.flush()
  deduplicator.flush()
  const next = read('a|1')
  expect([deduplicator.check(other, next, 0), deduplicator.check(one, next, 0)]).toEqual(['new', 'duplicate'])
  // Remembered before the other window was asked.
  expect(deduplicator.check(other, next, 0)).toBe('duplicate')
})

test('an id that is given counts instead of the received one, and an empty one names nothing', () => {
  const { deduplicator, createWindow, read } = begin()
  const window = createWindow()
  deduplicator.add(window, 'stored')
  const batch = read('x|1', 'x|1', 'x|1')
  expect(deduplicator.check(window, batch, 0, 'stored')).toBe('duplicate')
  expect([1, 2].map((index) => deduplicator.check(window, batch, index, ''))).toEqual(['new', 'new'])
})
