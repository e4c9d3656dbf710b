/** The end of a relay of a cluster. */
import type { Store } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import { APPS, createBench, createManualRun, HEARTBEAT_MS } from '../test/cluster-bench.ts'
import { parseAppRecord } from './app-record.ts'

describe('closing a relay', () => {
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
    const bench = createBench(['team-1'])
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
    const bench = createBench(['team-1'])
    const { startApp, end } = createManualRun()
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
      const bench = createBench(['team-1'])
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
      expect(text).toBeUndefined()
      expect(await bench.store.get('relay/main/members')).toBeUndefined()
      expect(bench.owners().get('team-1')).toBe('')
    },
  )

  test('leaves its cluster at the end even if an app never ends', async () => {
    const bench = createBench(['team-1'])
    const endless = { ended: new Promise<never>(() => {}), drain: () => {}, abort: () => {} }
    const a = bench.start('a', { startApp: () => endless })
    await bench.clock.advance(1000)
    const closing = a.cluster.close()
    await bench.clock.advance(10_000 + 5 * HEARTBEAT_MS)
    await closing
    expect(await bench.store.get('relay/main/members')).toBeUndefined()
  })
})

describe('a relay that loses its membership', () => {
  /** Another member of the cluster, which could run the app. */
  const startOther = async (bench: ReturnType<typeof createBench>, a: ReturnType<typeof bench.start>) => {
    bench.start('b', { apps: [] })
    while (a.cluster.members.length < 2) await bench.clock.advance(1000)
  }

  test('drains its apps if its cluster has another member', async () => {
    const bench = createBench(['team-1'])
    const states: string[] = []
    const a = bench.start('a', { observer: { onRelayApp: ({ state }) => states.push(state) } })
    await startOther(bench, a)
    a.cut(true)
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect(states).toEqual(['acquired', 'draining', 'released'])
  })

  test('keeps the received events of an app whose sink accepts none, until it is closed', async () => {
    const bench = createBench(['team-1'])
    const a = bench.start('a')
    await startOther(bench, a)
    a.stick()
    a.cut(true)
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect(a.lost).toHaveLength(1)
    expect(bench.owners().get('team-1')).toBe('a')
    const closing = a.cluster.close()
    await bench.clock.advance(4 * HEARTBEAT_MS)
    await closing
    expect(bench.owners().get('team-1')).toBe('')
  })

  test('runs its apps on if it was alone, and keeps them from relays that join later', async () => {
    const bench = createBench(['team-1'])
    const states: string[] = []
    const a = bench.start('a', { observer: { onRelayApp: ({ state }) => states.push(state) } })
    await bench.clock.advance(1000)
    a.cut(true)
    await bench.clock.advance(100 * HEARTBEAT_MS)
    expect(a.cluster.isMember).toBe(false)
    expect(bench.owners().get('team-1')).toBe('a')
    a.cut(false)
    await bench.clock.advance(2 * HEARTBEAT_MS)
    expect(a.cluster.isMember).toBe(true)
    bench.start('b')
    await bench.clock.advance(100 * HEARTBEAT_MS)
    expect(bench.owners().get('team-1')).toMatch(/^[ab]$/)
    expect(bench.most).toBe(1)
    expect(states.slice(0, 1)).toEqual(['acquired'])
    expect(states).not.toContain('fenced')
  })

  test('stops an app that a relay acquired in the meantime', async () => {
    const bench = createBench(['team-1'])
    const a = bench.start('a')
    await bench.clock.advance(1000)
    a.cut(true)
    const b = bench.start('b')
    while (b.cluster.heldApps.length === 0) await bench.clock.advance(1000)
    a.cut(false)
    await bench.clock.advance(20 * HEARTBEAT_MS)
    expect(bench.owners().get('team-1')).toMatch(/^[ab]$/)
    expect(bench.log[1]).toMatchObject({ name: 'b', lingering: 3 })
  })
})
