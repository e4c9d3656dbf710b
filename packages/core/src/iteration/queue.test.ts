import { expect, test } from 'vitest'
import { Queue } from './queue.ts'

test('a queue returns its items in order, each once, whatever its size was before', () => {
  const queue = new Queue<number>()
  let next = 0
  let taken = 0
  // The queue first grows and then shrinks, so that the array is compacted several times.
  for (const [pushes, takes] of [
    [3, 2],
    [2, 3],
    [1, 1],
  ] as const) {
    for (let round = 0; round < 3000; round += 1) {
      for (let n = 0; n < pushes; n += 1) queue.push(next++)
      for (let n = 0; n < takes; n += 1) {
        expect(queue.peek()).toBe(taken < next ? taken : undefined)
        const item = queue.shift()
        expect(item).toBe(taken < next ? taken : undefined)
        if (item !== undefined) taken += 1
      }
      expect(queue.size).toBe(next - taken)
    }
  }
  queue.push(-1)
  queue.clear()
  expect([queue.size, queue.peek(), queue.shift()]).toEqual([0, undefined, undefined])
  queue.push(7)
  expect([queue.size, queue.shift(), queue.size]).toEqual([1, 7, 0])
})
