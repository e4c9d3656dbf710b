/** Reads and writes of progress records, on virtual time. */
import { describe, expect, test } from 'vitest'
import { isStreamsError } from '../streams-error.ts'
import { COMPLETE, createProgressFixture, IDENTITY, KEY, NOW_MS, OLD_KEY } from '../test/progress-fixture.ts'
import { encodeRecord } from './progress-record.ts'

describe('a record under the key of an earlier version', () => {
  const { signal } = new AbortController()
  const json = encodeRecord({ position: 'p7', ids: ['id7'], complete: COMPLETE })

  test('is moved to its new key if the addresses are those of the table', async () => {
    const { store, records } = createProgressFixture({ ...IDENTITY, hasTableAddresses: true })
    store.entries.set(OLD_KEY, json)
    expect((await records.start('APPLICATION', NOW_MS, signal)).position).toBe('p7')
    expect(store.entries.get(OLD_KEY)).toBeUndefined()
    expect(store.entries.get(KEY)).toBe(json)
  })

  test('is not moved if the addresses are not those of the table', async () => {
    const { store, records } = createProgressFixture()
    store.entries.set(OLD_KEY, json)
    expect((await records.start('APPLICATION', NOW_MS, signal)).position).toBeUndefined()
    expect(store.entries.get(OLD_KEY)).toBe(json)
  })
})

describe("start() with from: 'now'", () => {
  const { signal } = new AbortController()
  const complete = { serviceMs: 500, hostMs: 600, offsetMs: -100 }

  test('returns no position, and the end of the stored record as the start of the gap', async () => {
    const { store, records } = createProgressFixture(IDENTITY, 'now')
    store.entries.set(KEY, encodeRecord({ position: 'p7', ids: ['id7'], complete }))
    const start = await records.start('APPLICATION', NOW_MS, signal)
    expect(start).toEqual({ position: undefined, ids: [], complete, isStored: true })
  })

  test('returns the time of the first next() if the record is invalid', async () => {
    const { store, records } = createProgressFixture(IDENTITY, 'now')
    store.entries.set(KEY, 'no record')
    const start = await records.start('APPLICATION', NOW_MS, signal)
    expect(start).toEqual({ position: undefined, ids: [], complete: COMPLETE, isStored: false })
  })
})

describe('commits', () => {
  test('writes the first position at once, then once for all commits of a second', async () => {
    const { store, clock, commit, stored } = createProgressFixture()
    for (let n = 0; n < 50; n += 1) commit(n)
    await clock.advance(999)
    expect(store.writes).toBe(1)
    expect(stored()?.position).toBe('p0')
    await clock.advance(1)
    expect(store.writes).toBe(2)
    expect(stored()?.position).toBe('p49')
    await clock.advance(5000)
    expect(store.writes).toBe(2)
    expect(clock.pendingTimers).toBe(0)
  })

  test('writes a first position at once after the write in progress', async () => {
    const { store, clock, records, commit } = createProgressFixture()
    commit(0)
    records.recordFor('FUNDING').commit('', 'f1')
    await clock.advance(0)
    expect([...store.entries.values()].map((text) => JSON.parse(text).position)).toEqual(['p0', 'f1'])
  })

  test('coalesces all commits if a position was stored before', async () => {
    const { store, clock, records, commit } = createProgressFixture()
    const record = { position: 'p0', ids: [], complete: COMPLETE }
    store.entries.set(KEY, encodeRecord(record))
    await records.start('APPLICATION', NOW_MS, new AbortController().signal)
    commit(1)
    await clock.advance(999)
    expect(store.writes).toBe(0)
    await clock.advance(1)
    expect(store.writes).toBe(1)
  })

  test('close() writes pending commits at once', async () => {
    const { records, commit, stored, clock, progress } = createProgressFixture()
    progress.handledUntil = { serviceMs: 5, hostMs: 4, offsetMs: 1 }
    commit(1)
    await records.close()
    expect(stored()).toEqual({ position: 'p1', ids: ['id1'], complete: progress.handledUntil })
    expect(clock.pendingTimers).toBe(0)
  })

  test('stores at most 64 ids', async () => {
    const { records, commit, stored } = createProgressFixture()
    for (let n = 0; n < 100; n += 1) commit(n)
    await records.close()
    expect(stored()?.ids).toHaveLength(64)
    expect(stored()?.ids.at(-1)).toBe('id99')
  })

  test('reports a failed write, and retries it with exponential backoff', async () => {
    const { store, clock, commit, stored, retries } = createProgressFixture()
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

  test('close() rejects if the last write fails, with the reason', async () => {
    const { store, records, commit } = createProgressFixture()
    store.failure = new Error('down')
    commit(1)
    await expect(records.close()).rejects.toMatchObject({
      code: 'STREAM_STORE_FAILED',
      message: 'writing a cursor to the store failed: down',
    })
  })

  test('ends with an error if another consumer writes the record, and never overwrites it', async () => {
    const { store, clock, records, commit, conflicts } = createProgressFixture()
    commit(1)
    await clock.advance(1000)
    store.entries.set(KEY, 'of another consumer')
    commit(2)
    await clock.advance(1000)
    expect(conflicts).toMatchObject([
      { code: 'STREAM_CURSOR_CONFLICT', message: expect.stringContaining('the cursor of APPLICATION') },
    ])
    expect(store.entries.get(KEY)).toBe('of another consumer')
    commit(3)
    await expect(records.close()).rejects.toSatisfy((error) =>
      isStreamsError(error, 'STREAM_CURSOR_CONFLICT'),
    )
  })

  test('close() rejects if another consumer is found while it waits for a write', async () => {
    const { store, clock, records, commit, conflicts } = createProgressFixture()
    commit(1)
    await clock.advance(1000)
    store.entries.set(KEY, 'of another consumer')
    const { get } = store
    let respond = (): void => {}
    const requested = new Promise<void>((resolve) => {
      store.get = (...args) => {
        resolve()
        return new Promise((found) => {
          respond = () => found(get(...args))
        })
      }
    })
    commit(2)
    await clock.advance(1000)
    await requested
    const closing = records.close()
    respond()
    await expect(closing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_CONFLICT'))
    expect(conflicts).toEqual([])
    expect(store.entries.get(KEY)).toBe('of another consumer')
  })

  test('recognizes its own write if the response was lost', async () => {
    const { store, clock, commit, stored, conflicts } = createProgressFixture()
    const { compareAndSet } = store
    let isFirst = true
    store.compareAndSet = async (...args) => {
      const wrote = await compareAndSet(...args)
      if (!isFirst) return wrote
      isFirst = false
      throw new Error('connection lost')
    }
    commit(1)
    await clock.advance(1000)
    commit(2)
    await clock.advance(2000)
    expect(stored()?.position).toBe('p2')
    commit(3)
    await clock.advance(1000)
    expect(stored()?.position).toBe('p3')
    expect(conflicts).toEqual([])
  })
})
