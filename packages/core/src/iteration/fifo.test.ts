import { expect, test } from 'vitest'
import { Fifo } from './fifo.ts'

test('items are taken in the order in which they were pushed, each once, however many were taken before', () => {
  const fifo = new Fifo<number>()
  let next = 0
  let taken = 0
  // Fills faster than it empties, then the other way round: past every size at which room is given back.
  for (const [pushes, takes] of [
    [3, 2],
    [2, 3],
    [1, 1],
  ] as const) {
    for (let round = 0; round < 3000; round += 1) {
      for (let n = 0; n < pushes; n += 1) fifo.push(next++)
      for (let n = 0; n < takes; n += 1) {
        expect(fifo.peek()).toBe(taken < next ? taken : undefined)
        const item = fifo.take()
        expect(item).toBe(taken < next ? taken : undefined)
        if (item !== undefined) taken += 1
      }
      expect(fifo.size).toBe(next - taken)
    }
  }
  fifo.push(-1)
  fifo.clear()
  expect([fifo.size, fifo.peek(), fifo.take()]).toEqual([0, undefined, undefined])
  fifo.push(7)
  expect([fifo.size, fifo.take(), fifo.size]).toEqual([1, 7, 0])
})
