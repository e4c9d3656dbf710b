/** Progress records in a store that fails, or whose responses are late or lost, on virtual time. */
import { expect, test } from 'vitest'
import { isStreamsError } from '../streams-error.ts'
import { createProgressFixture, KEY, NOW_MS } from '../test/progress-fixture.ts'
import { CLOSE_TIMEOUT_MS } from './progress-store.ts'

test('a failed write after a write without a response is not mistaken for another consumer', async () => {
  const { store, clock, commit, stored, conflicts } = createProgressFixture()
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
  expect(stored()?.position).toBe('p2')
  expect(conflicts).toEqual([])
})

test.each([2, 3])(
  'a write that arrives late, followed by call %i without a response, is not mistaken for another consumer',
  async (lost) => {
    const { store, clock, commit, stored, conflicts } = createProgressFixture()
    commit(1)
    await clock.advance(0)
    const { compareAndSet } = store
    let calls = 0
    let arrive = async (): Promise<unknown> => undefined
    store.compareAndSet = async (...args) => {
      calls += 1
      if (calls === 1) arrive = () => compareAndSet(...args)
      if (calls === 2) await arrive()
      if (calls === 1 || calls === lost) throw new Error('no response')
      return await compareAndSet(...args)
    }
    commit(2)
    await clock.advance(1000)
    commit(3)
    await clock.advance(2000)
    expect(calls).toBe(lost)
    expect(stored()?.position).toBe('p2')
    commit(4)
    await clock.advance(10_000)
    expect(stored()?.position).toBe('p4')
    expect(conflicts).toEqual([])
  },
)

test('recognizes the last of 300 writes without a response as its own', async () => {
  const { store, clock, commit, stored, conflicts } = createProgressFixture()
  commit(0)
  await clock.advance(0)
  const { compareAndSet } = store
  let last = async (): Promise<unknown> => undefined
  for (let n = 1; n <= 300; n += 1) {
    store.compareAndSet = (...args) => {
      last = () => compareAndSet(...args)
      return Promise.reject(new Error('no response'))
    }
    commit(n)
    await clock.advance(30_000)
  }
  await last()
  expect(stored()?.position).toBe('p300')
  store.compareAndSet = compareAndSet
  commit(301)
  await clock.advance(30_000)
  expect(stored()?.position).toBe('p301')
  expect(conflicts).toEqual([])
})

test('compares with at most eight possible values before it reports another consumer', async () => {
  const { store, clock, commit, conflicts } = createProgressFixture()
  commit(0)
  await clock.advance(0)
  const { compareAndSet } = store
  store.compareAndSet = () => Promise.reject(new Error('no response'))
  for (let n = 1; n <= 50; n += 1) {
    commit(n)
    await clock.advance(30_000)
  }
  let writes = 0
  store.compareAndSet = (...args) => {
    writes += 1
    return compareAndSet(...args)
  }
  store.entries.set(KEY, 'of another consumer')
  await clock.advance(30_000)
  expect(writes).toBe(8)
  expect(conflicts).toMatchObject([{ code: 'STREAM_CURSOR_CONFLICT' }])
})

test('start() does not write to a store that responds after the stream was closed', async () => {
  const { store, records } = createProgressFixture()
  const controller = new AbortController()
  const { get } = store
  store.get = (...args) => {
    controller.abort()
    return get(...args)
  }
  await expect(records.start('APPLICATION', NOW_MS, controller.signal)).rejects.toBe(controller.signal.reason)
  expect(store.writes).toBe(0)
})

test.each([
  ['succeeds', true],
  ['fails', false],
])('close() waits for a first write that %s', async (_, succeeds) => {
  const { store, clock, records, progress } = createProgressFixture()
  // Before the first subscription there is nothing else to write.
  progress.handledUntil = undefined
  const { compareAndSet } = store
  let respond = (): void => {}
  store.compareAndSet = (...args) =>
    new Promise((resolve, reject) => {
      respond = () => (succeeds ? resolve(compareAndSet(...args)) : reject(new Error('down')))
    })
  const starting = records.start('APPLICATION', NOW_MS, new AbortController().signal).catch(() => {})
  await clock.advance(0)
  let isClosed = false
  const closing = records.close().then(() => {
    isClosed = true
  })
  await clock.advance(1000)
  expect(isClosed).toBe(false)
  respond()
  await Promise.all([closing, starting])
  expect(store.entries.has(KEY)).toBe(succeeds)
})

test('close() reports no retry of the last write, because there is none', async () => {
  const { store, clock, records, commit, retries } = createProgressFixture()
  commit(1)
  await clock.advance(0)
  store.compareAndSet = () => Promise.reject(new Error('down'))
  commit(2)
  await expect(records.close()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_STORE_FAILED'))
  expect(retries).toEqual([])
})

test('close() rejects after five seconds if the store does not respond, and writes nothing later', async () => {
  const { store, clock, records, commit } = createProgressFixture()
  let respond = (_wrote: boolean): void => {}
  store.compareAndSet = () =>
    new Promise((resolve) => {
      respond = resolve
    })
  commit(1)
  await clock.advance(0)
  commit(2)
  const closing = records.close()
  const failed = expect(closing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_STORE_FAILED'))
  await clock.advance(CLOSE_TIMEOUT_MS - 1)
  expect(clock.pendingTimers).toBe(1)
  await clock.advance(1)
  await failed
  store.compareAndSet = () => Promise.reject(new Error('a write after the end'))
  respond(true)
  await clock.advance(60_000)
  expect(clock.pendingTimers).toBe(0)
  expect(store.entries.size).toBe(0)
})
