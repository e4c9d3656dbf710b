/** Commits on virtual time: coalesced, retried, and honest about a second writer. */
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import type { StoredCompleteness } from '../completeness/completeness.ts'
import { isStreamsError, type StreamsError } from '../streams-error.ts'
import { moduleCursorKeys } from './cursor-keys.ts'
import { cursorText, parseCursor } from './cursor-record.ts'
import { CLOSE_TIMEOUT_MS, CursorStore, type CursorStoreOptions } from './cursor-store.ts'

const IDENTITY = {
  environment: 'env',
  region: 'us',
  appKey: 'key',
  baseUrl: 'https://api.test',
  moduleEventsUrl: 'https://modules.test',
}
const NOW_MS = 7000
/** Nothing is known but this host's clock. */
const COMPLETE = { serviceMs: undefined, hostMs: NOW_MS, offsetMs: undefined }
const KEY = 'cursor/env/us/key/https%3A%2F%2Fapi.test/https%3A%2F%2Fmodules.test/default/APPLICATION'
const OLD_KEY = 'streams/cursor/env%2Fus%2Fkey/default/APPLICATION'

function setup(identity: ServiceIdentity = IDENTITY, from: CursorStoreOptions['from'] = 'cursor') {
  const store = createFailingStore()
  const clock = createVirtualClock()
  const retries: string[] = []
  const conflicts: StreamsError[] = []
  const progress: { complete: StoredCompleteness | undefined } = { complete: COMPLETE }
  const cursors = new CursorStore({
    store,
    keys: moduleCursorKeys(identity, 'default'),
    from,
    complete: () => progress.complete,
    clock,
    onRetry: (eventType) => retries.push(eventType),
    onConflict: (error) => conflicts.push(error),
  })
  const state = cursors.cursorFor('APPLICATION')
  const commit = (n: number) => state.commit(`id${n}`, `p${n}`)
  const stored = () => {
    const text = store.entries.get(KEY)
    return text === undefined ? undefined : parseCursor('APPLICATION', text)
  }
  return { store, clock, cursors, progress, commit, stored, retries, conflicts }
}

describe('a cursor of an earlier version', () => {
  const { signal } = new AbortController()
  const text = cursorText({ position: 'p7', ids: ['id7'], complete: COMPLETE })

  test('is moved once if the addresses are those of the table', async () => {
    const { store, cursors } = setup({ ...IDENTITY, hasTableAddresses: true })
    store.entries.set(OLD_KEY, text)
    expect((await cursors.start('APPLICATION', NOW_MS, signal)).position).toBe('p7')
    expect([store.entries.get(OLD_KEY), store.entries.get(KEY)]).toEqual([undefined, text])
  })

  test('stays where it is if they are not', async () => {
    const { store, cursors } = setup()
    store.entries.set(OLD_KEY, text)
    expect((await cursors.start('APPLICATION', NOW_MS, signal)).position).toBeUndefined()
    expect(store.entries.get(OLD_KEY)).toBe(text)
  })
})

describe("a stream that begins with from: 'now'", () => {
  const { signal } = new AbortController()
  const complete = { serviceMs: 500, hostMs: 600, offsetMs: -100 }

  test('has no position, and begins where the stored record ends', async () => {
    const { store, cursors } = setup(IDENTITY, 'now')
    store.entries.set(KEY, cursorText({ position: 'p7', ids: ['id7'], complete }))
    const start = await cursors.start('APPLICATION', NOW_MS, signal)
    expect(start).toEqual({ position: undefined, ids: [], complete, isStored: true })
  })

  test('begins with the first next() if the record cannot be read', async () => {
    const { store, cursors } = setup(IDENTITY, 'now')
    store.entries.set(KEY, 'no record')
    const start = await cursors.start('APPLICATION', NOW_MS, signal)
    expect(start).toEqual({ position: undefined, ids: [], complete: COMPLETE, isStored: false })
  })
})

describe('commits', () => {
  test('writes the first position at once, then once for all commits of a second', async () => {
    const { store, clock, commit, stored } = setup()
    for (let n = 0; n < 50; n += 1) commit(n)
    await clock.advance(999)
    expect([store.writes, stored()?.position]).toEqual([1, 'p0'])
    await clock.advance(1)
    expect([store.writes, stored()?.position]).toEqual([2, 'p49'])
    await clock.advance(5000)
    expect([store.writes, clock.pendingTimers]).toEqual([2, 0])
  })

  test('a first position that comes during a write follows it at once', async () => {
    const { store, clock, cursors, commit } = setup()
    commit(0)
    cursors.cursorFor('FUNDING').commit('', 'f1')
    await clock.advance(0)
    expect([...store.entries.values()].map((text) => JSON.parse(text).position)).toEqual(['p0', 'f1'])
  })

  test('where a position was stored, all commits are gathered', async () => {
    const { store, clock, cursors, commit } = setup()
    const record = { position: 'p0', ids: [], complete: COMPLETE }
    store.entries.set(KEY, cursorText(record))
    await cursors.start('APPLICATION', NOW_MS, new AbortController().signal)
    commit(1)
    await clock.advance(999)
    expect(store.writes).toBe(0)
    await clock.advance(1)
    expect(store.writes).toBe(1)
  })

  test('writes what is pending on close, at once', async () => {
    const { cursors, commit, stored, clock, progress } = setup()
    progress.complete = { serviceMs: 5, hostMs: 4, offsetMs: 1 }
    commit(1)
    await cursors.close()
    expect(stored()).toEqual({ position: 'p1', ids: ['id1'], complete: progress.complete })
    expect(clock.pendingTimers).toBe(0)
  })

  test('keeps no more than 64 ids', async () => {
    const { cursors, commit, stored } = setup()
    for (let n = 0; n < 100; n += 1) commit(n)
    await cursors.close()
    expect(stored()?.ids).toHaveLength(64)
    expect(stored()?.ids.at(-1)).toBe('id99')
  })

  test('a failed write is told and tried again, ever more slowly', async () => {
    const { store, clock, commit, stored, retries } = setup()
    store.failure = new Error('down')
    commit(1)
    await clock.advance(0)
    expect(retries).toEqual(['APPLICATION'])
    await clock.advance(1999)
    expect(store.writes).toBe(1)
    await clock.advance(1)
    expect(store.writes).toBe(2)
    store.failure = undefined
    await clock.advance(4000)
    expect(stored()?.position).toBe('p1')
  })

  test('a failure of the last write is an error', async () => {
    const { store, cursors, commit } = setup()
    store.failure = new Error('down')
    commit(1)
    const closing = cursors.close()
    await expect(closing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_STORE_FAILED'))
  })

  test('another writer of the same cursor ends it, and is never overwritten', async () => {
    const { store, clock, cursors, commit, conflicts } = setup()
    commit(1)
    await clock.advance(1000)
    store.entries.set(KEY, 'of somebody else')
    commit(2)
    await clock.advance(1000)
    expect(conflicts.map((error) => error.code)).toEqual(['STREAM_CURSOR_CONFLICT'])
    expect(store.entries.get(KEY)).toBe('of somebody else')
    commit(3)
    await expect(cursors.close()).rejects.toSatisfy((error) =>
      isStreamsError(error, 'STREAM_CURSOR_CONFLICT'),
    )
  })

  test('another writer that is found while the stream is left is told by close()', async () => {
    const { store, clock, cursors, commit, conflicts } = setup()
    commit(1)
    await clock.advance(1000)
    store.entries.set(KEY, 'of somebody else')
    const { get } = store
    let answer = (): void => {}
    const asked = new Promise<void>((resolve) => {
      store.get = (...args) => {
        resolve()
        return new Promise((found) => {
          answer = () => found(get(...args))
        })
      }
    })
    commit(2)
    await clock.advance(1000)
    await asked
    const closing = cursors.close()
    answer()
    await expect(closing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_CONFLICT'))
    expect([conflicts, store.entries.get(KEY)]).toEqual([[], 'of somebody else'])
  })

  test('a write whose answer was lost is recognized as its own', async () => {
    const { store, clock, commit, stored, conflicts } = setup()
    const { compareAndSet } = store
    let lose = true
    store.compareAndSet = async (...args) => {
      const wrote = await compareAndSet(...args)
      if (!lose) return wrote
      lose = false
      throw new Error('connection lost')
    }
    commit(1)
    await clock.advance(1000)
    commit(2)
    await clock.advance(2000)
    expect([stored()?.position, conflicts]).toEqual(['p2', []])
    commit(3)
    await clock.advance(1000)
    expect([stored()?.position, conflicts]).toEqual(['p3', []])
  })
})

test('a write that was stored and not answered, and one that failed behind it, looked like another writer', async () => {
  const { store, clock, commit, stored, conflicts } = setup()
  const { compareAndSet } = store
  let calls = 0
  store.compareAndSet = async (...args) => {
    calls += 1
    if (calls === 2) throw new Error('no connection')
    const wrote = await compareAndSet(...args)
    if (calls === 1) throw new Error('connection lost')
    return wrote
  }
  commit(1)
  await clock.advance(0)
  commit(2)
  await clock.advance(6000)
  expect([stored()?.position, conflicts]).toEqual(['p2', []])
})

test.each([2, 3])(
  'a write that arrived late, with the answer to call %i lost behind it, looked like another writer',
  async (lost) => {
    const { store, clock, commit, stored, conflicts } = setup()
    commit(1)
    await clock.advance(0)
    const { compareAndSet } = store
    let calls = 0
    let arrive = async (): Promise<unknown> => undefined
    store.compareAndSet = async (...args) => {
      calls += 1
      if (calls === 1) arrive = () => compareAndSet(...args)
      if (calls === 2) await arrive()
      if (calls === 1 || calls === lost) throw new Error('no answer')
      return await compareAndSet(...args)
    }
    commit(2)
    await clock.advance(1000)
    commit(3)
    await clock.advance(2000)
    expect([calls, stored()?.position]).toEqual([lost, 'p2'])
    commit(4)
    await clock.advance(10_000)
    expect([stored()?.position, conflicts]).toEqual(['p4', []])
  },
)

test('what was sent and not answered is bounded, and the last of it is known again', async () => {
  const { store, clock, commit, stored, conflicts } = setup()
  commit(0)
  await clock.advance(0)
  const { compareAndSet } = store
  let last = async (): Promise<unknown> => undefined
  for (let n = 1; n <= 300; n += 1) {
    store.compareAndSet = (...args) => {
      last = () => compareAndSet(...args)
      return Promise.reject(new Error('no answer'))
    }
    commit(n)
    await clock.advance(30_000)
  }
  await last()
  expect(stored()?.position).toBe('p300')
  store.compareAndSet = compareAndSet
  commit(301)
  await clock.advance(30_000)
  expect([stored()?.position, conflicts]).toEqual(['p301', []])
})

test('no more than eight writes without an answer are kept: so many are tried before another writer is told', async () => {
  const { store, clock, commit, conflicts } = setup()
  commit(0)
  await clock.advance(0)
  const { compareAndSet } = store
  store.compareAndSet = () => Promise.reject(new Error('no answer'))
  for (let n = 1; n <= 50; n += 1) {
    commit(n)
    await clock.advance(30_000)
  }
  let tried = 0
  store.compareAndSet = (...args) => {
    tried += 1
    return compareAndSet(...args)
  }
  store.entries.set(KEY, 'of somebody else')
  await clock.advance(30_000)
  expect([tried, conflicts.map(({ code }) => code)]).toEqual([8, ['STREAM_CURSOR_CONFLICT']])
})

test('a store that answered after the stream was left was written to', async () => {
  const { store, cursors } = setup()
  const controller = new AbortController()
  const { get } = store
  store.get = (...args) => {
    controller.abort()
    return get(...args)
  }
  await expect(cursors.start('APPLICATION', NOW_MS, controller.signal)).rejects.toBe(controller.signal.reason)
  expect(store.writes).toBe(0)
})

test.each([true, false])('leaving did not wait for the first write; it succeeded: %s', async (succeeded) => {
  const { store, clock, cursors, progress } = setup()
  // There was no subscription yet.
  progress.complete = undefined
  const { compareAndSet } = store
  let answer = (): void => {}
  store.compareAndSet = (...args) =>
    new Promise((resolve, reject) => {
      answer = () => (succeeded ? resolve(compareAndSet(...args)) : reject(new Error('down')))
    })
  const starting = cursors.start('APPLICATION', NOW_MS, new AbortController().signal).catch(() => {})
  await clock.advance(0)
  let left = false
  const closing = cursors.close().then(() => {
    left = true
  })
  await clock.advance(1000)
  expect(left).toBe(false)
  answer()
  await Promise.all([closing, starting])
  expect(store.entries.has(KEY)).toBe(succeeded)
})

test('a store that never answers makes the end fail after five seconds, and nothing is written later', async () => {
  const { store, clock, cursors, commit } = setup()
  let answer = (_wrote: boolean): void => {}
  store.compareAndSet = () =>
    new Promise((resolve) => {
      answer = resolve
    })
  commit(1)
  await clock.advance(0)
  commit(2)
  const closing = cursors.close()
  const failed = expect(closing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_STORE_FAILED'))
  await clock.advance(CLOSE_TIMEOUT_MS - 1)
  expect(clock.pendingTimers).toBe(1)
  await clock.advance(1)
  await failed
  store.compareAndSet = () => Promise.reject(new Error('a write after the end'))
  answer(true)
  await clock.advance(60_000)
  expect([clock.pendingTimers, store.entries.size]).toEqual([0, 0])
})

test('a record of the greatest size is at most 128 KiB, and is read again', () => {
  const ids = Array.from({ length: 100 }, (_, n) => String.fromCharCode(n % 32).repeat(200 + n))
  const record = {
    position: undefined,
    ids,
    complete: { serviceMs: 8.64e15, hostMs: -8.64e15, offsetMs: 0.1 },
  }
  const text = cursorText(record)
  expect(text.length).toBeLessThanOrEqual(128 * 1024)
  expect(parseCursor('trade', text).ids).toEqual(ids.slice(-parseCursor('trade', text).ids.length))
  const units = parseCursor('trade', text).ids.join('').length
  expect([units <= 16 * 1024, units > 15 * 1024]).toEqual([true, true])
})

describe('a stored cursor', () => {
  test.each([
    '',
    'nonsense',
    '[]',
    '{"v":3,"position":"p","ids":[],"complete":{"hostMs":1}}',
    '{"v":2,"position":"p","ids":[]}',
    '{"v":2,"position":"","ids":[],"complete":{"hostMs":1}}',
    '{"v":2,"ids":[],"complete":{"serviceMs":1}}',
    '{"v":2,"ids":[],"complete":{"hostMs":1e99}}',
    '{"v":2,"ids":[],"complete":{"hostMs":1,"offsetMs":"1"}}',
    '{"v":2,"complete":{"hostMs":1}}',
    '{"v":1,"ids":[]}',
    '{"v":1,"position":"p"}',
    '{"v":1,"sinceMs":"now"}',
    '{"v":1,"sinceMs":1.5}',
  ])('that is %j is an error, never a start from now', (text) => {
    expect(() => parseCursor('APPLICATION', text)).toThrow(
      expect.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_INVALID')),
    )
  })
})
