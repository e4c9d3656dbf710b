import type { Store } from '@brokerwire/core'
import { addAbortListener } from '@brokerwire/core/internal'
import { createSeededRandom, createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import { createMemoryStore } from '@brokerwire/stores'
import { describe, expect, test } from 'vitest'
import { parseMembers, serializeMembers } from './members.ts'
import { type ClusterView, EMPTY_VIEW, Membership } from './membership.ts'

const STORE_KEY = 'relay/cluster/members'

/** A cluster with one store; each relay has its own network to it. */
function createCluster() {
  const clock = createVirtualClock(0)
  const store = createMemoryStore()
  const random = createSeededRandom(7)
  const counts = { writes: 0, refused: 0 }
  const start = (name: string, incarnation = `${name}-1`, own: VirtualClock = clock) => {
    let isCut = false
    let mayAnswer: Promise<void> | undefined
    let view: ClusterView = EMPTY_VIEW
    const lostAt: number[] = []
    const through = async <T>(work: () => Promise<T>): Promise<T> => (isCut ? new Promise(() => {}) : work())
    const reached: Store = {
      async get(key) {
        await mayAnswer
        return through(() => store.get(key))
      },
      compareAndSet: (key, expected, next) =>
        through(async () => {
          const wrote = await store.compareAndSet(key, expected, next)
          counts.writes += 1
          if (!wrote) counts.refused += 1
          return wrote
        }),
    }
    const membership = new Membership({
      store: reached,
      storeKey: STORE_KEY,
      name,
      incarnation,
      clock: own,
      random,
      onMembers: (seen) => {
        view = seen
      },
    })
    addAbortListener(membership.lost, () => lostAt.push(own.now()))
    return {
      membership,
      lostAt,
      get members() {
        return [...view.members.keys()].sort()
      },
      get eligible() {
        return [...view.eligible].sort()
      },
      cut: (cut: boolean) => {
        isCut = cut
      },
      /** Pauses the reads of its store until it is resumed. */
      stall() {
        let goOn = (): void => {}
        mayAnswer = new Promise((resolve) => {
          goOn = resolve
        })
        return () => goOn()
      },
    }
  }
  return { clock, store, counts, start }
}

describe('membership', () => {
  test('shows all members to each relay within a heartbeat interval', async () => {
    const { clock, start } = createCluster()
    const relays = ['a', 'b', 'c'].map((name) => start(name))
    for (const { membership } of relays) expect(await membership.join()).toBe(true)
    await clock.advance(5000)
    for (const relay of relays) expect(relay.members).toEqual(['a', 'b', 'c'])
    await clock.advance(3_600_000)
    for (const relay of relays) {
      expect(relay.members).toEqual(['a', 'b', 'c'])
      expect(relay.lostAt).toEqual([])
    }
  })

  test('is lost before the others count the relay as dead', async () => {
    const { clock, start } = createCluster()
    const [a, b, c] = [start('a'), start('b'), start('c')]
    for (const { membership } of [a, b, c]) await membership.join()
    await clock.advance(60_000)
    a.cut(true)
    const cutAt = clock.now()
    let deadAt: number | undefined
    for (let second = 0; second < 60 && deadAt === undefined; second += 1) {
      await clock.advance(1000)
      if (!b.members.includes('a') || !c.members.includes('a')) deadAt = clock.now()
    }
    expect(a.lostAt).toHaveLength(1)
    expect(a.lostAt[0]).toBeLessThan(deadAt ?? 0)
    expect((a.lostAt[0] ?? 0) - cutAt).toBeLessThanOrEqual(15_000)
    expect((deadAt ?? 0) - cutAt).toBeGreaterThanOrEqual(13_000)
    expect((deadAt ?? 0) - cutAt).toBeLessThanOrEqual(25_000)
    await clock.advance(10_000)
    expect(b.members).toEqual(['b', 'c'])
    expect(b.lostAt).toEqual([])
  })

  test('is kept if the store is unavailable for twelve seconds', async () => {
    const { clock, start } = createCluster()
    const [a, b] = [start('a'), start('b')]
    for (const { membership } of [a, b]) await membership.join()
    await clock.advance(60_000)
    a.cut(true)
    await clock.advance(12_000)
    a.cut(false)
    await clock.advance(60_000)
    expect(a.lostAt).toEqual([])
    expect(b.members).toEqual(['a', 'b'])
  })

  test('reports no members after leaving, even if a heartbeat is written afterwards', async () => {
    const { clock, start } = createCluster()
    const [a, b] = [start('a'), start('b')]
    await a.membership.join()
    const joining = b.membership.join()
    await b.membership.leave()
    expect(await joining).toBe(false)
    await clock.advance(60_000)
    expect(b.members).toEqual([])
  })

  test('does not take the name from the next membership of its process if it was given up while it joined', async () => {
    const { clock, store, start } = createCluster()
    const [first, second] = [start('a', 'first'), start('a', 'second')]
    const goOn = first.stall()
    const joining = first.membership.join()
    const leaving = first.membership.leave()
    expect(await second.membership.join()).toBe(true)
    goOn()
    await leaving
    expect(await joining).toBe(false)
    expect(parseMembers(STORE_KEY, await store.get(STORE_KEY)).get('a')).toMatchObject({
      incarnation: 'second',
    })
    await clock.advance(60_000)
    expect(second.lostAt).toEqual([])
  })

  test('removes no member when a clock jumps', async () => {
    const { clock, start } = createCluster()
    const own = createVirtualClock(0)
    const [a, b] = [start('a'), start('b', 'b-1', own)]
    for (const { membership } of [a, b]) await membership.join()
    for (const jumpMs of [86_400_000, -172_800_000, 5_000]) {
      own.jumpTo(own.now() + jumpMs)
      for (let second = 0; second < 40; second += 1) {
        await clock.advance(1000)
        await own.advance(1000)
      }
      expect(a.members).toEqual(['a', 'b'])
      expect(b.members).toEqual(['a', 'b'])
    }
    expect([...a.lostAt, ...b.lostAt]).toEqual([])
  })

  test('gets no more apps after it announced to leave, and is removed at once when it leaves', async () => {
    const { clock, store, start } = createCluster()
    const [a, b] = [start('a'), start('b')]
    for (const { membership } of [a, b]) await membership.join()
    await a.membership.announceLeaving()
    await clock.advance(5000)
    expect(b.members).toEqual(['a', 'b'])
    expect(b.eligible).toEqual(['b'])
    await a.membership.leave()
    await clock.advance(5000)
    expect(b.members).toEqual(['b'])
    expect(a.lostAt).toEqual([])
    await b.membership.leave()
    expect(await store.get(STORE_KEY)).toBeUndefined()
    expect(clock.pendingTimers).toBe(0)
  })

  test('keeps the later of two relays of one name, and the earlier one gets an error', async () => {
    const { clock, start } = createCluster()
    const earlier = start('a', 'first')
    await earlier.membership.join()
    const later = start('a', 'second')
    await later.membership.join()
    await clock.advance(6000)
    expect(earlier.membership.lost.reason).toMatchObject({ code: 'RELAY_NAME_TAKEN', details: { name: 'a' } })
    expect(later.lostAt).toEqual([])
    // It neither takes the name back nor removes it.
    await earlier.membership.leave()
    await clock.advance(60_000)
    expect(later.members).toEqual(['a'])
  })

  test('is lost at the next heartbeat of a relay that was counted as dead', async () => {
    const { clock, store, start } = createCluster()
    const a = start('a')
    await a.membership.join()
    await store.compareAndSet(STORE_KEY, await store.get(STORE_KEY), undefined)
    await clock.advance(5000)
    expect(a.membership.lost.reason).toMatchObject({
      code: 'RELAY_MEMBERSHIP_LOST',
      retryable: true,
      details: { why: 'taken over' },
    })
  })

  test('needs one write in each heartbeat interval for each of 200 relays, with few conflicts', async () => {
    const { clock, counts, start } = createCluster()
    const random = createSeededRandom(1)
    const relays = Array.from({ length: 200 }, (_, at) => start(`relay-${at}`))
    for (const { membership } of relays) {
      await membership.join()
      await clock.advance(random() * 50)
    }
    await clock.advance(10_000)
    const before = { ...counts }
    await clock.advance(30_000)
    const writes = (counts.writes - before.writes) / 30
    const refused = (counts.refused - before.refused) / 30
    process.stdout.write(`membership of 200 relays: ${writes} writes a second, ${refused} refused\n`)
    expect(writes).toBeLessThanOrEqual(50)
    expect(refused).toBeLessThanOrEqual(5)
    for (const relay of relays) expect(relay.members).toHaveLength(200)
  }, 180_000)
})

describe('the members in the store', () => {
  test('parses to the same members', () => {
    const members = new Map([
      ['b', { incarnation: 'x', heartbeat: 3, isLeaving: true }],
      ['a', { incarnation: 'y', heartbeat: 1, isLeaving: false }],
    ])
    expect(parseMembers(STORE_KEY, serializeMembers(members))).toEqual(members)
  })

  test.each([
    ['not a JSON object', 'x'],
    ['an unknown format version', '{"v":2,"members":{}}'],
    ['no members', '{"v":1}'],
    ['a member that is not an object', '{"v":1,"members":{"a":1}}'],
    ['a member without a heartbeat', '{"v":1,"members":{"a":{"incarnation":"x"}}}'],
  ])('rejects a value of another program: %s', (reason, text) => {
    expect(() => parseMembers(STORE_KEY, text)).toThrow(
      expect.objectContaining({ code: 'RELAY_STATE_INVALID', details: { storeKey: STORE_KEY, reason } }),
    )
  })
})
