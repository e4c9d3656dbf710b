/** Responses of the store that arrive late, while the relay of an app has changed. */
import { describe, expect, test } from 'vitest'
import { APPS, type BenchRelay, createBench, HEARTBEAT_MS } from '../test/cluster-bench.ts'
import { parseAppRecord } from './app-record.ts'

describe('a late response of the store', () => {
  test('does not release a running app after a late response of the store to an earlier claim', async () => {
    const bench = createBench(['team-1'])
    const path = 'relay/main/key/team-1'
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
    expect(a.cluster.heldApps).toEqual(['team-1'])
    answer?.()
    await bench.clock.advance(0)
    expect(parseAppRecord(path, (await bench.store.get(path)) ?? '')).toMatchObject({ state: 'held' })
    const b = bench.start('b')
    await bench.clock.advance(120_000)
    expect(b.cluster.heldApps).toEqual(['team-1'])
    expect(bench.most).toBe(1)
  })

  /** Its store does not respond until it has lost its membership, and responds before it has released all its apps. */
  const loseMembership = async (bench: ReturnType<typeof createBench>, a: BenchRelay) => {
    a.cut(true)
    while (a.lost.length === 0) await bench.clock.advance(HEARTBEAT_MS / 50)
    await bench.clock.advance(HEARTBEAT_MS / 4)
    a.cut(false)
  }

  test('continues the run of an app after a loss of membership, and holds its record again', async () => {
    const bench = createBench(['team-1'])
    const a = bench.start('a')
    await bench.clock.advance(1000)
    await loseMembership(bench, a)
    await bench.clock.advance(HEARTBEAT_MS / 2)
    expect(a.cluster.heldApps).toEqual(['team-1'])
    expect(bench.log.length).toBe(1)
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect(bench.owners().get('team-1')).toBe('a')
    expect(bench.log.length).toBe(1)
    const path = 'relay/main/key/team-1'
    const record = parseAppRecord(path, (await bench.store.get(path)) ?? '')
    expect(record).toMatchObject({ state: 'held', holder: { name: 'a', incarnation: 'i2' } })
    expect(bench.most).toBe(1)
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
    // The delayed heartbeat finds this member.
    bench.start('b')
    await bench.clock.advance(3.5 * HEARTBEAT_MS)
    expect(a.cluster.isMember).toBe(false)
    // It was alone when it read the members, so its runs continue until another relay writes.
    expect(a.cluster.heldApps).toHaveLength(APPS.length)
    waiting[0]?.()
    await bench.clock.advance(12 * HEARTBEAT_MS)
    expect(a.cluster.isMember).toBe(false)
    expect(a.cluster.heldApps).toEqual([])
    expect(bench.log.map(({ name }) => name)).toEqual([...APPS.map(() => 'a'), ...APPS.map(() => 'b')])
    expect(new Set(bench.owners().values())).toEqual(new Set(['b']))
  })

  test('is not ended by a late response to an earlier attempt to join', async () => {
    const bench = createBench(['team-1'])
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
    expect(a.cluster.heldApps).toEqual(['team-1'])
    answer?.()
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect(a.lost).toEqual([])
    expect(a.cluster.isMember).toBe(true)
    expect(a.cluster.heldApps).toEqual(['team-1'])
  })
})
