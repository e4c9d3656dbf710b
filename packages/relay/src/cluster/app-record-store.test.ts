/** Failing requests for an app's record: the app has a relay in the end. */
import type { Store } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import { describe, expect, test } from 'vitest'
import { createClusterBench, HEARTBEAT_MS, LINGER_MS } from '../test/cluster-bench.ts'
import { parseAppRecord } from './app-record.ts'

const createBench = () => createClusterBench(['team-1'], { seed: 3 })

const RECORD_KEY = 'relay/main/key/team-1'
const MEMBERS_PATH = 'relay/main/members'
const NEVER = Number.POSITIVE_INFINITY

/** A request for the app's record that fails. */
interface FailedRequest {
  readonly request: 'get' | 'compareAndSet'
  /** The store executes it after this time nevertheless, milliseconds. */
  readonly executedAfterMs?: number
  /** The delay of the response, which is an error unless `isLate` is set, milliseconds. Infinite: there is no response. */
  readonly respondsAfterMs: number
  /** The store executes it at once, and its response is late. */
  readonly isLate?: true
}

/** The store of the bench. The next requests of these kinds fail. */
function createFailingStore(
  { clock, store }: ReturnType<typeof createBench>,
  failures: FailedRequest[],
): Store {
  const through = async <T>(
    request: FailedRequest['request'],
    path: string,
    work: () => Promise<T>,
  ): Promise<T> => {
    const at = path === RECORD_KEY ? failures.findIndex((failure) => failure.request === request) : -1
    const [failure] = at === -1 ? [] : failures.splice(at, 1)
    if (failure === undefined) return await work()
    const { executedAfterMs = NEVER, respondsAfterMs, isLate } = failure
    const response = isLate && (await work())
    clock.setTimer(() => void work(), isLate ? NEVER : executedAfterMs)
    await sleep(clock, respondsAfterMs)
    if (isLate) return response as T
    throw new Error('the connection was reset')
  }
  return {
    get: (path) => through('get', path, () => store.get(path)),
    compareAndSet: (...args) => through('compareAndSet', args[0], () => store.compareAndSet(...args)),
  }
}

describe('the record of an app', () => {
  test.each<FailedRequest>([
    { request: 'get', respondsAfterMs: 0 },
    { request: 'get', respondsAfterMs: NEVER },
    { request: 'compareAndSet', respondsAfterMs: 0 },
    { request: 'compareAndSet', respondsAfterMs: NEVER },
    { request: 'compareAndSet', respondsAfterMs: 0, executedAfterMs: HEARTBEAT_MS },
  ])('is released in the end if one request of the release fails: %o', async (failure) => {
    const bench = createBench()
    const failures: FailedRequest[] = []
    const a = bench.start('a', { store: createFailingStore(bench, failures) })
    await bench.clock.advance(1000)
    failures.push(failure)
    const b = bench.start('b')
    await bench.clock.advance(LINGER_MS + 4 * HEARTBEAT_MS)
    expect(a.cluster.heldApps).toEqual([])
    expect(b.cluster.heldApps).toEqual(['team-1'])
    expect(failures).toEqual([])
    expect(bench.log.at(-1)).toMatchObject({ lingering: 2 })
    await bench.clock.advance(100 * HEARTBEAT_MS)
    expect(b.cluster.heldApps).toEqual(['team-1'])
    expect(bench.log.length).toBe(2)
    expect(bench.most).toBe(1)
  })

  test.each<readonly [string, readonly FailedRequest[]]>([
    [
      'the response was an error',
      [{ request: 'compareAndSet', executedAfterMs: 0, respondsAfterMs: 1.5 * HEARTBEAT_MS }],
    ],
    ['there was no response', [{ request: 'compareAndSet', executedAfterMs: 0, respondsAfterMs: NEVER }]],
    [
      'the next request failed as well',
      [
        { request: 'compareAndSet', executedAfterMs: 0, respondsAfterMs: 0 },
        { request: 'compareAndSet', respondsAfterMs: 1.5 * HEARTBEAT_MS },
      ],
    ],
    [
      'it was executed long after its error',
      [
        {
          request: 'compareAndSet',
          executedAfterMs: 2.5 * HEARTBEAT_MS,
          respondsAfterMs: 1.5 * HEARTBEAT_MS,
        },
      ],
    ],
  ])(
    'is released if a claim without a response was written and the app is assigned to another relay: %s',
    async (_, failures) => {
      const bench = createBench()
      const left = [...failures]
      const a = bench.start('a', { store: createFailingStore(bench, left) })
      // Relay a knows b before the response to the last failed request. Relay b reads the record after that.
      await bench.clock.advance((failures.length - 1) * HEARTBEAT_MS + 1000)
      const unread = Array.from({ length: 4 }, () => ({ request: 'get', respondsAfterMs: 0 }) as const)
      const b = bench.start('b', { store: createFailingStore(bench, unread) })
      await bench.clock.advance(8 * HEARTBEAT_MS)
      expect(a.cluster.heldApps).toEqual([])
      expect(b.cluster.heldApps).toEqual(['team-1'])
      expect(left).toEqual([])
      expect(bench.log.map(({ name }) => name)).toEqual(['b'])
    },
  )

  test('is not released for an earlier claim of the same relay', async () => {
    const bench = createBench()
    const failures: FailedRequest[] = [{ request: 'compareAndSet', executedAfterMs: 0, respondsAfterMs: 0 }]
    const a = bench.start('a', { store: createFailingStore(bench, failures) })
    const staysHeld = async () => {
      await bench.clock.advance(100 * HEARTBEAT_MS)
      expect(a.cluster.heldApps).toEqual(['team-1'])
      expect(bench.owners().get('team-1')).toBe('a')
      expect(parseAppRecord(RECORD_KEY, (await bench.store.get(RECORD_KEY)) ?? '')).toMatchObject({
        state: 'held',
      })
    }
    await staysHeld()
    const b = bench.start('b')
    await bench.clock.advance(LINGER_MS - 1000)
    // The release fails. Its retry is executed when this relay holds the app again.
    failures.push(
      { request: 'compareAndSet', respondsAfterMs: 0 },
      { request: 'compareAndSet', respondsAfterMs: NEVER, executedAfterMs: 3 * HEARTBEAT_MS },
    )
    while (a.cluster.heldApps.length > 0) await bench.clock.advance(100)
    void b.cluster.close()
    await staysHeld()
    expect(bench.log.map(({ name }) => name)).toEqual(['a', 'a'])
    expect(bench.most).toBe(1)
  })

  test('is not confirmed by the late response to an earlier claim', async () => {
    const bench = createBench()
    const failures: FailedRequest[] = [
      { request: 'compareAndSet', respondsAfterMs: 2.5 * HEARTBEAT_MS, isLate: true },
      { request: 'compareAndSet', executedAfterMs: 0, respondsAfterMs: NEVER },
    ]
    const a = bench.start('a', { store: createFailingStore(bench, failures) })
    await bench.clock.advance(2.2 * HEARTBEAT_MS)
    expect(failures).toEqual([])
    const b = bench.start('b')
    await bench.clock.advance(6 * HEARTBEAT_MS)
    expect(a.cluster.heldApps).toEqual([])
    expect(b.cluster.heldApps).toEqual(['team-1'])
    expect(bench.log.length).toBe(1)
  })

  test('stays a pending release while the claim may still be written', async () => {
    const bench = createBench()
    const failures: FailedRequest[] = [
      { request: 'get', respondsAfterMs: 0 },
      { request: 'get', respondsAfterMs: 0 },
      { request: 'compareAndSet', respondsAfterMs: 7400, isLate: true },
    ]
    const failing = createFailingStore(bench, failures)
    // Reading and writing the members takes 600 ms, so the assignment changes twice while the claim is in flight.
    const slowly = (path: string) => sleep(bench.clock, path === MEMBERS_PATH ? 300 : 0)
    const a = bench.start('a', {
      store: {
        async get(path) {
          await slowly(path)
          return failing.get(path)
        },
        async compareAndSet(...args) {
          await slowly(args[0])
          return failing.compareAndSet(...args)
        },
      },
    })
    await bench.clock.advance(11_000)
    const b = bench.start('b')
    await bench.clock.advance(2000)
    expect(a.cluster.assigned.size).toBe(0)
    void b.cluster.close()
    await bench.clock.advance(5200)
    expect(a.cluster.assigned.size).toBe(1)
    expect(a.cluster.heldApps).toEqual([])
    await bench.clock.advance(1000)
    expect(a.cluster.heldApps).toEqual(['team-1'])
    expect(parseAppRecord(RECORD_KEY, (await bench.store.get(RECORD_KEY)) ?? '')).toMatchObject({
      state: 'held',
    })
  })
})
