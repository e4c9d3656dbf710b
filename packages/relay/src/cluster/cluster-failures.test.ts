/** Failures of the store at the start, and failures of an app. */
import type { Store } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import { RelayError } from '../relay-error.ts'
import { createBench, HEARTBEAT_MS } from '../test/cluster-bench.ts'
import { parseAppRecord } from './app-record.ts'

describe('a failure', () => {
  test('rejects the start with a permanent error of the store, and retries transient ones', async () => {
    const bench = createBench(['team-1'])
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
    const bench = createBench(['team-1'])
    const failed: unknown[] = []
    const a = bench.start('a', {
      startApp() {
        throw new Error('of a test')
      },
      observer: {
        onRelayApp: (report) => failed.push(report),
        onRelayStoreFailed: () => failed.push('store'),
      },
    })
    await bench.clock.advance(1000)
    expect(failed).toMatchObject([
      { app: 'team-1', state: 'acquired' },
      { app: 'team-1', state: 'failed', error: { message: 'of a test' } },
    ])
    expect(a.cluster.heldApps).toEqual([])
    const path = 'relay/main/key/team-1'
    expect(parseAppRecord(path, (await bench.store.get(path)) ?? '')).toMatchObject({ state: 'released' })
  })

  test('starts a failed app again after a delay, on any relay', async () => {
    const bench = createBench(['team-1'])
    const a = bench.start('a')
    await bench.clock.advance(1000)
    a.fail('team-1', { why: 'failed', error: new Error('of a test') })
    await bench.clock.advance(HEARTBEAT_MS)
    expect(bench.owners().get('team-1')).toBe('')
    await bench.clock.advance(3 * HEARTBEAT_MS)
    expect(bench.owners().get('team-1')).toBe('a')
    expect(bench.log.at(-1)).toMatchObject({ lingering: 3 })
  })

  test.each([
    ['', false],
    [', also if membership is lost in between', true],
  ])('starts an app with rejected credentials less and less often%s', async (_, isCut) => {
    const bench = createBench(['team-1'])
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
    const bench = createBench(['team-1'])
    const a = bench.start('a')
    const broken = { why: 'failed', error: new Error('of a test') } as const
    await bench.clock.advance(1000)
    a.cut(true)
    // The write of its release is in flight when membership is lost, and gets no response.
    await bench.clock.advance(2.4 * HEARTBEAT_MS)
    a.fail('team-1', broken)
    await bench.clock.advance(0.6 * HEARTBEAT_MS)
    a.cut(false)
    await bench.clock.advance(1.39 * HEARTBEAT_MS)
    expect(bench.owners().get('team-1')).toBe('')
    // Its request to join again, which was in flight, fails after two heartbeats.
    await bench.clock.advance(2 * HEARTBEAT_MS)
    expect(a.lost.length).toBe(1)
    expect(bench.owners().get('team-1')).toBe('a')
    a.fail('team-1', broken)
    await bench.clock.advance(1.99 * HEARTBEAT_MS)
    expect(bench.owners().get('team-1')).toBe('')
    await bench.clock.advance(2 * HEARTBEAT_MS)
    expect(bench.owners().get('team-1')).toBe('a')
  })
})
