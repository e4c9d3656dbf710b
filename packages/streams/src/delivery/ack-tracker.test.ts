import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AckTracker, type PendingCounters } from './ack-tracker.ts'

function startLine() {
  const pending: PendingCounters = { size: 0, bytes: 0 }
  const passed: [string, string][] = []
  const line = new AckTracker(pending, (id, position) => passed.push([id, position]))
  /** What `ack()` of an event does. */
  const receive = (id: string, position: string) => {
    const number = line.receive(id, position)
    return (): boolean => line.ack(number, id, position)
  }
  return { line, receive, pending, passed }
}

test('only the prefix without a hole is passed', () => {
  const { line, receive, pending, passed } = startLine()
  const [a, b, c] = [receive('id1', 'p1'), receive('id2', 'p2'), receive('id3', 'p3')]
  expect([c(), c()]).toEqual([true, false])
  expect(passed).toEqual([])
  a()
  expect([passed, line.size]).toEqual([[['id1', 'p1']], 2])
  b()
  expect(passed.slice(1)).toEqual([
    ['id2', 'p2'],
    ['id3', 'p3'],
  ])
  expect([line.size, pending]).toEqual([0, { size: 0, bytes: 0 }])
})

test('what is skipped behind an event that waits is one position, however much it is', () => {
  const { line, receive, pending, passed } = startLine()
  line.skip('p0')
  expect(passed).toEqual([['', 'p0']])
  const ack = receive('id1', 'p1')
  const before = pending.bytes
  for (let n = 2; n < 100_000; n += 1) line.skip(`p${n}`)
  line.skip('')
  expect([line.size, pending.size]).toEqual([1, 1])
  expect(pending.bytes - before).toBe(192 + 2 * 'p99999'.length)
  ack()
  expect(passed.slice(1)).toEqual([['id1', 'p99999']])
  expect(pending).toEqual({ size: 0, bytes: 0 })
})

test('what is handled behind an event that waits is counted with all that it holds, until its turn has come', () => {
  const { receive, pending, passed } = startLine()
  const first = receive('id0', 'p0')
  const acks = Array.from({ length: 1000 }, (_, n) => receive(`id${n + 1}`, `p${n + 1}`))
  const before = pending.bytes
  for (const ack of acks) ack()
  expect([passed.length, pending.bytes - before]).toEqual([0, 1000 * 256])
  first()
  expect([passed.length, pending]).toEqual([1001, { size: 0, bytes: 0 }])
})

test('what is skipped behind a gap waits until the newest gap is told', () => {
  const { line, passed } = startLine()
  const [first, second] = [{}, {}]
  line.blockOnGap(first)
  line.skip('p1')
  line.unblockGap(second)
  line.skip('p2')
  expect(passed).toEqual([])
  line.unblockGap(first)
  line.unblockGap(first)
  line.skip('p3')
  expect(passed.splice(0).map(([, position]) => position)).toEqual(['p2', 'p3'])
  line.blockOnGap(first)
  line.skip('p4')
  line.blockOnGap(second)
  line.unblockGap(first)
  line.unblockGap(second)
  expect(passed).toEqual([])
})

test('an event that waits before a gap does not take the position of one skipped behind it', () => {
  const { line, receive, pending, passed } = startLine()
  const gap = {}
  const ack = receive('id1', 'p1')
  line.blockOnGap(gap)
  line.skip('p2')
  ack()
  expect([passed, pending]).toEqual([[['id1', 'p1']], { size: 0, bytes: 0 }])
  line.unblockGap(gap)
  expect(passed.slice(1)).toEqual([['', 'p2']])
})

test.each([
  ['p3', 'p3'],
  ['', 'p2'],
])('an event behind a gap, at %j, takes what was skipped before it along', (position, committed) => {
  const { line, receive, pending, passed } = startLine()
  const gap = {}
  line.blockOnGap(gap)
  line.skip('p2')
  const ack = receive('id3', position)
  line.unblockGap(gap)
  expect(passed).toEqual([])
  ack()
  expect([passed, pending]).toEqual([[['id3', committed]], { size: 0, bytes: 0 }])
  line.skip('p4')
  expect(passed.slice(1)).toEqual([['', 'p4']])
})

test('whatever the order, nothing unhandled is ever passed', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray(Array.from({ length: 30 }, (_, n) => n)),
      fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
      (order, skips) => {
        const { line, receive, pending, passed } = startLine()
        const acks = skips.map((skip, n) => {
          if (skip) line.skip(`p${n}`)
          else return receive(`id${n}`, `p${n}`)
          return undefined
        })
        const handled = new Set(skips.flatMap((skip, n) => (skip ? [n] : [])))
        for (const n of order) {
          acks[n]?.()
          handled.add(n)
          let prefix = 0
          while (handled.has(prefix)) prefix += 1
          expect(passed.at(-1)?.[1]).toBe(prefix === 0 ? undefined : `p${prefix - 1}`)
          expect(pending.size).toBe(line.size)
        }
      },
    ),
  )
})

test('whatever is received, skipped and handled, in any order: once each, and what waits is counted', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('event', 'without a position', 'skip', 'turn', 'ack'), { maxLength: 60 }),
      fc.infiniteStream(fc.nat()),
      (moves, choices) => {
        const { line, receive, pending, passed } = startLine()
        const events: { readonly id: string; readonly ack: () => boolean; handled: boolean }[] = []
        const handle = (event: (typeof events)[number] | undefined): void => {
          if (event !== undefined) expect(event.ack()).toBe(!event.handled)
          if (event !== undefined) event.handled = true
        }
        /** The newest position behind which nothing waits. */
        let last: string | undefined
        const positions = new Map<string, string | undefined>()
        let turns = 0
        moves.forEach((move, n) => {
          if (move === 'event' || move === 'without a position') {
            const position = move === 'event' ? `p${n}` : ''
            events.push({ id: `id${n}`, ack: receive(`id${n}`, position), handled: false })
            if (position !== '') last = position
          } else if (move === 'skip') {
            line.skip(`p${n}`)
            last = `p${n}`
          } else if (move === 'turn' && turns < events.length) {
            handle(events[turns])
            turns += 1
          } else if (move === 'ack' && events.length > 0) {
            handle(events[choices.next().value % events.length])
          }
          positions.set(events.at(-1)?.id ?? '', last)
          const waits = events.findIndex(({ handled }) => !handled)
          const done = waits < 0 ? events : events.slice(0, waits)
          expect(passed.flatMap(([id]) => (id === '' ? [] : [id]))).toEqual(done.map(({ id }) => id))
          expect(passed.filter(([, position]) => position !== '').at(-1)?.[1]).toBe(
            positions.get(done.at(-1)?.id ?? ''),
          )
          expect([line.size, pending.size]).toEqual([events.length - done.length, line.size])
        })
        for (const event of events) handle(event)
        expect([line.size, pending]).toEqual([0, { size: 0, bytes: 0 }])
      },
    ),
  )
})
