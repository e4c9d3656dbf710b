/** Items 7 and 8 of the delivery contract: gaps and duplicates of trade, position and account streams. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { TradeEventType } from '@brokerwire/protos'
import { expect } from 'vitest'
import { IDENTITY } from './test/context.ts'
import {
  describeContract,
  handleAndLeave,
  liveTrade,
  MODULE_SUCCESS,
  numbers,
  openModule,
  openTrade,
  order,
  sentence,
  server,
  store,
  TRADE_SUCCESS,
  take,
  takeLabels,
} from './test/contract-fixture.ts'
import { tradeFrame } from './test/frames.ts'
import { ask, takeAfterDrop, takeBeginning } from './test/take.ts'

describeContract('trade', (way) => {
  sentence(
    {
      '7.1': 'Trade, position and account streams have no positions',
      '7.2': 'Each such gap is reported by a notice with its bounds',
    },
    async () => {
      const clock = createVirtualClock(1000)
      const { stream, call } = await liveTrade({ clock })
      call.send(order('before'))
      await take(stream, 1)
      await clock.advance(500)
      const lost = take(stream, 1)
      server.drop()
      expect(await lost).toMatchObject([{ kind: 'reconnecting', delayMs: 0 }])
      const more = take(stream, 3)
      await clock.advance(0)
      const again = await server.call()
      await clock.advance(700)
      again.send(TRADE_SUCCESS, order('after'))
      const items = await more
      expect(items.map((item) => item.kind)).toEqual(['subscribed', 'gap', 'order'])
      expect(items[1]).toMatchObject({ fromMs: 1000, toMs: 2200 })
      await stream.return()
    },
  )

  sentence(
    {
      '7.3': 'A gap begins at the timestamp of the last frame received',
      '7.4': '`hostFromMs` and `hostToMs` are the same instants',
      '7.5': 'No start is later than its end',
    },
    async () => {
      for (const hostMs of [1000, 121_000]) {
        const clock = createVirtualClock(hostMs)
        const stamped = (ms: number) => tradeFrame(TradeEventType.SubscribeSuccess, { timestamp: BigInt(ms) })
        const { stream, call } = await liveTrade({ clock })
        call.send(tradeFrame(1024, { requestId: 'before', payload: '{}', timestamp: 61_000n }))
        await take(stream, 1)
        await clock.advance(500)
        const [, gap] = await takeAfterDrop(stream, 2, { server, clock, success: stamped(61_500) }, way)
        expect(gap).toMatchObject({ kind: 'gap', fromMs: 61_000, toMs: 61_500 })
        expect(gap).toMatchObject({
          hostFromMs: hostMs,
          hostToMs: hostMs + 500,
          clockOffsetMs: 61_000 - hostMs,
        })
        await stream.return()
      }
    },
  )

  sentence({ '7.6': 'Without a `store`, the first gap begins at the first `next()`' }, async () => {
    for (let run = 0; run < 2; run += 1) {
      const clock = createVirtualClock(1000 + run)
      const stream = openTrade({ clock })
      const first = takeBeginning(stream, way)
      const call = await server.call()
      await clock.advance(700)
      call.send(TRADE_SUCCESS)
      const gap = (await first)[1]
      expect(gap).toMatchObject({ cause: 'before-subscription', fromMs: 1000 + run, toMs: 1700 + run })
      await stream.return()
    }
  })

  sentence(
    {
      '7.7':
        'With a `store`, the first gap begins at the instant up to which the previous stream was complete',
      '7.8': 'The previous stream is the last one with the same identity',
    },
    async () => {
      const persistence = { store, identity: IDENTITY }
      const killed = await liveTrade({ ...persistence, clock: createVirtualClock(1000) })
      const next = await liveTrade({ ...persistence, clock: createVirtualClock(9000) })
      const [gap] = await take(next.stream, 1)
      expect(gap).toMatchObject({ kind: 'gap', cause: 'restart', fromMs: 1000, toMs: 9000 })
      await next.stream.return()
      await killed.stream.return().catch(() => {})
    },
  )

  sentence(
    {
      '7.9': 'A stream is complete up to the last event after which you asked for another item',
      '7.10': 'While nothing is unhandled, it is complete up to the last frame',
    },
    async () => {
      const persistence = { store, identity: IDENTITY }
      const at = (requestId: string, ms: number) =>
        tradeFrame(1024, { requestId, payload: '{}', timestamp: BigInt(ms) })
      const handled = await liveTrade({ ...persistence, clock: createVirtualClock(1000) })
      handled.call.send(at('a', 1000), at('b', 2000))
      await take(handled.stream, 2)
      await handled.stream.return()
      const idle = await liveTrade({ ...persistence, clock: createVirtualClock(3000) })
      const [first] = await take(idle.stream, 1)
      expect(first).toMatchObject({ kind: 'gap', fromMs: 1000 })
      const received = ask(idle.stream, way)
      idle.call.send(tradeFrame(TradeEventType.Ping, { timestamp: 5000n }), at('c', 5500))
      await received
      const pending = ask(idle.stream, way)
      await idle.stream.return()
      await pending
      const last = await liveTrade({ ...persistence, clock: createVirtualClock(9000) })
      expect(await take(last.stream, 1)).toMatchObject([{ kind: 'gap', fromMs: 5500 }])
      await last.stream.return()
    },
  )

  sentence(
    {
      '7.11': 'This instant is written at the first start, then at most once a second',
      '7.12': 'Its record has at most 128 KiB',
    },
    async () => {
      const clock = createVirtualClock(0)
      const { stream, call } = await liveTrade({ store, identity: IDENTITY, clock })
      expect(store.writes).toBe(1)
      call.send(...numbers(200).map((n) => order('i'.repeat(2000) + n)))
      await take(stream, 100)
      await clock.advance(999)
      expect(store.writes).toBe(1)
      await clock.advance(1)
      expect(store.writes).toBe(2)
      await take(stream, 99)
      await stream.return()
      expect(store.writes).toBe(3)
      const [text = ''] = store.entries.values()
      expect(text.length).toBeLessThan(128 * 1024)
    },
  )

  sentence(
    { '7.13': 'Event types of module streams that have no position yet report the same gaps' },
    async () => {
      const begin = async (startMs: number) => {
        const stream = openModule({}, { clock: createVirtualClock(startMs) })
        const items = takeBeginning(stream, way)
        ;(await server.call()).send(MODULE_SUCCESS)
        return { stream, gap: (await items)[1] }
      }
      const first = await begin(1000)
      expect(first.gap).toMatchObject({
        cause: 'before-subscription',
        eventTypes: ['APPLICATION'],
        fromMs: 1000,
      })
      await first.stream.return()
      const second = await begin(2000)
      expect(second.gap).toMatchObject({
        cause: 'restart',
        eventTypes: ['APPLICATION'],
        fromMs: 1000,
        toMs: 2000,
      })
      await second.stream.return()
    },
  )

  sentence({ '7.14': 'The end of a stream waits at most 5 seconds for the store' }, async () => {
    const clock = createVirtualClock(0)
    const { stream, call } = await liveTrade({ store, identity: IDENTITY, clock })
    call.send(order('a'))
    await take(stream, 1)
    store.compareAndSet = () => new Promise(() => {})
    const pending = ask(stream, way)
    const ends = Promise.allSettled([stream.return(), pending])
    await clock.advance(5000)
    const errors = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) expect(error).toMatchObject({ code: 'STREAM_STORE_FAILED' })
  })

  sentence(
    {
      '8.1':
        'On these streams, an event is a duplicate only if its event type, request id and payload equal those',
      '8.2': 'Recent are the last 4,096 events, or 8 MiB of received bytes',
    },
    async () => {
      const { stream, call } = await liveTrade({ buffer: { maxItems: 100_000, maxBytes: 1 << 30 } })
      call.send(order('a'), order('a'), tradeFrame(1028, { requestId: 'a', payload: '{}' }), order('b'))
      expect(await take(stream, 3)).toMatchObject([
        { kind: 'order', requestId: 'a' },
        { kind: 'position', requestId: 'a' },
        { kind: 'order', requestId: 'b' },
      ])
      // After 4,096 events the first one counts as new again; the oldest of the 4,096 does not.
      call.send(...numbers(4096).map((n) => order(`n${n}`)), order('n1'), order('a'))
      expect((await takeLabels(stream, 4097)).slice(-2)).toEqual(['n4095', 'a'])
      const huge = 'x'.repeat(1 << 20)
      call.send(order('huge'), ...numbers(8).map((n) => order(`h${n}`, huge)), order('huge'))
      expect((await takeLabels(stream, 10)).slice(-1)).toEqual(['huge'])
      await stream.return()
    },
  )

  sentence({ '8.3': 'The same id with another payload is delivered and reported' }, async () => {
    const { stream, call } = await liveTrade()
    call.send(order('a', '{"v":1}'), order('a', '{"v":2}'))
    const items = await take(stream, 3)
    expect(items.map((item) => item.kind)).toEqual(['order', 'duplicate-conflict', 'order'])
    expect(items[2]).toMatchObject({ payload: '{"v":2}' })
    await stream.return()
  })

  sentence(
    {
      '8.4': 'With a `store`, duplicates of the last 64 events handled before a restart are discarded too',
      '8.5': 'Their event type, request id and a digest of the payload are compared',
    },
    async () => {
      const persistence = { store, identity: IDENTITY, buffer: { maxItems: 1000, maxBytes: 1 << 20 } }
      const first = await liveTrade(persistence)
      first.call.send(...numbers(70).map((n) => order(`r${n}`)))
      await handleAndLeave(first.stream, 70)
      const second = await liveTrade(persistence)
      second.call.send(order('r5'), order('r6'), order('r69'), order('r69', '[]'))
      expect((await takeLabels(second.stream, 3)).slice(1)).toEqual(['r5', 'r69'])
      await second.stream.return()
    },
  )
})
