/** Clusters in virtual time: who has which app while relays join, leave, die and are cut off. */
import type { Store } from '@brokerwire/core'
import { createSeededRandom } from '@brokerwire/core/testing'
import { describe, expect, test, vi } from 'vitest'
import { RelayError } from '../relay-error.ts'
import { type BenchRelay, createClusterBench, HEARTBEAT_MS } from '../test/cluster-bench.ts'
import { parseAppRecord, serializeAppRecord } from './app-record.ts'
import type { AppRunEnd } from './app-runs.ts'
import { parseMembers, serializeMembers } from './members.ts'

const createBench = (apps: readonly string[]) => createClusterBench(apps, { seed: 3 })

const APPS = Array.from({ length: 30 }, (_, at) => `app-${at}`)

/** A run that nothing but a test ends. */
function keyThatEnds() {
  let end: (how: AppRunEnd) => void = () => {}
  const ended = new Promise<AppRunEnd>((resolve) => {
    end = resolve
  })
  const run = { ended, drain: () => {}, abort: () => {} }
  return { startApp: () => run, end: (how: AppRunEnd) => end(how) }
}

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
    // After a drain, the lingering connections are those of the record, and no relay has the app for one heartbeat at most.
    for (const { name, lingering, unownedMs } of bench.log.filter(({ name }) => name === 'b')) {
      expect([name, lingering]).toEqual(['b', 2])
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
    // Two of the first one, which closed them, and three of the one that died.
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
    // It has no app then, but must not be ready.
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
    const bench = createBench(['desk-1'])
    const get = bench.store.get.bind(bench.store)
    const [membersAt, recordKey] = ['relay/main/members', 'relay/main/key/desk-1']
    let hasJoined = false
    vi.spyOn(bench.store, 'get').mockImplementation(async (path) => {
      if (path === recordKey && !hasJoined) {
        // Since the last heartbeat of the one that asks.
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
    expect(bench.owners().get('desk-1')).toBe('')
    // It never heartbeats again, so it is dead in the end.
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect(bench.owners().get('desk-1')).toBe('a')
  })

  test('does not release a running app after a late response of the store to an earlier claim', async () => {
    const bench = createBench(['desk-1'])
    const path = 'relay/main/key/desk-1'
    let answer: (() => void) | undefined
    const a = bench.start('a', {
      store: {
        get: (name) => bench.store.get(name),
        async compareAndSet(...args) {
          const hasWritten = await bench.store.compareAndSet(...args)
          if (args[0] === path && answer === undefined)
            await new Promise<void>((resolve) => {
              answer = resolve
            })
          return hasWritten
        },
      },
    })
    await bench.clock.advance(4 * HEARTBEAT_MS)
    expect(a.cluster.heldApps).toEqual(['desk-1'])
    answer?.()
    await bench.clock.advance(0)
    expect(parseAppRecord(path, (await bench.store.get(path)) ?? '')).toMatchObject({ state: 'held' })
    const b = bench.start('b')
    await bench.clock.advance(120_000)
    expect([b.cluster.heldApps, bench.most]).toEqual([['desk-1'], 1])
  })

  /** Its store does not respond until it has lost its membership, and responds before it has released all its apps. */
  const loseMembership = async (bench: ReturnType<typeof createBench>, a: BenchRelay) => {
    a.cut(true)
    while (a.lost.length === 0) await bench.clock.advance(HEARTBEAT_MS / 50)
    await bench.clock.advance(HEARTBEAT_MS / 4)
    a.cut(false)
  }

  test('keeps the next run of an app if the previous one ends after membership was lost', async () => {
    const bench = createBench(['desk-1'])
    const a = bench.start('a')
    await bench.clock.advance(1000)
    await loseMembership(bench, a)
    await bench.clock.advance(HEARTBEAT_MS / 2)
    expect([a.cluster.heldApps, bench.log.length]).toEqual([['desk-1'], 2])
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect([bench.owners().get('desk-1'), bench.log.length, bench.most]).toEqual(['a', 2, 1])
  })

  test('assigns no apps after a late response to a heartbeat of a lost membership', async () => {
    const bench = createBench(APPS)
    const waiting: (() => void)[] = []
    let isSlow = false
    const a = bench.start('a', {
      store: {
        async get(path) {
          if (isSlow && path === 'relay/main/members')
            await new Promise<void>((resolve) => waiting.push(resolve))
          return bench.store.get(path)
        },
        compareAndSet: (...args) => bench.store.compareAndSet(...args),
      },
    })
    await bench.clock.advance(1000)
    isSlow = true
    // The heartbeat that waits is to see it.
    bench.start('b')
    await bench.clock.advance(3.5 * HEARTBEAT_MS)
    expect([a.cluster.isMember, a.cluster.heldApps]).toEqual([false, []])
    waiting[0]?.()
    await bench.clock.advance(12 * HEARTBEAT_MS)
    expect([a.cluster.isMember, a.cluster.heldApps, bench.most]).toEqual([false, [], 1])
    expect(new Set(bench.owners().values())).toEqual(new Set(['b']))
  })

  test('is not ended by a late response to an earlier attempt to join', async () => {
    const bench = createBench(['desk-1'])
    let answer: (() => void) | undefined
    const a = bench.start('a', {
      store: {
        async get(path) {
          if (answer === undefined)
            await new Promise<void>((resolve) => {
              answer = resolve
            })
          return bench.store.get(path)
        },
        compareAndSet: (...args) => bench.store.compareAndSet(...args),
      },
    })
    await bench.clock.advance(3 * HEARTBEAT_MS)
    expect(a.cluster.heldApps).toEqual(['desk-1'])
    answer?.()
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect([a.lost, a.cluster.isMember, a.cluster.heldApps]).toEqual([[], true, ['desk-1']])
  })

  test('releases all apps at the end, and leaves only released records in the store', async () => {
    const bench = createBench(APPS)
    const [a, b] = [bench.start('a'), bench.start('b')]
    await bench.clock.advance(300_000)
    const closing = a.cluster.close()
    await bench.clock.advance(2 * HEARTBEAT_MS)
    await closing
    expect(new Set(bench.owners().values())).toEqual(new Set(['b']))
    const other = b.cluster.close()
    await bench.clock.advance(2 * HEARTBEAT_MS)
    await other
    expect(new Set(bench.owners().values())).toEqual(new Set(['']))
    expect(await bench.store.get('relay/main/members')).toBeUndefined()
    for (const app of APPS) {
      const path = `relay/main/key/${app}`
      expect(parseAppRecord(path, (await bench.store.get(path)) ?? '')).toMatchObject({ state: 'released' })
    }
    expect(bench.most).toBe(1)
  })

  test('ends while its sink is unavailable, and the others take over its apps as after a crash', async () => {
    const bench = createBench(APPS)
    const [a] = [bench.start('a'), bench.start('b')]
    await bench.clock.advance(300_000)
    const ofA = APPS.filter((app) => bench.owners().get(app) === 'a')
    const from = bench.log.length
    a.stick()
    let hasEnded = false
    const closing = a.cluster.close().then(() => {
      hasEnded = true
    })
    await bench.clock.advance(3_500)
    expect(hasEnded).toBe(false)
    await bench.clock.advance(2_000)
    await closing
    a.die()
    await bench.clock.advance(2 * HEARTBEAT_MS)
    const taken = bench.log.slice(from)
    expect(taken.map(({ app }) => app).sort()).toEqual([...ofA].sort())
    for (const { lingering } of taken) expect(lingering).toBe(3)
  })

  test('waits for the drain in a second call of close()', async () => {
    const bench = createBench(['desk-1'])
    const a = bench.start('a')
    await bench.clock.advance(1000)
    a.stick()
    const ended: string[] = []
    const closing = ['first', 'second'].map((which) => a.cluster.close().then(() => ended.push(which)))
    await bench.clock.advance(3_500)
    expect(ended).toEqual([])
    await bench.clock.advance(2_000)
    await Promise.all(closing)
    expect(ended).toEqual(['first', 'second'])
  })

  test('sets no timer for an app that fails while its relay ends', async () => {
    const bench = createBench(['desk-1'])
    const { startApp, end } = keyThatEnds()
    const a = bench.start('a', { startApp })
    await bench.clock.advance(1000)
    const closing = a.cluster.close()
    await bench.clock.advance(500)
    end({ why: 'failed', error: new Error('of a test') })
    await bench.clock.advance(0)
    await closing
    expect(bench.clock.pendingTimers).toBe(0)
  })

  test.each(Array.from({ length: 12 }, (_, at) => at * 100))(
    'leaves no member in the store if it is closed %d ms after it started to join',
    async (afterMs) => {
      const bench = createBench(['desk-1'])
      const slow: Store = {
        async get(app) {
          await new Promise<void>((resolve) => bench.clock.setTimer(resolve, 250))
          return bench.store.get(app)
        },
        async compareAndSet(...args) {
          await new Promise<void>((resolve) => bench.clock.setTimer(resolve, 250))
          return bench.store.compareAndSet(...args)
        },
      }
      const a = bench.start('a', { store: slow })
      await bench.clock.advance(afterMs)
      const closing = a.cluster.close()
      await bench.clock.advance(4 * HEARTBEAT_MS)
      await closing
      await a.started
      const text = await bench.store.get('relay/main/members')
      await bench.clock.advance(10 * HEARTBEAT_MS)
      expect([text, await bench.store.get('relay/main/members')]).toEqual([undefined, undefined])
      expect(bench.owners().get('desk-1')).toBe('')
    },
  )

  test('leaves its cluster at the end even if an app never ends', async () => {
    const bench = createBench(['desk-1'])
    const endless = { ended: new Promise<never>(() => {}), drain: () => {}, abort: () => {} }
    const a = bench.start('a', { startApp: () => endless })
    await bench.clock.advance(1000)
    const closing = a.cluster.close()
    await bench.clock.advance(10_000 + 5 * HEARTBEAT_MS)
    await closing
    expect(await bench.store.get('relay/main/members')).toBeUndefined()
  })

  test('ends the later of two live relays with one name with an error, and the earlier one keeps its apps', async () => {
    const bench = createBench(APPS)
    const earlier = bench.start('same')
    await bench.clock.advance(60_000)
    const later = bench.start('same')
    await bench.clock.advance(2 * HEARTBEAT_MS)
    await expect(later.started).rejects.toMatchObject({ code: 'RELAY_NAME_TAKEN', retryable: false })
    expect([earlier.lost, later.lost]).toEqual([[], []])
    expect([earlier.cluster.heldApps.length, later.cluster.heldApps.length]).toEqual([APPS.length, 0])
  })

  test('ends one of two relays that start with one name at the same time, with the reason', async () => {
    const bench = createBench(APPS)
    const [earlier, later] = [bench.start('same'), bench.start('same')]
    await bench.clock.advance(200_000)
    expect(earlier.lost).toMatchObject([{ code: 'RELAY_NAME_TAKEN' }])
    expect(await earlier.cluster.ended).toMatchObject({ code: 'RELAY_NAME_TAKEN', retryable: false })
    expect(later.lost).toEqual([])
    expect([earlier.cluster.heldApps.length, later.cluster.heldApps.length]).toEqual([0, APPS.length])
    const closing = later.cluster.close()
    await bench.clock.advance(2 * HEARTBEAT_MS)
    await closing
    expect(await later.cluster.ended).toBeUndefined()
  })

  test('starts the apps of a restarted relay within two heartbeats, and counts all its connections as lingering', async () => {
    const bench = createBench(APPS)
    const before = bench.start('same')
    await bench.clock.advance(60_000)
    before.die()
    const from = bench.log.length
    bench.start('same')
    await bench.clock.advance(2 * HEARTBEAT_MS)
    const taken = bench.log.slice(from)
    expect(taken.map(({ app }) => app).sort()).toEqual([...APPS].sort())
    for (const { lingering } of taken) expect(lingering).toBe(3)
  })

  test('ends a relay that reaches the store again after another took its name', async () => {
    const bench = createBench(['desk-1'])
    const earlier = bench.start('same')
    await bench.clock.advance(60_000)
    earlier.cut(true)
    const later = bench.start('same')
    await bench.clock.advance(10 * HEARTBEAT_MS)
    // Both may run for a moment: the stream takes the messages of one of them.
    expect([earlier.cluster.heldApps, later.cluster.heldApps]).toEqual([[], ['desk-1']])
    earlier.cut(false)
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect(await earlier.cluster.ended).toMatchObject({ code: 'RELAY_NAME_TAKEN' })
    expect([later.cluster.heldApps, later.lost]).toEqual([['desk-1'], []])
  })

  test('can be closed while it waits for another relay of its name', async () => {
    const bench = createBench(['desk-1'])
    bench.start('same').die()
    await bench.clock.advance(0)
    const waiting = bench.start('same')
    await bench.clock.advance(100)
    const closing = waiting.cluster.close()
    await bench.clock.advance(1000)
    await closing
    await waiting.started
  })

  test('waits for the end of its apps after its name was taken', async () => {
    const bench = createBench(['desk-1'])
    const { startApp, end } = keyThatEnds()
    const earlier = bench.start('same', { startApp })
    const later = bench.start('same', { apps: [] })
    while (earlier.lost.length === 0) await bench.clock.advance(HEARTBEAT_MS / 50)
    await bench.clock.advance(HEARTBEAT_MS / 2)
    expect(await earlier.cluster.ended).toMatchObject({ code: 'RELAY_NAME_TAKEN' })
    let isClosed = false
    const closing = earlier.cluster.close().then(() => {
      isClosed = true
    })
    await bench.clock.advance(HEARTBEAT_MS / 2)
    expect(isClosed).toBe(false)
    end({ why: 'released', lingering: 0 })
    await bench.clock.advance(0)
    expect(isClosed).toBe(true)
    await closing
    await later.cluster.close()
  })

  test('sets no timer for an app that fails while its relay ends because of its name', async () => {
    const bench = createBench(['desk-1'])
    const earlier = bench.start('same')
    const later = bench.start('same', { apps: [] })
    await bench.clock.advance(1000)
    earlier.stick()
    while (earlier.lost.length === 0) await bench.clock.advance(HEARTBEAT_MS / 50)
    earlier.fail('desk-1', { why: 'failed', error: new Error('of a test') })
    await bench.clock.advance(0)
    expect(await earlier.cluster.ended).toMatchObject({ code: 'RELAY_NAME_TAKEN' })
    const closing = later.cluster.close()
    // One heartbeat for what it looked at last; the app would rest for two.
    await bench.clock.advance(HEARTBEAT_MS)
    await closing
    expect(bench.clock.pendingTimers).toBe(0)
  })

  test('rejects the start with a permanent error of the store, and retries transient ones', async () => {
    const bench = createBench(['desk-1'])
    const refusing = (retryable: boolean): Store => {
      const error = new RelayError('RELAY_CLOSED', 'of a test', { details: { stream: 'x' }, retryable })
      return { get: () => Promise.reject(error), compareAndSet: () => Promise.reject(error) }
    }
    await expect(bench.start('a', { store: refusing(false) }).started).rejects.toThrow('of a test')
    const away = bench.start('b', { store: refusing(true) })
    let isOver = false
    away.started.finally(() => {
      isOver = true
    })
    await bench.clock.advance(100 * HEARTBEAT_MS)
    expect(isOver).toBe(false)
    const closing = away.cluster.close()
    await bench.clock.advance(4 * HEARTBEAT_MS)
    await closing
    await away.started
  })

  test('reports an app that cannot start as failed, not the store', async () => {
    const bench = createBench(['desk-1'])
    const failed: unknown[] = []
    const a = bench.start('a', {
      startApp() {
        throw new Error('of a test')
      },
      observer: { onApp: (report) => failed.push(report), onStoreFailed: () => failed.push('store') },
    })
    await bench.clock.advance(1000)
    expect(failed).toMatchObject([
      { app: 'desk-1', state: 'acquired' },
      { app: 'desk-1', state: 'failed', error: { message: 'of a test' } },
    ])
    expect(a.cluster.heldApps).toEqual([])
    const path = 'relay/main/key/desk-1'
    expect(parseAppRecord(path, (await bench.store.get(path)) ?? '')).toMatchObject({ state: 'released' })
  })

  test('aborts the apps that its sink keeps from draining', async () => {
    const bench = createBench(['desk-1'])
    const a = bench.start('a')
    await bench.clock.advance(1000)
    a.stick()
    a.cut(true)
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect(a.lost).toHaveLength(1)
    expect(bench.owners().get('desk-1')).toBe('')
  })

  test('starts a failed app again after a delay, on any relay', async () => {
    const bench = createBench(['desk-1'])
    const a = bench.start('a')
    await bench.clock.advance(1000)
    a.fail('desk-1', { why: 'failed', error: new Error('of a test') })
    await bench.clock.advance(HEARTBEAT_MS)
    expect(bench.owners().get('desk-1')).toBe('')
    await bench.clock.advance(3 * HEARTBEAT_MS)
    expect(bench.owners().get('desk-1')).toBe('a')
    expect(bench.log.at(-1)).toMatchObject({ lingering: 3 })
  })

  test.each([
    ['', false],
    [', also if membership is lost in between', true],
  ])('starts an app with rejected credentials less and less often%s', async (_, isCut) => {
    const bench = createBench(['desk-1'])
    const error = new RelayError('RELAY_CLOSED', 'of a test', { details: { stream: 'x' } })
    const atMs: number[] = []
    const a = bench.start('a', {
      heartbeatIntervalMs: 500,
      startApp() {
        atMs.push(bench.clock.now())
        return { ended: Promise.resolve({ why: 'failed', error }), drain() {}, abort() {} }
      },
    })
    for (let second = 0; second < 120; second += 1) {
      if (isCut) a.cut(second % 10 < 5)
      await bench.clock.advance(1000)
    }
    expect(atMs.length).toBeLessThanOrEqual(6)
    expect(atMs.length).toBeGreaterThanOrEqual(4)
    expect(a.lost.length > 3).toBe(isCut)
  })

  test('keeps the delay of a failed app if membership was lost before', async () => {
    const bench = createBench(['desk-1'])
    const a = bench.start('a')
    const broken = { why: 'failed', error: new Error('of a test') } as const
    await bench.clock.advance(1000)
    a.cut(true)
    // The write of its release is in flight when membership is lost, and gets no response.
    await bench.clock.advance(2.4 * HEARTBEAT_MS)
    a.fail('desk-1', broken)
    await bench.clock.advance(0.6 * HEARTBEAT_MS)
    a.cut(false)
    await bench.clock.advance(1.4 * HEARTBEAT_MS)
    expect([a.lost.length, bench.owners().get('desk-1')]).toEqual([1, 'a'])
    a.fail('desk-1', broken)
    await bench.clock.advance(1.99 * HEARTBEAT_MS)
    expect(bench.owners().get('desk-1')).toBe('')
    await bench.clock.advance(2 * HEARTBEAT_MS)
    expect(bench.owners().get('desk-1')).toBe('a')
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
          return luck() < 0.5 ? 'request' : 'answer'
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

test.each([
  '',
  '[]',
  '{"v":1}',
  '{"v":2,"holder":{"name":"a","incarnation":"b"},"state":"held","lingering":0}',
])('rejects a record of another program: %s', (text) => {
  expect(() => parseAppRecord('relay/main/key/a', text)).toThrow(
    expect.objectContaining({
      code: 'RELAY_STATE_INVALID',
      details: expect.objectContaining({ storeKey: 'relay/main/key/a' }),
    }),
  )
})
