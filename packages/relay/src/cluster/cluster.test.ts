/** Clusters in virtual time: the relay of each app while relays join, leave, die and are disconnected. */
import { createSeededRandom } from '@brokerwire/core/testing'
import { describe, expect, test, vi } from 'vitest'
import { APPS, createBench, createClusterBench, HEARTBEAT_MS } from '../test/cluster-bench.ts'
import { serializeAppRecord } from './app-record.ts'
import { parseMembers, serializeMembers } from './members.ts'

describe('a cluster', () => {
  test('gives each app to one relay, and moves only the apps of a relay that joins', async () => {
    const bench = createBench(APPS)
    bench.start('a')
    await bench.clock.advance(1000)
    expect(new Set(bench.owners().values())).toEqual(new Set(['a']))
    const before = bench.owners()
    bench.start('b')
    await bench.clock.advance(120_000)
    const moved = APPS.filter((app) => bench.owners().get(app) !== before.get(app))
    expect(moved.length).toBeGreaterThan(5)
    expect(moved.length).toBeLessThan(25)
    for (const app of moved) expect(bench.owners().get(app)).toBe('b')
    expect(bench.most).toBe(1)
    // After a drain, the record has the number of lingering connections, and the app has no relay for at most one heartbeat.
    for (const { lingering, unownedMs } of bench.log.filter(({ name }) => name === 'b')) {
      expect(lingering).toBe(2)
      expect(unownedMs).toBeLessThanOrEqual(HEARTBEAT_MS)
    }
  })

  test('gives the apps of a dead relay to the others within six heartbeats, and counts all its connections as lingering', async () => {
    const bench = createBench(APPS)
    const [a] = [bench.start('a'), bench.start('b'), bench.start('c')]
    await bench.clock.advance(300_000)
    const ofA = APPS.filter((app) => bench.owners().get(app) === 'a')
    expect(ofA.length).toBeGreaterThan(2)
    const before = bench.owners()
    const from = bench.log.length
    a.die()
    await bench.clock.advance(120_000)
    for (const app of APPS) {
      const owner = bench.owners().get(app)
      if (ofA.includes(app)) expect(['b', 'c']).toContain(owner)
      else expect(owner).toBe(before.get(app))
    }
    const taken = bench.log.slice(from)
    expect(taken.map(({ app }) => app).sort()).toEqual([...ofA].sort())
    for (const { lingering, unownedMs } of taken) {
      expect(lingering).toBe(3)
      expect(unownedMs).toBeLessThanOrEqual(6 * HEARTBEAT_MS)
    }
    expect(bench.most).toBe(1)
  })

  test('counts the lingering connections of earlier holders when a relay dies soon after it acquired an app', async () => {
    const bench = createBench(APPS)
    bench.start('a')
    await bench.clock.advance(1000)
    const b = bench.start('b')
    while (![...bench.owners().values()].includes('b')) await bench.clock.advance(1000)
    const ofB = APPS.filter((app) => bench.owners().get(app) === 'b')
    const from = bench.log.length
    b.die()
    await bench.clock.advance(6 * HEARTBEAT_MS)
    const taken = bench.log.slice(from)
    expect(taken.map(({ app }) => app).sort()).toEqual([...ofB].sort())
    // Two connections of the first relay, which closed them, and three of the dead one.
    for (const { lingering } of taken) expect(lingering).toBe(5)
  })

  test('passes lingering connections to the next holder, even if the store was unavailable meanwhile', async () => {
    const bench = createBench(APPS)
    const [a] = [bench.start('a'), bench.start('b')]
    await bench.clock.advance(300_000)
    const [one, other, third] = APPS.filter((app) => bench.owners().get(app) === 'a')
    a.linger(one ?? '', 2)
    a.linger(other ?? '', 1)
    a.linger(other ?? '', 2)
    a.linger(other ?? '', 1)
    await bench.clock.advance(0)
    a.cut(true)
    a.linger(third ?? '', 1)
    await bench.clock.advance(1.5 * HEARTBEAT_MS)
    a.cut(false)
    await bench.clock.advance(2 * HEARTBEAT_MS)
    expect(a.lost).toEqual([])
    const from = bench.log.length
    a.die()
    await bench.clock.advance(120_000)
    const found = new Map(bench.log.slice(from).map(({ app, lingering }) => [app, lingering]))
    expect([one, other, third].map((app) => found.get(app ?? ''))).toEqual([5, 4, 4])
  })

  test('drains the apps of a relay that lost the store before another relay acquires them, and lets it join again', async () => {
    const bench = createBench(APPS)
    const [a] = [bench.start('a'), bench.start('b')]
    await bench.clock.advance(300_000)
    const before = bench.owners()
    a.cut(true)
    await bench.clock.advance(60_000)
    expect(a.lost).toMatchObject([{ code: 'RELAY_MEMBERSHIP_LOST' }])
    // It has no assigned app then, and must not be ready.
    expect(a.cluster.isMember).toBe(false)
    expect(new Set(bench.owners().values())).toEqual(new Set(['b']))
    expect(bench.most).toBe(1)
    a.cut(false)
    await bench.clock.advance(300_000)
    expect(a.cluster.isMember).toBe(true)
    expect(bench.owners()).toEqual(before)
    expect(bench.most).toBe(1)
  })

  test('does not count a relay as dead that joined and acquired an app a moment ago', async () => {
    const bench = createBench(['team-1'])
    const get = bench.store.get.bind(bench.store)
    const [membersAt, recordKey] = ['relay/main/members', 'relay/main/key/team-1']
    let hasJoined = false
    vi.spyOn(bench.store, 'get').mockImplementation(async (path) => {
      if (path === recordKey && !hasJoined) {
        // The other relay joins after the last heartbeat of this one.
        hasJoined = true
        const text = await get(membersAt)
        const other = { incarnation: 'x', heartbeat: 1, isLeaving: false }
        const members = new Map([...parseMembers(membersAt, text), ['other', other]])
        await bench.store.compareAndSet(membersAt, text, serializeMembers(members))
        const holder = { name: 'other', incarnation: 'x', acquisition: 1 }
        await bench.store.compareAndSet(
          recordKey,
          undefined,
          serializeAppRecord({ holder, state: 'held', lingering: 0 }),
        )
      }
      return get(path)
    })
    bench.start('a')
    await bench.clock.advance(HEARTBEAT_MS - 1)
    expect(bench.owners().get('team-1')).toBe('')
    // It sends no further heartbeat, so it counts as dead later.
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect(bench.owners().get('team-1')).toBe('a')
  })

  test.each([
    ['', 0],
    [', while one request of twenty fails', 0.05],
  ])(
    'never has two relays for one app through random joins, deaths and disconnections, and one in the end%s',
    async (_, failing) => {
      for (const seed of [1, 2, 3]) {
        const random = createSeededRandom(seed)
        const luck = createSeededRandom(seed)
        const fails = () => {
          if (luck() >= failing) return undefined
          return luck() < 0.5 ? 'request' : 'response'
        }
        const bench = createClusterBench(APPS, { seed: 3, fails })
        const relays = ['a', 'b', 'c'].map((name) => bench.start(name))
        let named = 0
        for (let step = 0; step < 12; step += 1) {
          await bench.clock.advance(Math.floor(random() * 60_000))
          const at = Math.floor(random() * relays.length)
          const drawn = random()
          if (drawn < 0.4 && relays.length > 1) relays.splice(at, 1)[0]?.die()
          else if (drawn < 0.7) {
            named += 1
            relays.push(bench.start(`relay-${named}`))
          } else relays[at]?.cut(random() < 0.5)
        }
        for (const relay of relays) relay.cut(false)
        await bench.clock.advance(400_000)
        expect(bench.most).toBe(1)
        expect([...bench.owners().values()].filter((owner) => owner === '')).toEqual([])
      }
    },
  )
})
