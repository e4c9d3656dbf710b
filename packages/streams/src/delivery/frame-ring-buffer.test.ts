/** Which frames a ring buffer stores, and in how much ring. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBatch, createDecoder } from '../test/batch.ts'
import { FrameRingBuffer, NONE } from './frame-ring-buffer.ts'

test('copies the bytes of a frame, so that it does not depend on the chunk of the socket', () => {
  const decode = (bytes: Uint8Array, start: number, end: number) =>
    Buffer.from(bytes).toString('latin1', start, end)
  const ring = new FrameRingBuffer<string>({
    maxFrames: 4096,
    maxBytes: 1000,
    decoder: createDecoder(decode),
  })
  const chunk = Buffer.alloc(65_536)
  const numbers = Array.from({ length: 100 }, (_, n) => {
    const batch = createBatch(decode)
    const text = `frame ${n}`.padEnd(100)
    chunk.write(text, 60_000, 'latin1')
    batch.read(chunk, 60_000, 60_100)
    return ring.store(batch, 0)
  })
  const held = numbers.filter((number) => ring.has(number))
  expect(held).toEqual(numbers.slice(-10))
  chunk.fill(0)
  expect(held.map((number) => ring.load(number).trimEnd())).toEqual(
    held.map((number) => `frame ${number - 1}`),
  )
})

test('loads frames of any length from any chunks unchanged, within the bound of bytes', () => {
  const decode = (bytes: Uint8Array, start: number, end: number) => Buffer.from(bytes.subarray(start, end))
  const frame = fc.record({
    length: fc.integer({ min: 0, max: 700 }),
    isKept: fc.boolean(),
    isOfNewChunk: fc.boolean(),
    isOfNewBatch: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 80 }), fc.integer({ min: 1, max: 600 }), (frames, maxBytes) => {
      const ring = new FrameRingBuffer<Buffer>({ maxFrames: 32, maxBytes, decoder: createDecoder(decode) })
      const kept = new Map<number, Buffer>()
      let value = 0
      for (const batchFrames of splitBefore(frames, ({ isOfNewBatch }) => isOfNewBatch)) {
        const batch = createBatch(decode)
        for (const chunkFrames of splitBefore(batchFrames, ({ isOfNewChunk }) => isOfNewChunk)) {
          const chunk = Buffer.alloc(chunkFrames.reduce((sum, { length }) => sum + length, 0))
          let at = 0
          for (const { length } of chunkFrames) {
            value += 1
            chunk.fill(value, at, at + length)
            batch.read(chunk, at, at + length)
            at += length
          }
        }
        for (const [index, { isKept, length }] of batchFrames.entries()) {
          if (!isKept) continue
          const number = ring.store(batch, index)
          expect(number === NONE).toBe(length > maxBytes)
          if (number !== NONE) kept.set(number, batch.messages[index] as Buffer)
        }
      }
      const held = [...kept].filter(([number]) => ring.has(number))
      for (const [number, bytes] of held) expect(ring.load(number)).toEqual(bytes)
      expect(held.reduce((sum, [, { length }]) => sum + length, 0)).toBeLessThanOrEqual(maxBytes)
      if (kept.size > 0) expect(held.length).toBeGreaterThan(0)
    }),
  )
})

test('keeps frames unchanged while the ring grows, and discards none that fits within the bound', () => {
  const decode = (bytes: Uint8Array, start: number, end: number) => Buffer.from(bytes.subarray(start, end))
  const maxBytes = 1 << 20
  const lengths = fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 60 })
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 5 }), (frames, perBatch) => {
      const ring = new FrameRingBuffer<Buffer>({ maxFrames: 32, maxBytes, decoder: createDecoder(decode) })
      const kept: Buffer[] = []
      for (let from = 0; from < frames.length; from += perBatch) {
        const some = frames.slice(from, from + perBatch)
        const batch = createBatch(decode)
        const chunk = Buffer.alloc(some.reduce((sum, length) => sum + length, 0))
        let at = 0
        for (const [n, length] of some.entries()) {
          chunk.fill(from + n + 1, at, at + length)
          batch.read(chunk, at, at + length)
          at += length
        }
        for (const [n, bytes] of batch.messages.entries()) expect(ring.store(batch, n)).toBe(kept.push(bytes))
      }
      for (const [n, bytes] of kept.entries()) {
        if (ring.has(n + 1)) expect(ring.load(n + 1).equals(bytes)).toBe(true)
        else {
          // At most one batch of up to five frames is wasted at the end of the ring.
          const since = kept.slice(n).reduce((sum, { length }) => sum + length, 0)
          expect(kept.length - n > 32 || since > maxBytes - 5 * 90_000).toBe(true)
        }
      }
    }),
    { numRuns: 60 },
  )
})

test('stores exactly the last frames up to the bound, whether they share chunks or not', () => {
  const decode = (bytes: Uint8Array, start: number) => bytes[start] as number
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 }), (sizes) => {
      const ring = new FrameRingBuffer<number>({
        maxFrames: 16,
        maxBytes: 1 << 20,
        decoder: createDecoder(decode),
      })
      const kept: number[] = []
      for (const size of sizes) {
        const chunk = Buffer.from(new ArrayBuffer(size))
        const batch = createBatch(decode)
        for (let at = 0; at < size; at += 1) {
          chunk[at] = kept.length & 0xff
          batch.read(chunk, at, at + 1)
          kept.push(ring.store(batch, at))
        }
      }
      const held = kept.filter((number) => ring.has(number))
      expect(held).toEqual(kept.slice(-16))
      expect(held.map((number) => ring.load(number))).toEqual(held.map((number) => (number - 1) & 0xff))
    }),
  )
})

test('grows with the frames up to the bound, and shrinks when they become smaller', () => {
  const decode = (bytes: Uint8Array, start: number, end: number) => Buffer.from(bytes.subarray(start, end))
  const ring = new FrameRingBuffer<Buffer>({
    maxFrames: 4096,
    maxBytes: 8 << 20,
    decoder: createDecoder(decode),
  })
  let number = 0
  const keep = (count: number, length: number): number => {
    for (let n = 0; n < count; n += 1) {
      const batch = createBatch(decode)
      batch.read(Buffer.alloc(length, number + 1), 0, length)
      number = ring.store(batch, 0)
    }
    return ring.allocatedBytes
  }
  const isStored = (of: number, length: number): boolean =>
    ring.has(of) && ring.load(of).equals(Buffer.alloc(length, of))
  expect(ring.allocatedBytes).toBeLessThan(4096)
  expect(keep(20, 700)).toBeLessThan(33 * 1024)
  // The ranges of 4,096 frames take 64 KiB, and the ring is the smallest power of two that the frames fit into.
  expect(keep(5000, 700)).toBe(64 * 1024 + (4 << 20))
  expect(isStored(number, 700)).toBe(true)
  expect(isStored(number - 4095, 700)).toBe(true)
  expect(ring.has(number - 4096)).toBe(false)
  expect(keep(60, 200_000)).toBeLessThan((8 << 20) + 8192)
  expect(isStored(number, 200_000)).toBe(true)
  expect(isStored(number - 39, 200_000)).toBe(true)
  expect(keep(5000, 100)).toBe(64 * 1024 + (2 << 20))
  expect(isStored(number, 100)).toBe(true)
  expect(isStored(number - 4095, 100)).toBe(true)
})

/** Splits a list before each item for which `begins` returns true. */
function splitBefore<T>(list: readonly T[], begins: (item: T) => boolean): T[][] {
  const parts: T[][] = []
  for (const item of list) {
    const part = parts.at(-1)
    if (part === undefined || begins(item)) parts.push([item])
    else part.push(item)
  }
  return parts
}
