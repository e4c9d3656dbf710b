/** The sink over a storage of batches, with a storage in memory whose calls can fail, hang or lose their response. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { sinkMisconfigured } from '../sink/sink-errors.ts'
import { contractSuite } from '../test/contract-suite.ts'
import { entries, entry, keys } from '../test/entries.ts'
import { matchesSubject } from '../wire/subjects.ts'
import { type BatchSinkOptions, type BatchStorage, createBatchSink, type StreamEnd } from './batch-sink.ts'
import type { SinkEntry, SinkState, StoredEntry } from './event-sink.ts'

const ALL = { maxEntries: 10_000 }

/** A table of messages with the token of their batch. */
function createTable() {
  const rows: { readonly entry: StoredEntry; readonly token: string }[] = []
  const end = (): StreamEnd => ({ sequence: rows.length, token: rows.at(-1)?.token ?? '' })
  const storage: BatchStorage = {
    async readTail({ maxEntries, lastOf = [] }) {
      const all = rows.map((row) => row.entry)
      return {
        ...end(),
        entries: maxEntries === 0 ? [] : all.slice(-maxEntries),
        lastOf: lastOf.map((filter) => all.filter(({ subject }) => matchesSubject(filter, subject)).at(-1)),
      }
    },
    async append(batch: readonly SinkEntry[], expected, token) {
      if (expected.sequence !== rows.length || expected.token !== end().token) return end()
      for (const one of batch) rows.push({ entry: { ...one, sequence: rows.length + 1 }, token })
      return end()
    },
    probe: async () => ({ ...end(), retention: {} }),
  }
  return { rows, storage }
}

function setUp(
  change: (storage: BatchStorage) => Partial<BatchStorage>,
  options: Partial<BatchSinkOptions> = {},
) {
  const { rows, storage } = createTable()
  const sink = createBatchSink({ storage: { ...storage, ...change(storage) }, name: 'desk', ...options })
  onTestFinished(() => sink.close())
  return { rows, sink, stored: () => keys(rows.map((row) => row.entry)) }
}

describe('a sink over a storage of batches', () => {
  contractSuite({
    async open() {
      const { rows, storage } = createTable()
      return {
        openSink: () => createBatchSink({ storage, name: 'desk' }),
        truncate: async (sequence) => void rows.splice(sequence),
      }
    },
    restart: false,
    sizeLimit: false,
  })

  test('stores a batch once if its response was lost', async () => {
    let calls = 0
    const states: SinkState['state'][] = []
    const { sink, stored } = setUp(
      (storage) => ({
        async append(...args) {
          const end = await storage.append(...args)
          calls += 1
          if (calls % 2 === 1) throw new Error('the connection was closed')
          return end
        },
      }),
      { onState: ({ state }) => states.push(state) },
    )
    await sink.tail(ALL)
    expect(await sink.publish(entries(1, 3))).toEqual({ sequence: 3 })
    expect(await sink.publish([entry(4)])).toEqual({ sequence: 4 })
    expect(stored()).toEqual(keys(entries(1, 4)))
    expect(states).toEqual(['waiting', 'writing', 'waiting', 'writing'])
  })

  test('sends a batch again if the storage does not respond in time', async () => {
    let calls = 0
    const { sink, stored } = setUp(
      (storage) => ({
        append(...args) {
          calls += 1
          return calls === 1 ? new Promise(() => {}) : storage.append(...args)
        },
      }),
      { requestTimeoutMs: 20 },
    )
    await sink.tail(ALL)
    expect(await sink.publish([entry(1)])).toEqual({ sequence: 1 })
    expect(stored()).toEqual(keys([entry(1)]))
  })

  test('rejects a tail and a probe if the storage does not respond in time', async () => {
    const never = () => new Promise<never>(() => {})
    const { sink } = setUp(() => ({ readTail: never }), { requestTimeoutMs: 20 })
    await expect(sink.tail(ALL)).rejects.toMatchObject({
      code: 'RELAY_SINK_UNAVAILABLE',
      details: { reason: 'no response within 20 ms' },
    })
    const other = setUp(() => ({ probe: never }), { requestTimeoutMs: 20 }).sink
    await other.tail(ALL)
    await expect(other.probe?.()).rejects.toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
    expect(await other.publish([entry(1)])).toEqual({ sequence: 1 })
  })

  test('detects a late copy of a batch that an earlier reading of the tail did not see', async () => {
    let late = async (): Promise<unknown> => undefined
    const { sink, stored } = setUp((storage) => ({
      append(...args) {
        if (keys(args[0]).join() !== keys([entry(1)]).join()) return storage.append(...args)
        late = () => storage.append(...args)
        return Promise.reject(new Error('the connection was closed'))
      },
    }))
    await sink.tail(ALL)
    const first = sink.publish([entry(1)])
    await expect.poll(() => late).toBeDefined()
    const tail = sink.tail(ALL)
    await expect(first).rejects.toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
    expect((await tail).sequence).toBe(0)
    await late()
    await expect(sink.publish([entry(2)])).rejects.toMatchObject({ code: 'RELAY_FENCED' })
    expect(stored()).toEqual(keys([entry(1)]))
  })

  test('stops with a misconfigured storage until the tail is read again', async () => {
    const mismatch = { setting: 'maxmemory', expected: 'more', received: '1', command: undefined }
    let isFull = true
    const { sink } = setUp((storage) => ({
      append(...args) {
        if (isFull) throw sinkMisconfigured('desk', 'the server must have memory', mismatch)
        return storage.append(...args)
      },
    }))
    await sink.tail(ALL)
    const error = { code: 'RELAY_SINK_MISCONFIGURED', details: { setting: 'maxmemory' } }
    const calls = [sink.publish([entry(1)]), sink.publish([entry(2)])]
    for (const call of calls) await expect(call).rejects.toMatchObject(error)
    isFull = false
    await expect(sink.publish([entry(3)])).rejects.toMatchObject(error)
    await sink.tail(ALL)
    expect(await sink.publish([entry(4)])).toEqual({ sequence: 1 })
  })

  test('stores waiting calls together, within the bounds of a batch', async () => {
    const sizes: number[] = []
    const { sink } = setUp(
      (storage) => ({
        append(...args) {
          sizes.push(args[0].length)
          return storage.append(...args)
        },
      }),
      { maxBatchMessages: 10 },
    )
    await sink.tail(ALL)
    const calls = [entries(1, 4), entries(5, 8), [], entries(9, 11), entries(12, 40), [entry(41)]]
    const acknowledged = await Promise.all(calls.map((batch) => sink.publish(batch)))
    expect(acknowledged.map(({ sequence }) => sequence)).toEqual([4, 8, 8, 11, 40, 41])
    expect(sizes).toEqual([8, 3, 10, 10, 10])
  })

  test('closes its storage once', async () => {
    let closed = 0
    const { sink } = setUp(() => ({
      close: async () => {
        closed += 1
      },
    }))
    await sink.close()
    await sink.close()
    expect(closed).toBe(1)
  })
})
