/** Items 9 to 11 of the delivery contract: unknown frames, slow consumers and messages that cannot be decoded. */
import { payloads } from '@brokerwire/payloads'
import { ModuleMessageType, TradeEventType } from '@brokerwire/protos'
import { expect } from 'vitest'
import { createModuleStream } from './module-stream.ts'
import { grpcConnections } from './subscription/connection.ts'
import { testContext } from './test/context.ts'
import {
  app,
  committed,
  describeContract,
  INVALID,
  liveModule,
  liveTrade,
  MODULE_SUCCESS,
  numbers,
  order,
  sentence,
  server,
  take,
  takeLabels,
} from './test/contract-fixture.ts'
import { moduleEvent, moduleFrame, tradeFrame } from './test/frames.ts'

describeContract('frames', () => {
  sentence(
    {
      '9.1': 'Pings are never delivered as events',
      '9.2': 'Events with unknown codes, kinds and payloads are always delivered',
    },
    async () => {
      const trade = await liveTrade()
      const ping = tradeFrame(TradeEventType.Ping, { requestId: 'same', payload: '{}' })
      trade.call.send(
        ping,
        tradeFrame(4711, { requestId: 'u', payload: 'no JSON' }),
        ping,
        tradeFrame(77),
        ping,
      )
      expect(await take(trade.stream, 2)).toMatchObject([
        { kind: 'unknown', eventType: 4711 },
        { kind: 'unknown', eventType: 77 },
      ])
      await trade.stream.return()
      const module = await liveModule()
      const modulePing = moduleFrame(ModuleMessageType.Ping, {
        id: 'ping',
        eventType: 'APPLICATION',
        position: 'p9',
      })
      const odd = moduleFrame(99, { id: 'odd', payload: 'text' })
      const broken = moduleFrame(ModuleMessageType.Event, { id: 'b', eventType: 'APPLICATION', payload: '{' })
      module.call.send(modulePing, odd, modulePing, broken, moduleEvent('APPLICATION', 5, 'NEVER_SEEN'))
      expect(await takeLabels(module.stream, 3)).toEqual(['odd', 'b', 'id-5'])
      await module.stream.return()
      expect(committed()).not.toBe('p9')
    },
  )

  sentence(
    {
      '10.1': 'A slow consumer pauses the service',
      '10.2': 'The queue has at most `buffer` items and bytes',
    },
    async () => {
      let deepest = 0
      const observer = {
        onStreamBatch(report: { readonly queueDepth: number }) {
          deepest = Math.max(deepest, report.queueDepth)
        },
      }
      const { stream, call } = await liveTrade({ buffer: { maxItems: 10, maxBytes: 1 << 20 }, observer })
      const payload = JSON.stringify({ text: 'x'.repeat(4000) })
      let sent = 0
      // Until the buffer of the service is full and no longer drains.
      for (; sent < 5000; sent += 1) {
        call.send(order(`r${sent}`, payload))
        if (!call.stream.writableNeedDrain) continue
        const drained = new Promise((resolve) => call.stream.once('drain', () => resolve(true)))
        const quiet = (async () => {
          for (let turns = 0; turns < 300; turns += 1) await new Promise((resolve) => setImmediate(resolve))
          return false
        })()
        if (!(await Promise.race([drained, quiet]))) break
      }
      expect(sent).toBeLessThan(4000)
      expect(deepest).toBeLessThanOrEqual(10)
      expect(await takeLabels(stream, sent + 1)).toEqual(numbers(sent + 1).map((n) => `r${n}`))
      await stream.return()
    },
  )

  sentence(
    {
      '11.1': 'A message that cannot be decoded is delivered in order',
      '11.2': 'The stream continues on the same connection',
    },
    async () => {
      const { stream, call } = await liveModule()
      call.send(app(1), INVALID, app(2))
      expect(await takeLabels(stream, 3)).toEqual(['id-1', 'undecodable', 'id-2'])
      expect(server.calls).toHaveLength(1)
      await stream.return()
    },
  )

  sentence(
    { '11.3': 'With `transports` or `connection.interceptors`, such a message ends the call instead' },
    async () => {
      const connections = grpcConnections({ interceptors: [(next) => next] })
      const target = { host: undefined, open: () => connections(server.url) }
      const modules = ['application']
      const stream = createModuleStream(testContext(), target, { modules }, (frame) => payloads.module(frame))
      const first = take(stream, 1)
      const call = await server.call()
      call.send(MODULE_SUCCESS)
      await first
      call.send(app(1))
      expect(await takeLabels(stream, 1)).toEqual(['id-1'])
      call.send(INVALID)
      expect(await take(stream, 1)).toMatchObject([{ kind: 'reconnecting', reason: 'status' }])
      await stream.return()
    },
  )

  sentence({ '10.3': 'Notices about events that were read may exceed these bounds' }, async () => {
    const { stream, call } = await liveModule({}, { buffer: { maxItems: 2, maxBytes: 1 << 20 } })
    const long = moduleFrame(ModuleMessageType.Event, {
      id: 'x'.repeat(2049),
      eventType: 'APPLICATION',
      position: 'p'.repeat(2049),
    })
    call.send(long, long)
    expect((await take(stream, 6)).map(({ kind }) => kind)).toEqual([
      ...['id-too-long', 'id-too-long', 'module'],
      ...['id-too-long', 'id-too-long', 'module'],
    ])
    await stream.return()
  })

  sentence(
    {
      '11.4': 'A message longer than `connection.readMaxBytes` is skipped',
      '11.5': 'Its length and the reason are delivered',
    },
    async () => {
      const connections = grpcConnections({ readMaxBytes: 4096 })
      const target = { host: undefined, open: () => connections(server.url) }
      const modules = ['application']
      const stream = createModuleStream(testContext(), target, { modules }, (frame) => payloads.module(frame))
      const first = take(stream, 1)
      const call = await server.call()
      call.send(MODULE_SUCCESS)
      await first
      call.send(app(1), Buffer.alloc(100_000), app(2))
      expect(await take(stream, 3)).toMatchObject([
        { id: 'id-1' },
        { reason: 'too-large', length: 100_000, bytes: undefined },
        { id: 'id-2' },
      ])
      await stream.return()
    },
  )

  sentence({ '11.6': 'The cursor moves with the next handled event' }, async () => {
    const { stream, call } = await liveModule()
    call.send(app(1), INVALID, app(2))
    await take(stream, 2)
    await stream.return()
    expect(committed()).toBe('p1')
  })
})
