import { readOptions } from '@brokerwire/core/internal'
import { expect, test } from 'vitest'
import { BUFFER_OPTIONS, ItemQueue } from './item-queue.ts'

const never = new AbortController().signal

test('is full a little below the bound of items, and has room again once half was taken', async () => {
  const queue = new ItemQueue<number>({ maxItems: 8, maxBytes: 1_000_000 })
  for (let n = 1; n <= 6; n += 1) queue.push(n, 1)
  expect([queue.full, queue.capacity.frames]).toEqual([false, 2])
  queue.push(7, 1)
  expect(queue.full).toBe(true)
  let room = false
  const waiting = queue.drained(never).then(() => {
    room = true
  })
  queue.take()
  queue.take()
  await Promise.resolve()
  expect([queue.full, room]).toEqual([true, false])
  queue.take()
  await waiting
  expect([queue.full, queue.size]).toEqual([false, 4])
})

test('is full at the bound of bytes, but never refuses a single big item', async () => {
  const queue = new ItemQueue<string>({ maxItems: 100, maxBytes: 10 })
  queue.push('big', 50)
  expect(queue.full).toBe(true)
  expect(queue.take()).toBe('big')
  expect(queue.full).toBe(false)
})

test('room is for what its items may hold at the most', () => {
  const queue = new ItemQueue<string>({ maxItems: 100, maxBytes: 40_960 })
  // Half for the objects around the texts, half for the texts, at two bytes for each byte of a frame.
  expect(queue.capacity).toEqual({ frames: 40, bytes: 10_240 })
  queue.push('a', 20_480)
  expect(queue.capacity).toEqual({ frames: 20, bytes: 5120 })
  queue.push('b', 1_000_000)
  expect(queue.capacity).toEqual({ frames: 1, bytes: 0 })
})

test('what is allowed holds back as well, and bounds what is read at once', async () => {
  const queue = new ItemQueue<string>({ maxItems: 100, maxBytes: 1_000_000 })
  expect(queue.limitReads(3)).toBe(false)
  expect([queue.full, queue.capacity.frames]).toEqual([false, 3])
  expect([queue.limitReads(0), queue.limitReads(-1)]).toEqual([true, false])
  expect(queue.full).toBe(true)
  const waiting = queue.drained(never)
  queue.limitReads(1)
  await waiting
  expect(queue.full).toBe(false)
})

test('a consumer that takes what is there makes room within a turn of the event loop, and one that does not, none', async () => {
  const queue = new ItemQueue<string>({ maxItems: 2, maxBytes: 1000 })
  queue.push('a', 1)
  queue.push('b', 1)
  expect([queue.full, await queue.drainedWithinTurn()]).toEqual([true, false])
  const waiting = queue.drainedWithinTurn()
  queue.take()
  expect(await waiting).toBe(true)
  // Nobody is left to be told.
  queue.push('c', 1)
  queue.take()
  queue.take()
  expect(await queue.drainedWithinTurn()).toBe(true)
})

test('waiting for room ends with the signal', async () => {
  const queue = new ItemQueue<string>({ maxItems: 1, maxBytes: 10 })
  queue.push('a', 1)
  const controller = new AbortController()
  const waiting = queue.drained(controller.signal)
  controller.abort(new Error('left'))
  await waiting
  await queue.drained(controller.signal)
  expect(queue.full).toBe(true)
})

test('what was queued before a failure comes before it, and the failure comes once', async () => {
  const queue = new ItemQueue<string>({ maxItems: 10, maxBytes: 10 })
  queue.push('a', 1)
  queue.close({ error: new Error('later') })
  queue.push('b', 1)
  expect([await queue.filled(), queue.take()]).toEqual([true, 'a'])
  await expect(queue.filled()).rejects.toThrow('later')
  expect(await queue.filled()).toBe(false)
})

test('who waits hears of an item, of the end and of a failure', async () => {
  const waitOn = (act: (queue: ItemQueue<string>) => void): Promise<boolean> => {
    const queue = new ItemQueue<string>({ maxItems: 10, maxBytes: 10 })
    const waiting = queue.filled()
    act(queue)
    return waiting
  }
  expect(await waitOn((queue) => queue.push('a', 1))).toBe(true)
  expect(await waitOn((queue) => queue.close())).toBe(false)
  expect(await waitOn((queue) => queue.clear())).toBe(false)
  await expect(waitOn((queue) => queue.close({ error: new Error('broken') }))).rejects.toThrow('broken')
})

test('dropping what is queued drops its bytes and a failure that nobody took', async () => {
  const queue = new ItemQueue<string>({ maxItems: 2, maxBytes: 10 })
  queue.push('a', 100)
  const waiting = queue.drained(never)
  queue.close({ error: new Error('broken') })
  queue.clear()
  await waiting
  expect([queue.size, queue.take(), await queue.filled()]).toEqual([0, undefined, false])
})

test('keeps order and count while one side runs ahead of the other by thousands', () => {
  const queue = new ItemQueue<number>({ maxItems: 100_000, maxBytes: 1_000_000 })
  const taken: number[] = []
  for (let n = 0; n < 10_000; n += 1) {
    queue.push(n, 1)
    if (n % 3 === 0) taken.push(queue.take() as number)
    expect(queue.size).toBe(n + 1 - taken.length)
  }
  for (let items = queue.takeMany(7); items !== undefined; items = queue.takeMany(7)) taken.push(...items)
  expect(taken).toEqual(Array.from({ length: 10_000 }, (_, n) => n))
})

test.each([{ maxItems: 0 }, { maxBytes: 0.5 }, { maxItems: '5' }])('rejects %j', (bounds) => {
  const fail = (option: string): Error => new RangeError(option)
  expect(() => readOptions(fail, bounds, BUFFER_OPTIONS)).toThrow(RangeError)
})
