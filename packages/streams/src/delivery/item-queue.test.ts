import { readOptions } from '@brokerwire/core/internal'
import { expect, test } from 'vitest'
import { BUFFER_OPTIONS, ItemQueue } from './item-queue.ts'

const never = new AbortController().signal

test('is full at seven eighths of the bound of items, and no longer full once half of the items were taken', async () => {
  const queue = new ItemQueue<number>({ maxItems: 8, maxBytes: 1_000_000 })
  for (let n = 1; n <= 6; n += 1) queue.push(n, 1)
  expect(queue.full).toBe(false)
  expect(queue.capacity.frames).toBe(2)
  queue.push(7, 1)
  expect(queue.full).toBe(true)
  let isDrained = false
  const waiting = queue.drained(never).then(() => {
    isDrained = true
  })
  queue.shift()
  queue.shift()
  await Promise.resolve()
  expect(queue.full).toBe(true)
  expect(isDrained).toBe(false)
  queue.shift()
  await waiting
  expect(queue.full).toBe(false)
  expect(queue.size).toBe(4)
})

test('is full at the bound of bytes, but accepts a single item that is larger than the bound', async () => {
  const queue = new ItemQueue<string>({ maxItems: 100, maxBytes: 10 })
  queue.push('big', 50)
  expect(queue.full).toBe(true)
  expect(queue.shift()).toBe('big')
  expect(queue.full).toBe(false)
})

test('the capacity is for items of the greatest size that their frames can have', () => {
  const queue = new ItemQueue<string>({ maxItems: 100, maxBytes: 40_960 })
  // Half of the bytes are for the objects of items, half for their strings, with two bytes for each byte of a frame.
  expect(queue.capacity).toEqual({ frames: 40, bytes: 10_240 })
  queue.push('a', 20_480)
  expect(queue.capacity).toEqual({ frames: 20, bytes: 5120 })
  queue.push('b', 1_000_000)
  expect(queue.capacity).toEqual({ frames: 1, bytes: 0 })
})

test('limitReads() limits the capacity, and stops reading at zero', async () => {
  const queue = new ItemQueue<string>({ maxItems: 100, maxBytes: 1_000_000 })
  expect(queue.limitReads(3)).toBe(false)
  expect(queue.full).toBe(false)
  expect(queue.capacity.frames).toBe(3)
  expect(queue.limitReads(0)).toBe(true)
  expect(queue.limitReads(-1)).toBe(false)
  expect(queue.full).toBe(true)
  const waiting = queue.drained(never)
  queue.limitReads(1)
  await waiting
  expect(queue.full).toBe(false)
})

test('drainedWithinTurn() returns whether the consumer drained the queue within a turn of the event loop', async () => {
  const queue = new ItemQueue<string>({ maxItems: 2, maxBytes: 1000 })
  queue.push('a', 1)
  queue.push('b', 1)
  expect(queue.full).toBe(true)
  expect(await queue.drainedWithinTurn()).toBe(false)
  const waiting = queue.drainedWithinTurn()
  queue.shift()
  expect(await waiting).toBe(true)
  // A callback of an earlier call is not called again.
  queue.push('c', 1)
  queue.shift()
  queue.shift()
  expect(await queue.drainedWithinTurn()).toBe(true)
})

test('drained() resolves when its signal aborts', async () => {
  const queue = new ItemQueue<string>({ maxItems: 1, maxBytes: 10 })
  queue.push('a', 1)
  const controller = new AbortController()
  const waiting = queue.drained(controller.signal)
  controller.abort(new Error('left'))
  await waiting
  await queue.drained(controller.signal)
  expect(queue.full).toBe(true)
})

test('returns the items queued before a failure first, and the failure once', async () => {
  const queue = new ItemQueue<string>({ maxItems: 10, maxBytes: 10 })
  queue.push('a', 1)
  queue.close({ error: new Error('later') })
  queue.push('b', 1)
  expect(await queue.readable()).toBe(true)
  expect(queue.shift()).toBe('a')
  await expect(queue.readable()).rejects.toThrow('later')
  expect(await queue.readable()).toBe(false)
})

test('filled() resolves on an item and on the end, and rejects on a failure', async () => {
  const filledAfter = (act: (queue: ItemQueue<string>) => void): Promise<boolean> => {
    const queue = new ItemQueue<string>({ maxItems: 10, maxBytes: 10 })
    const waiting = queue.readable()
    act(queue)
    return waiting
  }
  expect(await filledAfter((queue) => queue.push('a', 1))).toBe(true)
  expect(await filledAfter((queue) => queue.close())).toBe(false)
  expect(await filledAfter((queue) => queue.clear())).toBe(false)
  await expect(filledAfter((queue) => queue.close({ error: new Error('broken') }))).rejects.toThrow('broken')
})

test('clear() discards the items, their bytes and a failure', async () => {
  const queue = new ItemQueue<string>({ maxItems: 2, maxBytes: 10 })
  queue.push('a', 100)
  const waiting = queue.drained(never)
  queue.close({ error: new Error('broken') })
  queue.clear()
  await waiting
  expect(queue.size).toBe(0)
  expect(queue.shift()).toBeUndefined()
  expect(await queue.readable()).toBe(false)
})

test('keeps the order and the size with thousands of queued items', () => {
  const queue = new ItemQueue<number>({ maxItems: 100_000, maxBytes: 1_000_000 })
  const taken: number[] = []
  for (let n = 0; n < 10_000; n += 1) {
    queue.push(n, 1)
    if (n % 3 === 0) taken.push(queue.shift() as number)
    expect(queue.size).toBe(n + 1 - taken.length)
  }
  for (let items = queue.shiftMany(7); items !== undefined; items = queue.shiftMany(7)) taken.push(...items)
  expect(taken).toEqual(Array.from({ length: 10_000 }, (_, n) => n))
})

test.each([{ maxItems: 0 }, { maxBytes: 0.5 }, { maxItems: '5' }])('rejects the bounds %j', (bounds) => {
  const fail = (option: string): Error => new RangeError(option)
  expect(() => readOptions(fail, bounds, BUFFER_OPTIONS)).toThrow(RangeError)
})
