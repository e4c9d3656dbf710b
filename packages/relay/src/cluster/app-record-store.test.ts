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

/** A request for the record of `key` that goes wrong. */
interface Wrong {
  readonly request: 'get' | 'compareAndSet'
  /** It is carried out all the same. */
  readonly doneAfterMs?: number
  /** The delay of the response, an error by default. Infinite: there is no response. */
  readonly answeredAfterMs: number
  /** It is carried out at once, and its answer is late. */
  readonly isLate?: true
}

/** The bench's store, of which the next requests of these kinds go wrong. */
function createFrailStore({ clock, store }: ReturnType<typeof createBench>, wrongs: Wrong[]): Store {
  const through = async <T>(request: Wrong['request'], path: string, work: () => Promise<T>): Promise<T> => {
    const at = path === RECORD_KEY ? wrongs.findIndex((wrong) => wrong.request === request) : -1
    const [wrong] = at === -1 ? [] : wrongs.splice(at, 1)
    if (wrong === undefined) return await work()
    const { doneAfterMs = NEVER, answeredAfterMs, isLate } = wrong
    const answer = isLate && (await work())
    clock.setTimer(() => void work(), isLate ? NEVER : doneAfterMs)
    await sleep(clock, answeredAfterMs)
    if (isLate) return answer as T
    throw new Error('the connection was reset')
  }
  return {
    get: (path) => through('get', path, () => store.get(path)),
    compareAndSet: (...args) => through('compareAndSet', args[0], () => store.compareAndSet(...args)),
  }
}

describe('the record of an app', () => {
  test.each<Wrong>([
    { request: 'get', answeredAfterMs: 0 },
    { request: 'get', answeredAfterMs: NEVER },
    { request: 'compareAndSet', answeredAfterMs: 0 },
    { request: 'compareAndSet', answeredAfterMs: NEVER },
    { request: 'compareAndSet', answeredAfterMs: 0, doneAfterMs: HEARTBEAT_MS },
  ])('is released in the end if one request of the release fails: %o', async (wrong) => {
    const bench = createBench()
    const wrongs: Wrong[] = []
    const a = bench.start('a', { store: createFrailStore(bench, wrongs) })
    await bench.clock.advance(1000)
    wrongs.push(wrong)
    const b = bench.start('b')
    await bench.clock.advance(LINGER_MS + 4 * HEARTBEAT_MS)
    expect([a.cluster.heldApps, b.cluster.heldApps, wrongs]).toEqual([[], ['team-1'], []])
    expect(bench.log.at(-1)).toMatchObject({ lingering: 2 })
    await bench.clock.advance(100 * HEARTBEAT_MS)
    expect([b.cluster.heldApps, bench.log.length, bench.most]).toEqual([['team-1'], 2, 1])
  })

  test.each<readonly [string, readonly Wrong[]]>([
    [
      'an error came instead of the answer',
      [{ request: 'compareAndSet', doneAfterMs: 0, answeredAfterMs: 1.5 * HEARTBEAT_MS }],
    ],
    ['no answer ever came', [{ request: 'compareAndSet', doneAfterMs: 0, answeredAfterMs: NEVER }]],
    [
      'the next one failed as well',
      [
        { request: 'compareAndSet', doneAfterMs: 0, answeredAfterMs: 0 },
        { request: 'compareAndSet', answeredAfterMs: 1.5 * HEARTBEAT_MS },
      ],
    ],
    [
      'it was carried out long after its error',
      [{ request: 'compareAndSet', doneAfterMs: 2.5 * HEARTBEAT_MS, answeredAfterMs: 1.5 * HEARTBEAT_MS }],
    ],
  ])(
    'is released if a claim without a response was written and the app is assigned to another relay: %s',
    async (_, wrongs) => {
      const bench = createBench()
      const left = [...wrongs]
      const a = bench.start('a', { store: createFrailStore(bench, left) })
      // Before the last request that goes wrong is answered, a has seen b; b looks at the key when that is over.
      await bench.clock.advance((wrongs.length - 1) * HEARTBEAT_MS + 1000)
      const unread = Array.from({ length: 4 }, () => ({ request: 'get', answeredAfterMs: 0 }) as const)
      const b = bench.start('b', { store: createFrailStore(bench, unread) })
      await bench.clock.advance(8 * HEARTBEAT_MS)
      expect([a.cluster.heldApps, b.cluster.heldApps, left]).toEqual([[], ['team-1'], []])
      expect(bench.log.map(({ name }) => name)).toEqual(['b'])
    },
  )

  test('is not released for an earlier claim of the same relay', async () => {
    const bench = createBench()
    const wrongs: Wrong[] = [{ request: 'compareAndSet', doneAfterMs: 0, answeredAfterMs: 0 }]
    const a = bench.start('a', { store: createFrailStore(bench, wrongs) })
    const staysHeld = async () => {
      await bench.clock.advance(100 * HEARTBEAT_MS)
      expect([a.cluster.heldApps, bench.owners().get('team-1')]).toEqual([['team-1'], 'a'])
      expect(parseAppRecord(RECORD_KEY, (await bench.store.get(RECORD_KEY)) ?? '')).toMatchObject({
        state: 'held',
      })
    }
    await staysHeld()
    const b = bench.start('b')
    await bench.clock.advance(LINGER_MS - 1000)
    // The give-back fails; the request after it comes about when the key is this relay's own again.
    wrongs.push(
      { request: 'compareAndSet', answeredAfterMs: 0 },
      { request: 'compareAndSet', answeredAfterMs: NEVER, doneAfterMs: 3 * HEARTBEAT_MS },
    )
    while (a.cluster.heldApps.length > 0) await bench.clock.advance(100)
    void b.cluster.close()
    await staysHeld()
    expect([bench.log.map(({ name }) => name), bench.most]).toEqual([['a', 'a'], 1])
  })

  test('is not confirmed by the late response to an earlier claim', async () => {
    const bench = createBench()
    const wrongs: Wrong[] = [
      { request: 'compareAndSet', answeredAfterMs: 2.5 * HEARTBEAT_MS, isLate: true },
      { request: 'compareAndSet', doneAfterMs: 0, answeredAfterMs: NEVER },
    ]
    const a = bench.start('a', { store: createFrailStore(bench, wrongs) })
    await bench.clock.advance(2.2 * HEARTBEAT_MS)
    expect(wrongs).toEqual([])
    const b = bench.start('b')
    await bench.clock.advance(6 * HEARTBEAT_MS)
    expect([a.cluster.heldApps, b.cluster.heldApps, bench.log.length]).toEqual([[], ['team-1'], 1])
  })

  test('stays a pending release while the claim may still be written', async () => {
    const bench = createBench()
    const wrongs: Wrong[] = [
      { request: 'get', answeredAfterMs: 0 },
      { request: 'get', answeredAfterMs: 0 },
      { request: 'compareAndSet', answeredAfterMs: 7400, isLate: true },
    ]
    const frail = createFrailStore(bench, wrongs)
    // Members take 600 ms, so that the taking begins between two of them: the share goes and comes back meanwhile.
    const slowly = (path: string) => sleep(bench.clock, path === MEMBERS_PATH ? 300 : 0)
    const a = bench.start('a', {
      store: {
        async get(path) {
          await slowly(path)
          return frail.get(path)
        },
        async compareAndSet(...args) {
          await slowly(args[0])
          return frail.compareAndSet(...args)
        },
      },
    })
    await bench.clock.advance(11_000)
    const b = bench.start('b')
    await bench.clock.advance(2000)
    expect(a.cluster.assigned.size).toBe(0)
    void b.cluster.close()
    await bench.clock.advance(5200)
    expect([a.cluster.assigned.size, a.cluster.heldApps]).toEqual([1, []])
    await bench.clock.advance(1000)
    expect(a.cluster.heldApps).toEqual(['team-1'])
    expect(parseAppRecord(RECORD_KEY, (await bench.store.get(RECORD_KEY)) ?? '')).toMatchObject({
      state: 'held',
    })
  })
})
