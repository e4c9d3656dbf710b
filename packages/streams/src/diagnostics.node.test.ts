import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createVirtualClock } from '@brokerwire/core/testing'
import { payloads } from '@brokerwire/payloads'
import { TradeEventType } from '@brokerwire/protos'
import { startGrpcServer } from '@brokerwire/testing/grpc-server'
import { expect, test } from 'vitest'
import { diagnosticsObserver } from './diagnostics.ts'
import { createStreamReporter, type StreamBatchReport } from './observer.ts'
import { targetOf, testContext } from './test/context.ts'
import { tradeFrame } from './test/frames.ts'
import { take } from './test/take.ts'
import { createTradeStream } from './trade-stream.ts'

test('publishes reports to their channels, with or without subscribers', () => {
  const report = createStreamReporter(diagnosticsObserver(), { streamId: 'trade-1', stream: 'trade' })
  report('onStreamAttempt', { attempt: 1, origin: undefined })
  const seen: unknown[] = []
  const listener = (message: unknown) => seen.push(message)
  subscribe('brokerwire:streams:attempt', listener)
  report('onStreamAttempt', { attempt: 2, origin: undefined })
  report('onStreamState', { phase: 'live' })
  unsubscribe('brokerwire:streams:attempt', listener)
  report('onStreamAttempt', { attempt: 3, origin: undefined })
  expect(seen).toEqual([{ streamId: 'trade-1', stream: 'trade', attempt: 2, origin: undefined }])
})

test('publishes attempts, states, lag, queue depth, duplicates and gaps of a stream', async () => {
  const server = await startGrpcServer()
  const names = ['attempt', 'state', 'batch', 'notice']
  const seen: Record<string, unknown>[] = []
  const listeners = names.map((name) => {
    const listener = (message: unknown) => void seen.push({ name, ...(message as object) })
    subscribe(`brokerwire:streams:${name}`, listener)
    return () => unsubscribe(`brokerwire:streams:${name}`, listener)
  })
  const clock = createVirtualClock(5000)
  const stream = createTradeStream(
    testContext({ clock, observer: diagnosticsObserver() }),
    targetOf(server.url),
    'trade',
    { accounts: ['A1'] },
    payloads,
  )
  const items = take(stream, 4)
  const order = (requestId: string) => tradeFrame(1024, { requestId, timestamp: 4700n })
  const success = tradeFrame(TradeEventType.SubscribeSuccess)
  const call = await server.call()
  call.send(success, order('r1'), order('r1'), order('r2'))
  call.end()
  await items
  const more = take(stream, 2)
  await clock.advance(0)
  ;(await server.call()).send(success)
  await more
  await stream.return()
  for (const stop of listeners) stop()
  await server.close()
  const ofName = (name: string) => seen.filter((report) => report.name === name)
  expect(ofName('attempt')).toMatchObject([{ attempt: 1 }, { attempt: 2 }])
  expect(ofName('state').map(({ phase }) => phase)).toEqual([
    'opening',
    'live',
    'waiting',
    'opening',
    'live',
    'ended',
  ])
  const batches = ofName('batch') as unknown as StreamBatchReport[]
  const sum = (of: (batch: StreamBatchReport) => number) => batches.reduce((all, batch) => all + of(batch), 0)
  expect(sum(({ events }) => events)).toBe(2)
  expect(sum(({ duplicates }) => duplicates)).toBe(1)
  for (const { events, oldestLagMs, newestLagMs, bytes, queueDepth } of batches) {
    expect([oldestLagMs, newestLagMs]).toEqual(events > 0 ? [300, 300] : [undefined, undefined])
    expect(bytes).toBeGreaterThanOrEqual(events * 512)
    expect(queueDepth).toBeGreaterThanOrEqual(0)
  }
  expect(ofName('notice').map(({ notice }) => (notice as { kind: string }).kind)).toEqual([
    'subscribed',
    'gap',
    'reconnecting',
    'subscribed',
    'gap',
  ])
})
