import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AckLine, type LineTally } from './ack-line.ts'

function startLine() {
  const tally: LineTally = { size: 0, bytes: 0 }
  const passed: [string, string][] = []
  const line = new AckLine(tally, (id, position) => passed.push([id, position]))
  return { line, tally, passed }
}

test('only the prefix without a hole is passed', () => {
  const { line, tally, passed } = startLine()
  const [a, b, c] = ['1', '2', '3'].map((n) => line.receive(`id${n}`, `p${n}`))
  if (a === undefined || b === undefined || c === undefined) throw new Error('three places')
  line.ack(c)
  expect(passed).toEqual([])
  line.ack(a)
  expect([passed, line.size]).toEqual([[['id1', 'p1']], 2])
  line.ack(b)
  expect(passed.slice(1)).toEqual([
    ['id2', 'p2'],
    ['id3', 'p3'],
  ])
  expect([line.size, tally]).toEqual([0, { size: 0, bytes: 0 }])
})

test('what is skipped behind an event that waits is one entry, however much it is', () => {
  const { line, tally, passed } = startLine()
  line.skip('p0')
  expect(passed).toEqual([['', 'p0']])
  const waiting = line.receive('id1', 'p1')
  const before = tally.bytes
  for (let n = 2; n < 100_000; n += 1) line.skip(`p${n}`)
  line.skip('')
  expect([line.size, tally.size]).toEqual([2, 2])
  expect(tally.bytes - before).toBeLessThan(200)
  line.ack(waiting)
  expect(passed.slice(1)).toEqual([
    ['id1', 'p1'],
    ['', 'p99999'],
  ])
  expect(tally).toEqual({ size: 0, bytes: 0 })
})

test('whatever the order, nothing unhandled is ever passed', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray(Array.from({ length: 30 }, (_, n) => n)),
      fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
      (order, skips) => {
        const { line, tally, passed } = startLine()
        const places = skips.map((skip, n) => {
          if (skip) line.skip(`p${n}`)
          else return line.receive(`id${n}`, `p${n}`)
          return undefined
        })
        const handled = new Set(skips.flatMap((skip, n) => (skip ? [n] : [])))
        for (const n of order) {
          const place = places[n]
          if (place !== undefined) line.ack(place)
          handled.add(n)
          let prefix = 0
          while (handled.has(prefix)) prefix += 1
          expect(passed.at(-1)?.[1]).toBe(prefix === 0 ? undefined : `p${prefix - 1}`)
          expect(tally.size).toBe(line.size)
        }
      },
    ),
  )
})
