/**
 * Copies of payloads: they keep the received bytes after the buffer is reused, and none retains much more memory than
 * its size.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageItem, messageSize } from './message-items.ts'
import { SLAB_BYTES, SlabAllocator } from './slab-allocator.ts'

const ranges = fc.array(fc.tuple(fc.nat(3000), fc.nat(700)), { minLength: 1, maxLength: 40 })

test('keeps the copied bytes after the source buffer was reused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4000, maxLength: 4000 }), ranges, (bytes, given) => {
      const copies = new SlabAllocator()
      const before = new Uint8Array(bytes)
      const made = given.map(([start, length]) => ({
        copy: copies.copy(bytes, start, start + length),
        expected: before.slice(start, start + length),
      }))
      bytes.fill(0)
      for (const { copy, expected } of made) expect(copy).toEqual(expected)
    }),
  )
})

test('shares an allocation of 1 KiB, and allocates long payloads separately', () => {
  const copies = new SlabAllocator()
  const bytes = new Uint8Array(10_000)
  const [first, second] = [copies.copy(bytes, 2, 130), copies.copy(bytes, 140, 270)]
  expect(second.buffer).toBe(first.buffer)
  expect(first.buffer.byteLength).toBe(1024)
  expect(copies.copy(bytes, 300, 1500).buffer.byteLength).toBe(1200)
  expect(copies.copy(new Uint8Array(10_000), 140, 270).buffer).not.toBe(first.buffer)
})

test('counts a whole slab for each state, and once for trades', () => {
  const copies = new SlabAllocator()
  const bytes = new Uint8Array(10_000)
  const size = (kind: 'tick' | 'snapshot', start: number) =>
    messageSize(
      new MessageItem({
        kind,
        topic: kind,
        symbol: 'A',
        payload: copies.copy(bytes, start, start + 100),
        connection: 1,
        receivedAtMs: 0,
        duplicate: false,
      }),
    )
  const withSlab = size('tick', 0)
  const withoutSlab = size('tick', 100)
  expect(withSlab - withoutSlab).toBe(SLAB_BYTES)
  expect(size('snapshot', 200)).toBe(withSlab)
  expect(size('snapshot', 300)).toBe(withSlab)
})
