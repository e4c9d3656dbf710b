/** Items 1 to 6 of the delivery contract: the order of events, duplicates, acknowledgements and cursors of module streams. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { ModuleMessageType } from '@brokerwire/protos'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { expect } from 'vitest'
import { isStreamsError } from './streams-error.ts'
import { readPolicy } from './supervisor/policy.ts'
import {
  app,
  committed,
  describeContract,
  handleAndLeave,
  liveModule,
  liveTrade,
  MODULE_SUCCESS,
  numbers,
  openModule,
  requestedPositions,
  resetStore,
  sentence,
  server,
  store,
  take,
  takeLabels,
} from './test/contract-fixture.ts'
import { moduleEvent, moduleFrame, tradeFrame } from './test/frames.ts'
import { arraysOf, ask, label } from './test/take.ts'

describeContract('module', (way) => {
  sentence({ '1.1': 'Events are delivered in the order received' }, async () => {
    const shuffled = numbers(60).map((n) => (n * 37) % 60)
    const trade = await liveTrade()
    trade.call.send(...shuffled.map((n) => tradeFrame(1024, { requestId: `r${n}`, timestamp: BigInt(n) })))
    expect(await takeLabels(trade.stream, 60)).toEqual(shuffled.map((n) => `r${n}`))
    await trade.stream.return()
    const module = await liveModule()
    module.call.send(...shuffled.map(app))
    expect(await takeLabels(module.stream, 60)).toEqual(shuffled.map((n) => `id-${n}`))
    await module.stream.return()
  })

  sentence(
    {
      '2.1': 'Module streams deliver every event at least once',
      '2.2': 'This requires that the service replays the events after a position',
    },
    async () => {
      const { stream, call } = await liveModule()
      const ids: string[] = []
      let reach: (() => void) | undefined
      const reached = (count: number) =>
        new Promise<void>((resolve) => {
          reach = () => {
            if (ids.length >= count) resolve()
          }
          reach()
        })
      const reading = (async () => {
        while (ids.length < 60) {
          for (const item of (await ask(stream, way)) ?? []) if (item.type === 'event') ids.push(item.id)
          reach?.()
        }
      })()
      call.send(...numbers(5).map((n) => app(n + 1)))
      await reached(5)
      while (ids.length < 60) {
        // Three more events were sent when the connection broke. They may have been received.
        const handled = ids.length
        server.drop()
        const again = await server.call()
        const position = Number(requestedPositions(again).APPLICATION?.slice(1))
        expect(position).toBeGreaterThanOrEqual(handled)
        // The service replays the events from this position on, including the event at the position.
        again.send(MODULE_SUCCESS, ...numbers(8).map((n) => app(position + n)))
        await reached(Math.min(60, position + 7))
        again.send(...numbers(3).map((n) => app(position + 8 + n)))
      }
      await reading
      expect(ids).toEqual(numbers(60).map((n) => `id-${n + 1}`))
      await stream.return()
    },
  )

  sentence(
    {
      '3.1':
        'Duplicates of an `id` are discarded: within a process, and for committed ids also across restarts',
    },
    async () => {
      const first = await liveModule()
      first.call.send(app(1), app(2), app(1), app(2), app(3))
      expect((await handleAndLeave(first.stream, 3)).map(label)).toEqual(['id-1', 'id-2', 'id-3'])
      const second = await liveModule()
      second.call.send(app(2), app(3), app(4))
      expect(await takeLabels(second.stream, 1)).toEqual(['id-4'])
      await second.stream.return()
    },
  )

  sentence(
    {
      '3.2': 'The number of stored ids is bounded',
      '3.3': 'A process stores 20,000 ids or 2 MiB for each selected event type',
      '3.4': 'The store has the last 64 ids or 32 KiB',
    },
    async () => {
      const { stream, call } = await liveModule({}, { buffer: { maxItems: 100_000, maxBytes: 1 << 30 } })
      call.send(...numbers(20_001).map(app), app(1), app(0))
      const items = await take(stream, 20_002)
      // The oldest id was discarded; the one after it was not.
      expect(items.slice(-2).map(label)).toEqual(['id-20000', 'id-0'])
      await stream.return()
      const [text] = store.entries.values()
      expect(JSON.parse(text ?? '').ids).toHaveLength(64)
      // Long ids: 2 MiB in the process, with one byte for each ASCII character, and 32 KiB in the store.
      resetStore()
      const long = await liveModule({}, { buffer: { maxItems: 100_000, maxBytes: 1 << 30 } })
      const named = (n: number) =>
        moduleFrame(ModuleMessageType.Event, {
          id: String(n).padStart(2000, 'x'),
          eventType: 'APPLICATION',
          position: `p${n}`,
        })
      long.call.send(...numbers(1100).map(named), named(1099), named(100), named(0))
      const last = (await takeLabels(long.stream, 1101)).slice(-2).map((id) => Number(id.replaceAll('x', '')))
      expect(last).toEqual([1099, 0])
      await long.stream.return()
      const [longText = ''] = store.entries.values()
      expect(longText.length).toBeLessThan(20_000)
      expect(JSON.parse(longText).ids).toHaveLength(8)
    },
  )

  sentence(
    {
      '3.5': 'An id or event type longer than `maxIdBytes` (4 KiB) is reported',
      '3.6': 'Duplicates of such an event are delivered',
    },
    async () => {
      const { stream, call } = await liveModule()
      const id = 'x'.repeat(2049)
      const named = moduleFrame(ModuleMessageType.Event, { id, eventType: 'APPLICATION', position: 'p1' })
      const typed = moduleFrame(ModuleMessageType.Event, { id: 'a', eventType: id, position: 'p1' })
      call.send(named, named, typed, typed, app(2))
      const items = await take(stream, 9)
      const long = ['id-too-long', 'module']
      expect(items.map(({ kind }) => kind)).toEqual([...long, ...long, ...long, ...long, 'module'])
      expect(items[0]).toMatchObject({ field: 'id', bytes: 4098 })
      expect(items[1]).toMatchObject({ id })
      expect(items[4]).toMatchObject({ field: 'eventType', bytes: 4098 })
      await stream.return()
      expect([...store.entries.values()].join()).not.toContain('xx')
    },
  )

  sentence({ '3.7': 'The same id with another payload is delivered and reported' }, async () => {
    const { stream, call } = await liveModule({}, { buffer: { maxItems: 100_000, maxBytes: 1 << 30 } })
    const other = (payload: string) =>
      moduleFrame(ModuleMessageType.Event, { id: 'id-1', eventType: 'APPLICATION', position: 'p1', payload })
    call.send(app(1), other('{}'), app(1), other('{}'), app(2))
    const items = await take(stream, 4)
    expect(items.map(({ kind }) => kind)).toEqual(['module', 'duplicate-conflict', 'module', 'module'])
    expect(items[1]).toMatchObject({ eventType: 'APPLICATION', id: 'id-1' })
    expect(items[2]).toMatchObject({ id: 'id-1', payload: '{}' })
    // After 4,096 events only its id is stored.
    call.send(...numbers(4096).map((n) => app(n + 3)), other('[]'), app(9999))
    expect((await takeLabels(stream, 4097)).at(-1)).toBe('id-9999')
    await stream.return()
  })

  sentence(
    {
      '4.1': 'An event that was handled but not committed before a crash is delivered again',
      '4.2': 'Make your code idempotent by `id`, or store `item.cursor`',
    },
    async () => {
      const crashed = await liveModule()
      crashed.call.send(app(1), app(2), app(3))
      await take(crashed.stream, 1)
      const [, last] = await take(crashed.stream, 2)
      // The first commit was written. The others are not written yet when the process is killed.
      expect(committed()).toBe('p1')
      store.compareAndSet = async () => {
        throw new Error('killed')
      }
      const copy = createFailingStore()
      for (const [key, value] of store.entries) copy.entries.set(key, value)
      const next = await liveModule({}, { store: copy })
      expect(requestedPositions(next.call)).toEqual({ APPLICATION: 'p1' })
      next.call.send(app(1), app(2), app(3))
      expect(await takeLabels(next.stream, 2)).toEqual(['id-2', 'id-3'])
      await next.stream.return()
      // The next stream begins at a cursor that the consumer stored itself.
      if (last?.type !== 'event' || last.cursor === undefined)
        throw new Error('expected an event with a cursor')
      const ownCursor = await liveModule(
        { from: { [last.cursor.eventType]: last.cursor.position } },
        { store: undefined },
      )
      expect(requestedPositions(ownCursor.call)).toEqual({ APPLICATION: 'p3' })
      await ownCursor.stream.return()
      await crashed.stream.return().catch(() => {})
    },
  )

  sentence(
    {
      '4.3': 'Before the first commit of an event type, the store only has the time of the start',
      '4.4': 'After a crash, this event type begins with the events from now on',
    },
    async () => {
      const crashed = await liveModule({}, { clock: createVirtualClock(1000) })
      const next = await liveModule({}, { clock: createVirtualClock(9000) })
      expect(requestedPositions(next.call)).toEqual({ APPLICATION: '' })
      expect(await take(next.stream, 1)).toMatchObject([
        { kind: 'gap', eventTypes: ['APPLICATION'], fromMs: 1000, toMs: 9000 },
      ])
      await next.stream.return()
      await crashed.stream.return()
    },
  )

  sentence(
    {
      '5.1': "`ack: 'auto'`: `next()` commits the previous items",
      '5.2': '`break`, `return()` and an error in the loop do not commit the last ones',
    },
    async () => {
      const loop = async (stream: ReturnType<typeof openModule>, leave: () => boolean) => {
        if (way === 'batches') {
          for await (const batch of arraysOf(stream)) if (batch.length > 0 && leave()) break
        } else for await (const item of stream) if (label(item) === 'id-2' && leave()) break
      }
      const ways: Record<string, (stream: ReturnType<typeof openModule>) => Promise<unknown>> = {
        break: (stream) => loop(stream, () => true),
        return: async (stream) => {
          await take(stream, 1)
          await stream.return()
        },
        throw: (stream) =>
          loop(stream, () => {
            throw new Error('in the loop')
          }),
      }
      for (const leave of Object.values(ways)) {
        resetStore()
        const { stream, call } = await liveModule()
        call.send(app(1), app(2), app(3))
        await take(stream, 1)
        await leave(stream).catch(() => {})
        expect(committed()).toBe('p1')
      }
    },
  )

  sentence(
    {
      '5.3':
        "`ack: 'manual'`: an event is committed once it and all earlier events of its type are acknowledged",
    },
    async () => {
      const { stream, call } = await liveModule({ modules: ['application', 'funding'], ack: 'manual' })
      const funding = (n: number) => moduleEvent('FUNDING', 100 + n, 'TRANSFER')
      call.send(app(1), funding(1), app(2), funding(2), app(3))
      const items = await take(stream, 5)
      const acked = ['id-1', 'id-3', 'id-101', 'id-102']
      for (const item of items) if (item.type === 'event' && acked.includes(item.id)) item.ack()
      await stream.return()
      expect(committed()).toBe('p1')
      expect(committed('FUNDING')).toBe('p102')
    },
  )

  sentence(
    {
      '5.4': '`batches()`: `next()` commits the whole previous array',
      '5.5': 'If you leave the loop, the last array is not committed',
      '5.6': "With `'manual'`, `batch.ack()` acknowledges every event of the array",
    },
    async () => {
      const { stream, call } = await liveModule({}, {}, 7)
      call.send(...numbers(20).map((n) => app(n + 1)))
      const batches = arraysOf(stream)
      const handled = (await batches.next()).value
      expect(committed()).toBeUndefined()
      const last = (await batches.next()).value
      await batches.return()
      expect([...(handled ?? []), ...(last ?? [])].map(label)).toEqual(
        numbers((handled?.length ?? 0) + (last?.length ?? 0)).map((n) => `id-${n + 1}`),
      )
      expect(last?.length).toBeGreaterThan(0)
      expect(committed()).toBe(`p${handled?.length}`)
      const manual = await liveModule({ ack: 'manual', consumer: 'manual' }, {}, 3)
      manual.call.send(app(1), app(2), app(3))
      const first = (await arraysOf(manual.stream).next()).value
      first?.ack()
      first?.ack()
      const acked = first?.map(label).at(-1)
      await manual.stream.return()
      expect(committed('APPLICATION', 'manual')).toBe(acked?.replace('id-', 'p'))
    },
  )

  sentence(
    { '5.7': 'After a restart, a gap is reported again while an event of its types is unacknowledged' },
    async () => {
      const startAt = async (startMs: number) => {
        const { stream, call } = await liveModule({ ack: 'manual' }, { clock: createVirtualClock(startMs) })
        const [gap] = startMs === 1000 ? [] : await take(stream, 1)
        return { stream, call, gap }
      }
      const first = await startAt(1000)
      await first.stream.return()
      const second = await startAt(2000)
      expect(second.gap).toMatchObject({ kind: 'gap', fromMs: 1000 })
      second.call.send(moduleFrame(ModuleMessageType.Event, { id: 'a', eventType: 'APPLICATION' }))
      await handleAndLeave(second.stream, 1)
      const third = await startAt(3000)
      expect(third.gap).toMatchObject({ kind: 'gap', fromMs: 1000 })
      await third.stream.return()
    },
  )

  sentence(
    {
      '6.1': 'The first position of an event type is written at once',
      '6.2': 'Later positions are written at most once a second, and the last one at the end',
    },
    async () => {
      const clock = createVirtualClock(0)
      const { stream, call } = await liveModule({}, { clock })
      call.send(...numbers(50).map((n) => app(n + 1)))
      for (const count of [1, 38, 1]) await take(stream, count)
      await clock.advance(999)
      expect(committed()).toBe('p1')
      const before = store.writes
      await clock.advance(1)
      expect(committed()).toBe('p39')
      expect(store.writes - before).toBe(1)
      for (const count of [9, 1]) await take(stream, count)
      await stream.return()
      expect(committed()).toBe('p49')
    },
  )

  sentence({ '6.3': 'An event without a position, or with one longer than `maxIdBytes`' }, async () => {
    const { stream, call } = await liveModule()
    const at = (id: string, position: string) =>
      moduleFrame(ModuleMessageType.Event, { id, eventType: 'APPLICATION', position, payload: '{}' })
    call.send(app(1), at('x', ''), at('y', 'p'.repeat(2049)))
    const items = await handleAndLeave(stream, 4)
    expect(items.map(({ kind }) => kind)).toEqual(['module', 'module', 'id-too-long', 'module'])
    expect(items[2]).toMatchObject({ field: 'position', bytes: 4098 })
    expect(committed()).toBe('p1')
    // The next request has the last position that was stored.
    const next = await liveModule()
    expect(requestedPositions(next.call)).toEqual({ APPLICATION: 'p1' })
    await next.stream.return()
  })

  sentence(
    {
      '6.4': "A rejected cursor is an error, or with `onCursorRejected: 'from-now'` a gap notice",
      '6.5': 'When you have handled that notice, the cursor is removed from the store',
    },
    async () => {
      const from = { APPLICATION: 'too old' }
      const failing = openModule({ from }).next()
      failing.catch(() => {})
      ;(await server.call()).end(11)
      await expect(failing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_REJECTED'))
      const stream = openModule({ from }, { policy: readPolicy({ onCursorRejected: 'from-now' }) })
      const items = take(stream, 3)
      ;(await server.call()).end(11)
      ;(await server.call()).send(MODULE_SUCCESS)
      expect((await items)[2]).toMatchObject({ kind: 'gap', cause: 'cursor-rejected' })
      const pending = ask(stream, way)
      await stream.return()
      await pending
      expect(committed()).toBeUndefined()
    },
  )

  sentence(
    { '6.6': "With `from: 'now'`, the stored cursor is removed after the first subscription" },
    async () => {
      const first = await liveModule()
      first.call.send(app(1))
      await handleAndLeave(first.stream, 1)
      expect(committed()).toBe('p1')
      const second = await liveModule({ from: 'now' })
      expect(requestedPositions(second.call)).toEqual({ APPLICATION: '' })
      await second.stream.return()
      expect(committed()).toBeUndefined()
    },
  )
})
