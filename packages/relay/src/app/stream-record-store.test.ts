/** The record of a stream in a store that several writers share. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { createMemoryStore } from '@brokerwire/stores'
import { expect, test } from 'vitest'
import { serializeStreamRecord, streamRecordKey } from './stream-record.ts'
import { StreamRecordStore } from './stream-record-store.ts'

const STORE_KEY = streamRecordKey('main', 'team-a')
const until = { untilMs: 1, hostUntilMs: 1, clockOffsetMs: undefined }
const record = (sequence: number) => ({
  streamId: 'a',
  sequence,
  since: until,
  completeUntil: { trade: until },
})

function setUp() {
  const store = createMemoryStore()
  const failed: unknown[] = []
  const open = (own: typeof store = store) =>
    new StreamRecordStore({
      stream: 'team-a',
      store: own,
      storeKey: STORE_KEY,
      clock: createVirtualClock(0),
      onFailed: (error) => failed.push(error),
    })
  return { store, failed, open }
}

test('lets the next writer replace the record, and the previous one change nothing', async () => {
  const { open, failed } = setUp()
  const [first, second] = [open(), open()]
  expect(await first.read()).toBeUndefined()
  await first.write(record(1))
  expect(await second.read()).toMatchObject(record(1))
  await first.write(record(2))
  await second.write(record(10))
  await first.write(record(3))
  await first.write(record(4))
  expect(await open().read()).toMatchObject(record(10))
  await second.write(record(11))
  expect(await open().read()).toMatchObject(record(11))
  expect(failed).toEqual([])
})

test('writes the next record after a write that succeeded without a response', async () => {
  const { store, open, failed } = setUp()
  let isFailing = true
  const writer = open({
    ...store,
    async compareAndSet(...args) {
      const isSet = await store.compareAndSet(...args)
      if (isFailing) throw new Error('of a test')
      return isSet
    },
  })
  await writer.read()
  isFailing = false
  await writer.write(record(1))
  isFailing = true
  await writer.write(record(2))
  expect(failed).toHaveLength(1)
  isFailing = false
  await writer.write(record(3))
  expect(await writer.read()).toMatchObject(record(3))
})

test('reports a record that it cannot write because others write in between', async () => {
  const { store, open, failed } = setUp()
  let others = 0
  const writer = open({
    ...store,
    async compareAndSet(storeKey, expected, text) {
      others += 1
      const other = serializeStreamRecord({ runId: `other-${others}`, ...record(others) })
      await store.compareAndSet(storeKey, await store.get(storeKey), other)
      return store.compareAndSet(storeKey, expected, text)
    },
  })
  await writer.write(record(100))
  expect(failed).toMatchObject([{ message: expect.stringContaining(STORE_KEY) }])
  expect(await open().read()).toMatchObject({ runId: `other-${others}` })
})

test('writes the last of several waiting records, and no record twice', async () => {
  const { store, open } = setUp()
  let writes = 0
  const writer = open({
    ...store,
    compareAndSet(...args) {
      writes += 1
      return store.compareAndSet(...args)
    },
  })
  await Promise.all([1, 2, 3].map((sequence) => writer.write(record(sequence))))
  await writer.write(record(3))
  expect(writes).toBe(2)
  expect(await writer.read()).toEqual({ runId: expect.any(String), ...record(3) })
})

test('reports a failing store as unavailable, and an invalid record by its store key', async () => {
  const { store, open } = setUp()
  const away = open({ ...store, get: () => Promise.reject(new Error('of a test')) })
  await expect(away.read()).rejects.toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE', retryable: true })
  await store.compareAndSet(STORE_KEY, undefined, '{"v":2}')
  await expect(open().read()).rejects.toMatchObject({
    code: 'RELAY_STATE_INVALID',
    details: { storeKey: STORE_KEY },
  })
})

test('writes records of less than 1 KiB', () => {
  const widest = { untilMs: -1e15 / 3, hostUntilMs: -1e15 / 3, clockOffsetMs: -1e15 / 3 }
  const text = serializeStreamRecord({
    runId: 'w'.repeat(12),
    streamId: '2026-01-01T00:00:00.123456789Z',
    sequence: Number.MAX_SAFE_INTEGER,
    since: widest,
    completeUntil: { module: widest, trade: widest, position: widest },
  })
  expect(Buffer.byteLength(text)).toBeLessThan(1024)
})
