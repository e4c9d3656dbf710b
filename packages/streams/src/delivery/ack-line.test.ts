import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AckLine, type LineTally } from './ack-line.ts'

function startLine() {
  const tally: LineTally = { size: 0, bytes: 0 }
  const passed: [string, string][] = []
  const line = new AckLine(tally, (id, position) => passed.push([id, position]))
  const received: (() => boolean)[] = []
  /** @returns Its `ack()`. */
  const receive = (): (() => boolean) => {
    const number = line.receive()
    const n = received.length + 1
    const ack = (): boolean => line.ack(number, `id${n}`, `p${n}`)
    received.push(ack)
    return ack
  }
  return { line, tally, passed, receive }
}

test('only the prefix without a hole is passed', () => {
  const { line, tally, passed, receive } = startLine()
  const [a, b, c] = [receive(), receive(), receive()]
  expect([c(), c(), passed, line.size]).toEqual([true, false, [], 3])
  a()
  expect([passed, line.size]).toEqual([[['id1', 'p1']], 2])
  b()
  expect(passed.slice(1)).toEqual([
    ['id2', 'p2'],
    ['id3', 'p3'],
  ])
  expect([a(), b(), c(), line.size, tally]).toEqual([false, false, false, 0, { size: 0, bytes: 0 }])
})

test('of what waits nothing is kept, of what is skipped behind it one position, however much it is', () => {
  const { line, tally, passed, receive } = startLine()
  line.skip('p0')
  expect(passed).toEqual([['', 'p0']])
  const ack = receive()
  expect(tally).toEqual({ size: 1, bytes: 0 })
  for (let n = 2; n < 100_000; n += 1) line.skip(`p${n}`)
  line.skip('')
  expect([line.size, tally.size]).toEqual([1, 1])
  expect(tally.bytes).toBeLessThan(200)
  ack()
  expect(passed.slice(1)).toEqual([
    ['id1', 'p1'],
    ['', 'p99999'],
  ])
  expect(tally).toEqual({ size: 0, bytes: 0 })
})

test('what was handled behind a hole counts with its names', () => {
  const { tally, receive } = startLine()
  const acks = Array.from({ length: 1000 }, receive)
  for (const ack of acks.slice(1)) ack()
  expect(tally.bytes).toBeGreaterThan(999 * 2 * 'id2p2'.length)
  acks[0]?.()
  expect(tally).toEqual({ size: 0, bytes: 0 })
})

test('whatever the order, nothing unhandled is ever passed', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray(Array.from({ length: 30 }, (_, n) => n)),
      fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
      (order, skips) => {
        const { line, tally, passed } = startLine()
        const acks = skips.map((skip, n) => {
          if (skip) {
            line.skip(`p${n}`)
            return undefined
          }
          const number = line.receive()
          return () => line.ack(number, `id${n}`, `p${n}`)
        })
        const handled = new Set(skips.flatMap((skip, n) => (skip ? [n] : [])))
        for (const n of order) {
          acks[n]?.()
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

test('those handled in the order received are passed once each, with some that say so before their turn', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('event', 'skip', 'next', 'ack'), { maxLength: 60 }),
      fc.infiniteStream(fc.nat()),
      (moves, choices) => {
        const { line, tally, passed } = startLine()
        const events: { readonly n: number; readonly number: number; early: boolean }[] = []
        let handedOver = 0
        moves.forEach((move, n) => {
          const names = [`id${n}`, `p${n}`] as const
          if (move === 'event') events.push({ n, number: line.receive(), early: false })
          else if (move === 'skip') line.skip(names[1])
          else if (move === 'next' && handedOver < events.length) {
            const event = events[handedOver] as (typeof events)[number]
            handedOver += 1
            line.ackNext(`id${event.n}`, `p${event.n}`)
          } else if (move === 'ack' && events.length > 0) {
            const event = events[choices.next().value % events.length] as (typeof events)[number]
            const isFirst = !event.early && events.indexOf(event) >= handedOver
            expect(line.ack(event.number, `id${event.n}`, `p${event.n}`)).toBe(isFirst)
            event.early = true
          }
          const waits = events.findIndex((event, at) => at >= handedOver && !event.early)
          const before = waits < 0 ? events : events.slice(0, waits)
          expect(passed.flatMap(([id]) => (id === '' ? [] : [id]))).toEqual(
            before.map((event) => `id${event.n}`),
          )
          expect([line.size, tally.size]).toEqual([
            events.length - before.length,
            events.length - before.length,
          ])
        })
        while (handedOver < events.length) {
          const { n } = events[handedOver] as (typeof events)[number]
          handedOver += 1
          line.ackNext(`id${n}`, `p${n}`)
        }
        const last = moves.flatMap((move, n) => (move === 'event' || move === 'skip' ? [`p${n}`] : [])).at(-1)
        expect(passed.at(-1)?.[1]).toBe(last)
        expect(tally).toEqual({ size: 0, bytes: 0 })
      },
    ),
  )
})
