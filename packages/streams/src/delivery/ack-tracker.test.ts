import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AckTracker, type PendingCounters } from './ack-tracker.ts'

const NOTHING_PENDING = { size: 0, bytes: 0 }

function createTracker() {
  const pending: PendingCounters = { size: 0, bytes: 0 }
  const committed: [string, string][] = []
  const tracker = new AckTracker(pending, (id, position) => committed.push([id, position]))
  /** Adds an event. @returns Its `ack()`. */
  const receive = (id: string, position: string) => {
    const number = tracker.add(id, position)
    return (): boolean => tracker.ack(number, id, position)
  }
  return { tracker, receive, pending, committed }
}

test('commits acknowledged events only once all events before them are acknowledged', () => {
  const { tracker, receive, pending, committed } = createTracker()
  const [a, b, c] = [receive('id1', 'p1'), receive('id2', 'p2'), receive('id3', 'p3')]
  expect(c()).toBe(true)
  expect(c()).toBe(false)
  expect(committed).toEqual([])
  a()
  expect(committed).toEqual([['id1', 'p1']])
  expect(tracker.size).toBe(2)
  b()
  expect(committed.slice(1)).toEqual([
    ['id2', 'p2'],
    ['id3', 'p3'],
  ])
  expect(tracker.size).toBe(0)
  expect(pending).toEqual(NOTHING_PENDING)
})

test('stores only the newest of the positions that are skipped after an unacknowledged event', () => {
  const { tracker, receive, pending, committed } = createTracker()
  tracker.skip('p0')
  expect(committed).toEqual([['', 'p0']])
  const ack = receive('id1', 'p1')
  tracker.skip('p00002')
  const bytesOfOne = pending.bytes
  for (let n = 10_000; n < 100_000; n += 1) tracker.skip(`p${n}`)
  tracker.skip('')
  expect(tracker.size).toBe(1)
  expect(pending).toEqual({ size: 1, bytes: bytesOfOne })
  ack()
  expect(committed.slice(1)).toEqual([['id1', 'p99999']])
  expect(pending).toEqual(NOTHING_PENDING)
})

test('counts the memory of events that are acknowledged before an earlier one until they are committed', () => {
  const { receive, pending, committed } = createTracker()
  const first = receive('id0', 'p0')
  const acks = Array.from({ length: 1000 }, (_, n) => receive(`id${n + 1}`, `p${n + 1}`))
  const before = pending.bytes
  for (const ack of acks) ack()
  expect(committed).toEqual([])
  expect(pending.size).toBe(1001)
  expect(pending.bytes - before).toBeGreaterThanOrEqual(1000 * 100)
  first()
  expect(committed).toHaveLength(1001)
  expect(pending).toEqual(NOTHING_PENDING)
})

test('commits positions that are skipped after gap notices once the newest gap notice is handled', () => {
  const { tracker, committed } = createTracker()
  const [first, second] = [{}, {}]
  tracker.blockOnGap(first)
  tracker.skip('p1')
  tracker.unblockGap(second)
  tracker.skip('p2')
  expect(committed).toEqual([])
  tracker.unblockGap(first)
  tracker.unblockGap(first)
  tracker.skip('p3')
  expect(committed.splice(0).map(([, position]) => position)).toEqual(['p2', 'p3'])
  tracker.blockOnGap(first)
  tracker.skip('p4')
  tracker.blockOnGap(second)
  tracker.unblockGap(first)
  tracker.unblockGap(second)
  expect(committed).toEqual([])
})

test('an unacknowledged event before a gap is not committed with a position that is skipped after the gap', () => {
  const { tracker, receive, pending, committed } = createTracker()
  const gap = {}
  const ack = receive('id1', 'p1')
  tracker.blockOnGap(gap)
  tracker.skip('p2')
  ack()
  expect(committed).toEqual([['id1', 'p1']])
  expect(pending).toEqual(NOTHING_PENDING)
  tracker.unblockGap(gap)
  expect(committed.slice(1)).toEqual([['', 'p2']])
})

test.each([
  ['p3', 'p3'],
  ['', 'p2'],
])('an event at position %j after a gap commits the newest position, %j', (position, newest) => {
  const { tracker, receive, pending, committed } = createTracker()
  const gap = {}
  tracker.blockOnGap(gap)
  tracker.skip('p2')
  const ack = receive('id3', position)
  tracker.unblockGap(gap)
  expect(committed).toEqual([])
  ack()
  expect(committed).toEqual([['id3', newest]])
  expect(pending).toEqual(NOTHING_PENDING)
  tracker.skip('p4')
  expect(committed.slice(1)).toEqual([['', 'p4']])
})

test('never commits past an unacknowledged event, in any order of acknowledgements', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray(Array.from({ length: 30 }, (_, n) => n)),
      fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
      (order, skips) => {
        const { tracker, receive, pending, committed } = createTracker()
        const acks = skips.map((skip, n) => {
          if (skip) tracker.skip(`p${n}`)
          else return receive(`id${n}`, `p${n}`)
          return undefined
        })
        const handled = new Set(skips.flatMap((skip, n) => (skip ? [n] : [])))
        for (const n of order) {
          acks[n]?.()
          handled.add(n)
          let prefix = 0
          while (handled.has(prefix)) prefix += 1
          expect(committed.at(-1)?.[1]).toBe(prefix === 0 ? undefined : `p${prefix - 1}`)
          expect(pending.size).toBe(tracker.size)
        }
      },
    ),
  )
})

test('commits each event once and counts pending events, for any sequence of events, skipped positions and acknowledgements', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('event', 'event without a position', 'skip', 'ack the next', 'ack any'), {
        maxLength: 60,
      }),
      fc.infiniteStream(fc.nat()),
      (moves, choices) => {
        const { tracker, receive, pending, committed } = createTracker()
        const events: { readonly id: string; readonly ack: () => boolean; handled: boolean }[] = []
        const handle = (event: (typeof events)[number] | undefined): void => {
          if (event !== undefined) expect(event.ack()).toBe(!event.handled)
          if (event !== undefined) event.handled = true
        }
        /** The newest position. */
        let last: string | undefined
        const positions = new Map<string, string | undefined>()
        let acked = 0
        moves.forEach((move, n) => {
          if (move === 'event' || move === 'event without a position') {
            const position = move === 'event' ? `p${n}` : ''
            events.push({ id: `id${n}`, ack: receive(`id${n}`, position), handled: false })
            if (position !== '') last = position
          } else if (move === 'skip') {
            tracker.skip(`p${n}`)
            last = `p${n}`
          } else if (move === 'ack the next' && acked < events.length) {
            handle(events[acked])
            acked += 1
          } else if (move === 'ack any' && events.length > 0) {
            handle(events[choices.next().value % events.length])
          }
          positions.set(events.at(-1)?.id ?? '', last)
          const unhandled = events.findIndex(({ handled }) => !handled)
          const done = unhandled < 0 ? events : events.slice(0, unhandled)
          expect(committed.flatMap(([id]) => (id === '' ? [] : [id]))).toEqual(done.map(({ id }) => id))
          expect(committed.filter(([, position]) => position !== '').at(-1)?.[1]).toBe(
            positions.get(done.at(-1)?.id ?? ''),
          )
          expect(tracker.size).toBe(events.length - done.length)
          expect(pending.size).toBe(tracker.size)
        })
        for (const event of events) handle(event)
        expect(tracker.size).toBe(0)
        expect(pending).toEqual(NOTHING_PENDING)
      },
    ),
  )
})
