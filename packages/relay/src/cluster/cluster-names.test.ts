/** Relays of a cluster with the same name, and restarted relays. */
import type { Store } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import { APPS, createBench, createManualRun, HEARTBEAT_MS } from '../test/cluster-bench.ts'

describe('the name of a relay', () => {
  test('ends the later of two live relays with one name with an error, and the earlier one keeps its apps', async () => {
    const bench = createBench(APPS)
    const earlier = bench.start('same')
    await bench.clock.advance(60_000)
    const later = bench.start('same')
    await bench.clock.advance(2 * HEARTBEAT_MS)
    await expect(later.started).rejects.toMatchObject({ code: 'RELAY_NAME_TAKEN', retryable: false })
    expect(earlier.lost).toEqual([])
    expect(later.lost).toEqual([])
    expect(earlier.cluster.heldApps.length).toBe(APPS.length)
    expect(later.cluster.heldApps.length).toBe(0)
  })

  test.each([
    { lateMs: 0.4 * HEARTBEAT_MS, survivor: 'earlier' },
    { lateMs: 0.6 * HEARTBEAT_MS, survivor: 'later' },
  ])('belongs to the $survivor relay if the earlier one sends a heartbeat $lateMs ms late', async (given) => {
    const bench = createBench(['team-1'])
    const { clock, store } = bench
    let lateMs = 0
    const slow: Store = {
      get: (storeKey) => store.get(storeKey),
      async compareAndSet(...args) {
        if (lateMs > 0) await new Promise<void>((resolve) => clock.setTimer(resolve, lateMs))
        return store.compareAndSet(...args)
      },
    }
    const earlier = bench.start('same', { store: slow })
    await clock.advance(10 * HEARTBEAT_MS + 1)
    const later = bench.start('same')
    lateMs = given.lateMs
    await clock.advance(1.4 * HEARTBEAT_MS)
    lateMs = 0
    await clock.advance(10 * HEARTBEAT_MS)
    const relays = { earlier, later }
    const names = ['earlier', 'later'] as const
    expect(names.filter((name) => relays[name].cluster.isMember)).toEqual([given.survivor])
    const ended = given.survivor === 'earlier' ? later.started : earlier.cluster.ended
    expect(await ended.catch((error: unknown) => error)).toMatchObject({ code: 'RELAY_NAME_TAKEN' })
  })

  test('ends one of two relays that start with one name at the same time, with the reason', async () => {
    const bench = createBench(APPS)
    const [earlier, later] = [bench.start('same'), bench.start('same')]
    await bench.clock.advance(200_000)
    expect(earlier.lost).toMatchObject([{ code: 'RELAY_NAME_TAKEN' }])
    expect(await earlier.cluster.ended).toMatchObject({ code: 'RELAY_NAME_TAKEN', retryable: false })
    expect(later.lost).toEqual([])
    expect(earlier.cluster.heldApps.length).toBe(0)
    expect(later.cluster.heldApps.length).toBe(APPS.length)
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
    const bench = createBench(['team-1'])
    const earlier = bench.start('same')
    await bench.clock.advance(60_000)
    earlier.cut(true)
    const later = bench.start('same')
    await bench.clock.advance(10 * HEARTBEAT_MS)
    // Both may run for a moment: the stream accepts the messages of one of them.
    expect(earlier.cluster.heldApps).toEqual([])
    expect(later.cluster.heldApps).toEqual(['team-1'])
    earlier.cut(false)
    await bench.clock.advance(10 * HEARTBEAT_MS)
    expect(await earlier.cluster.ended).toMatchObject({ code: 'RELAY_NAME_TAKEN' })
    expect(later.cluster.heldApps).toEqual(['team-1'])
    expect(later.lost).toEqual([])
  })

  test('can be closed while it waits for another relay of its name', async () => {
    const bench = createBench(['team-1'])
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
    const bench = createBench(['team-1'])
    const { startApp, end } = createManualRun()
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
    const bench = createBench(['team-1'])
    const earlier = bench.start('same')
    const later = bench.start('same', { apps: [] })
    await bench.clock.advance(1000)
    earlier.stick()
    while (earlier.lost.length === 0) await bench.clock.advance(HEARTBEAT_MS / 50)
    earlier.fail('team-1', { why: 'failed', error: new Error('of a test') })
    await bench.clock.advance(0)
    expect(await earlier.cluster.ended).toMatchObject({ code: 'RELAY_NAME_TAKEN' })
    const closing = later.cluster.close()
    // The last observation needs one heartbeat; the delay of the failed app would need two.
    await bench.clock.advance(HEARTBEAT_MS)
    await closing
    expect(bench.clock.pendingTimers).toBe(0)
  })
})
