import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAckLine } from './ack-line.ts'

test('only the prefix without a hole is committable', () => {
  const line = createAckLine()
  const [a, b, c] = ['1', '2', '3'].map((n) => line.receive(`p${n}`, `id${n}`, false))
  if (a === undefined || b === undefined || c === undefined) throw new Error('three tickets')
  expect(line.ack(c)).toBeUndefined()
  expect(line.ack(a)).toEqual({ position: 'p1', ids: ['id1'] })
  expect(line.ack(b)).toEqual({ position: 'p3', ids: ['id2', 'id3'] })
  expect(line.size).toBe(0)
})

test('an event without a position leaves the cursor unchanged, and its id comes with the next', () => {
  const line = createAckLine()
  const without = line.receive('', 'id1', false)
  const next = line.receive('p2', 'id2', false)
  expect(line.ack(without)).toBeUndefined()
  expect(line.ack(next)).toEqual({ position: 'p2', ids: ['id1', 'id2'] })
})

test('whatever the order, nothing unhandled is ever passed', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(Array.from({ length: 30 }, (_, n) => n)), (order) => {
      const line = createAckLine()
      const tickets = Array.from({ length: 30 }, (_, n) => line.receive(`p${n}`, `id${n}`, false))
      const acked = new Set<number>()
      for (const n of order) {
        const ticket = tickets[n]
        if (ticket === undefined) continue
        acked.add(n)
        const step = line.ack(ticket)
        let prefix = 0
        while (acked.has(prefix)) prefix += 1
        if (step !== undefined) expect(step.position).toBe(`p${prefix - 1}`)
        expect(line.size).toBe(30 - prefix)
      }
    }),
  )
})
