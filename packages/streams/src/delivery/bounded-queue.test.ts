import { expect, test } from 'vitest'
import { isStreamsError } from '../streams-error.ts'
import { createBoundedQueue, readBounds } from './bounded-queue.ts'

const never = new AbortController().signal

test('is full at the bound of items, and has room again once half was taken', async () => {
  const queue = createBoundedQueue<number>({ maxItems: 4, maxBytes: 1000 })
  for (let n = 1; n <= 4; n += 1) queue.push(n, 1)
  expect(queue.full).toBe(true)
  let room = false
  const waiting = queue.room(never).then(() => {
    room = true
  })
  await queue.next()
  expect([queue.full, room]).toEqual([true, false])
  await queue.next()
  await waiting
  expect([queue.full, queue.size]).toEqual([false, 2])
})

test('is full at the bound of bytes, but never refuses a single big item', async () => {
  const queue = createBoundedQueue<string>({ maxItems: 100, maxBytes: 10 })
  queue.push('big', 50)
  expect(queue.full).toBe(true)
  expect(await queue.next()).toEqual({ done: false, value: 'big' })
  expect(queue.full).toBe(false)
})

test('an item that a waiting consumer takes at once does not count', async () => {
  const queue = createBoundedQueue<string>({ maxItems: 1, maxBytes: 10 })
  const taken = queue.next()
  queue.push('a', 50)
  expect(await taken).toEqual({ done: false, value: 'a' })
  expect(queue.full).toBe(false)
})

test('waiting for room ends with the signal', async () => {
  const queue = createBoundedQueue<string>({ maxItems: 1, maxBytes: 10 })
  queue.push('a', 1)
  const controller = new AbortController()
  const waiting = queue.room(controller.signal)
  controller.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
})

test('what was queued before a failure comes before it', async () => {
  const queue = createBoundedQueue<string>({ maxItems: 10, maxBytes: 10 })
  queue.push('a', 1)
  queue.fail(new Error('later'))
  queue.push('b', 1)
  expect(await queue.next()).toEqual({ done: false, value: 'a' })
  await expect(queue.next()).rejects.toThrow('later')
})

test.each([{ maxItems: 0 }, { maxBytes: 0.5 }, { maxItems: '5' }])('refuses %j', (bounds) => {
  expect(() => readBounds(bounds as never)).toThrow(
    expect.toSatisfy((error) => isStreamsError(error, 'STREAM_OPTION_INVALID')),
  )
})
