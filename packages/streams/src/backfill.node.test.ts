/** Backfills of states: what a stream passes to them, and what it does with their results. */
import type { BackfillResult, BackfillRun, StateItem } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { TradeEventType } from '@brokerwire/protos'
import type { GrpcServerCall } from '@brokerwire/testing/grpc-server'
import { waitUntil } from '@brokerwire/testing/wait'
import { expect, test } from 'vitest'
import type { SharedContext, TradeStreamBackfill } from './context.ts'
import type { TradeStreamEvent } from './items/trade-items.ts'
import { isStreamsError } from './streams-error.ts'
import { readPolicy } from './supervisor/policy.ts'
import { tradeFrame } from './test/frames.ts'
import { take, takeBeginning, takeLabels } from './test/take.ts'
import { open, order, SUCCESS, server, useTradeServer } from './test/trade-stream-fixture.ts'

useTradeServer()

interface TestState extends StateItem {
  readonly text: string
}

const state = (text: string): TestState => ({ type: 'state', kind: 'test-state', text })
const COMPLETE: BackfillResult = { missing: 0, problems: [] }

/** A backfill whose runs do `work`. */
function createBackfill(
  work: (run: BackfillRun<TestState>) => Promise<BackfillResult> = async () => COMPLETE,
  intervalMs?: number,
) {
  const events: TradeStreamEvent[] = []
  const runs: BackfillRun<TestState>[] = []
  const backfill: TradeStreamBackfill<TestState> = {
    intervalMs,
    onEvent: (event) => void events.push(event),
    run(run) {
      runs.push(run)
      return work(run)
    },
  }
  return { backfill, events, runs }
}

function openWith(backfill: TradeStreamBackfill<TestState>, change: Partial<SharedContext> = {}) {
  return open(change, { backfill: backfill as never })
}

const succeed = async (): Promise<GrpcServerCall> => {
  const call = await server.call()
  call.send(SUCCESS)
  return call
}

test('a run after a subscription gets the accounts and the bounds of the gap', async () => {
  const { backfill, runs } = createBackfill()
  const stream = openWith(backfill)
  const items = takeBeginning(stream)
  await succeed()
  const [, gap] = await items
  await waitUntil(() => runs.length === 1)
  const [run] = runs
  expect(run).toMatchObject({ cause: 'subscribed', accounts: ['A1'] })
  if (gap?.type !== 'notice' || gap.kind !== 'gap') throw new Error('no gap')
  expect(run?.gap).toMatchObject({ fromMs: gap.fromMs, toMs: gap.toMs })
  expect(run).toMatchObject({ clockOffsetMs: undefined, receivedUntilMs: undefined })
  await stream.return()
})

test('a run gets the clock offset, and the last timestamp that was received', async () => {
  const { backfill, runs } = createBackfill()
  const stream = openWith(backfill)
  const items = takeBeginning(stream)
  const call = await server.call()
  const timestamp = Date.now() + 3_600_000
  call.send(tradeFrame(TradeEventType.SubscribeSuccess, { timestamp: BigInt(timestamp) }))
  await items
  await waitUntil(() => runs.length === 1)
  expect(runs[0]?.receivedUntilMs).toBe(timestamp)
  expect(runs[0]?.clockOffsetMs).toBeGreaterThan(3_500_000)
  await stream.return()
})

test('a backfill gets each event once, in order, and before a state that follows it', async () => {
  const { backfill, events } = createBackfill(async ({ deliver }) => {
    await waitUntil(() => events.length === 2)
    deliver(state('after two events'))
    return COMPLETE
  })
  const stream = openWith(backfill)
  const items = take(stream, 4)
  const call = await succeed()
  call.send(order('r1'), order('r1'), order('r2'))
  expect((await items).slice(1)).toMatchObject([
    { requestId: 'r1' },
    { requestId: 'r2' },
    { type: 'state', kind: 'test-state', text: 'after two events' },
  ])
  expect(events.map(({ requestId }) => requestId)).toEqual(['r1', 'r2'])
  await stream.return()
})

test('an error of onEvent does not affect the stream', async () => {
  const stream = openWith({
    ...createBackfill().backfill,
    onEvent() {
      throw new Error('a bug in a backfill')
    },
  })
  const items = takeBeginning(stream)
  const call = await succeed()
  await items
  call.send(order('r1'))
  expect(await takeLabels(stream, 1)).toEqual(['r1'])
  await stream.return()
})

test('the result of a run becomes the notices missed-events and backfill-incomplete', async () => {
  const problem = { code: 'HTTP_TIMEOUT', accountId: 'A1', operation: 'orders.open' }
  const { backfill } = createBackfill(async () => ({ missing: 2, problems: [problem] }))
  const stream = openWith(backfill)
  const items = take(stream, 3)
  await succeed()
  expect((await items).slice(1)).toMatchObject([
    { kind: 'missed-events', missing: 2 },
    { kind: 'backfill-incomplete', problems: [problem] },
  ])
  await stream.return()
})

test('a run that fails is reported, and the next run starts', async () => {
  let runs = 0
  const { backfill } = createBackfill(async () => {
    runs += 1
    throw new Error('a bug in a backfill')
  }, 1)
  const stream = openWith(backfill)
  const items = take(stream, 3)
  await succeed()
  const failed = { kind: 'backfill-incomplete', problems: [{ code: 'BACKFILL_FAILED' }] }
  expect((await items).slice(1)).toMatchObject([failed, failed])
  expect(runs).toBeGreaterThan(1)
  await stream.return()
})

test('a full queue stops the requests of a backfill until the consumer reads', async () => {
  const states = Array.from({ length: 20 }, (_, index) => state(String(index)))
  let delivered = 0
  const { backfill } = createBackfill(async ({ ready, deliver }) => {
    for (const item of states) {
      await ready()
      deliver(item)
      delivered += 1
    }
    return COMPLETE
  })
  const stream = openWith(backfill, { buffer: { maxItems: 8, maxBytes: 1_000_000 } })
  const first = take(stream, 1)
  await succeed()
  await first
  await waitUntil(() => delivered > 0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(delivered).toBeLessThanOrEqual(8)
  expect(await take(stream, 20)).toEqual(states)
  await stream.return()
})

test('the end of a connection aborts a run, and the next run starts after it', async () => {
  const aborted: boolean[] = []
  const { backfill, runs } = createBackfill(async ({ signal, ready }) => {
    if (runs.length === 1)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    aborted.push(signal.aborted)
    if (signal.aborted) await expect(ready()).rejects.toBe(signal.reason)
    return { missing: 0, problems: [{ code: 'ANY', accountId: 'A1', operation: undefined }] }
  })
  const stream = openWith(backfill, { policy: readPolicy({ backoffBaseMs: 1, backoffMaxMs: 1 }) })
  const items = take(stream, 5)
  const call = await succeed()
  await waitUntil(() => runs.length === 1)
  call.end(14, 'restart')
  await succeed()
  await waitUntil(() => runs.length === 2)
  expect((await items).map(({ kind }) => kind)).toEqual([
    'subscribed',
    'reconnecting',
    'subscribed',
    'gap',
    'backfill-incomplete',
  ])
  expect(aborted).toEqual([true, false])
  await stream.return()
})

test('intervalMs replaces the interval of supervision, and no run starts while another one continues', async () => {
  const clock = createVirtualClock()
  let finish = (): void => {}
  const { backfill, runs } = createBackfill(async ({ cause }) => {
    if (cause === 'subscribed')
      await new Promise<void>((resolve) => {
        finish = resolve
      })
    return COMPLETE
  }, 10_000)
  const stream = openWith(backfill, { clock, policy: readPolicy({ heartbeatTimeoutMs: 3_600_000 }) })
  const items = takeBeginning(stream)
  await succeed()
  await items
  await waitUntil(() => runs.length === 1)
  await clock.advance(20_000)
  expect(runs).toHaveLength(1)
  finish()
  await clock.advance(10_000)
  expect(runs.map(({ cause, gap }) => [cause, gap === undefined])).toEqual([
    ['subscribed', false],
    ['timer', true],
  ])
  await stream.return()
})

test('a stream without order events rejects a backfill of states', () => {
  const { backfill } = createBackfill()
  const attempt = () => open({}, { subscribeType: 2, backfill: backfill as never })
  expect(attempt).toThrowError(expect.toSatisfy((error) => isStreamsError(error, 'STREAM_OPTION_INVALID')))
  expect(attempt).toThrowError(/backfill must be a function/)
})
