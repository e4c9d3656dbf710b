/** Runs of a backfill in virtual time, with a service whose orders the test sets. */
import type { BackfillGap, BackfillResult, BackfillRun } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import type { TradeEvent } from '@brokerwire/payloads'
import { describe, expect, test } from 'vitest'
import {
  createOrderBackfill,
  isOrdersError,
  type OrderBackfillOptions,
  type OrderStateItem,
} from '../index.ts'
import { createOrderList } from '../test/order-list.ts'

const SETTLE_MS = 30_000
const GRACE_MS = 5000
const MINUTE_MS = 60_000

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }

function setUp(options: Partial<OrderBackfillOptions> = {}) {
  const clock = createVirtualClock()
  const service = createOrderList(clock)
  const backfill = createOrderBackfill({ http: service.http, clock, ...options })
  const states: OrderStateItem[] = []
  const consumer = { isReading: true }
  const waiting = new Set<() => void>()
  /** Values that the stream reports to each run. */
  const stream: Mutable<Pick<BackfillRun<OrderStateItem>, 'accounts' | 'clockOffsetMs' | 'receivedUntilMs'>> =
    {
      accounts: ['A1'],
      clockOffsetMs: 0,
      receivedUntilMs: undefined,
    }

  /** Starts a run. It goes on while the test advances the clock. */
  const begin = (gap: BackfillGap | undefined, signal = new AbortController().signal) => {
    const run = backfill.run({
      cause: gap === undefined ? 'timer' : 'subscribed',
      ...stream,
      gap,
      signal,
      async ready() {
        if (!consumer.isReading)
          await new Promise<void>((resolve) => {
            waiting.add(resolve)
            signal.addEventListener('abort', () => resolve())
          })
        signal.throwIfAborted()
      },
      deliver: (state) => void states.push(state),
    })
    let result: BackfillResult | undefined
    void run.then((value) => {
      result = value
    })
    return { run, isDone: () => result !== undefined }
  }
  /** Completes a run. */
  const complete = async (gap: BackfillGap | undefined): Promise<BackfillResult> => {
    const { run, isDone } = begin(gap)
    while (!isDone()) if (!(await clock.advanceToNextTimer())) break
    return await run
  }
  /** The gap of the last `ms` milliseconds. */
  const gap = (ms: number): BackfillGap => ({
    fromMs: clock.now() - ms,
    toMs: clock.now(),
  })
  /** Delivers an event through the stream. */
  const event = (clientOrderId: string, orderStatus: string, more: object = {}): void => {
    const fields = { accountId: 'A1', clientOrderId, orderStatus, qty: '10', filledQty: '0' }
    const value = { ...fields, ...more } as unknown as TradeEvent
    const decode = () => ({ ok: true as const, value, issues: [] })
    backfill.onEvent({ kind: 'order', receivedAtMs: clock.now(), decode })
  }
  /** The delivered states, and removes them. */
  const delivered = () =>
    states
      .splice(0)
      .map(({ clientOrderId, status, filledQuantity }) => `${clientOrderId} ${status} ${filledQuantity}`)
  return {
    clock,
    service,
    backfill,
    begin,
    complete,
    gap,
    event,
    delivered,
    states,
    consumer,
    waiting,
    stream,
  }
}

describe('after a gap', () => {
  test('delivers the states that the stream did not, once, in the order of their times', async () => {
    const { clock, service, complete, gap, delivered, states } = setUp()
    service.set('o1', 'SUBMITTED')
    await clock.advance(1000)
    service.set('o2', 'PARTIAL_FILLED', {
      filledQuantity: '4',
      filledPrice: '10.50',
      filledAtMs: clock.now(),
    })
    await clock.advance(1000)
    service.set('o1', 'FILLED', { filledQuantity: '10', filledPrice: '10.25', filledAtMs: clock.now() })
    expect(await complete(gap(5000))).toEqual({ missing: 0, problems: [] })
    expect(states[0]).toMatchObject({
      type: 'state',
      kind: 'order-state',
      accountId: 'A1',
      clientOrderId: 'o2',
      orderId: 'S-o2',
      symbol: 'AAPL',
      quantity: '10',
      averagePrice: '10.50',
    })
    expect(delivered()).toEqual(['o2 PARTIAL_FILLED 4', 'o1 FILLED 10'])
    await complete(gap(0))
    expect(delivered()).toEqual([])
  })

  test('delivers nothing that the stream delivered', async () => {
    const { service, complete, gap, event, delivered } = setUp()
    service.set('o1', 'FILLED', { filledQuantity: '10' })
    event('o1', 'FILLED', { filledQty: '10.0000000000' })
    await complete(gap(5000))
    expect(delivered()).toEqual([])
  })

  test('delivers no state whose event arrives within graceMs after the query', async () => {
    const { clock, service, begin, gap, event, delivered } = setUp()
    service.set('o1', 'CANCELLED')
    begin(gap(5000))
    await clock.advance(GRACE_MS - 1)
    event('o1', 'CANCELLED')
    await clock.advance(MINUTE_MS)
    expect(delivered()).toEqual([])
  })

  test('queries again after settleMs, because the first query may lag', async () => {
    const { clock, service, begin, gap, delivered } = setUp()
    service.set('o1', 'SUBMITTED')
    const { isDone } = begin(gap(5000))
    await clock.advance(GRACE_MS)
    expect(delivered()).toEqual(['o1 SUBMITTED 0'])
    service.set('o1', 'CANCELLED')
    await clock.advance(SETTLE_MS)
    expect(delivered()).toEqual(['o1 CANCELLED 0'])
    expect(isDone()).toBe(true)
    expect(service.requests.filter(({ operation }) => operation === 'orders.open')).toHaveLength(2)
  })

  test('finds an order of before the history that ended in the gap by its detail', async () => {
    const { clock, service, complete, gap, delivered } = setUp()
    service.set('o1', 'SUBMITTED')
    await complete(gap(0))
    expect(delivered()).toEqual(['o1 SUBMITTED 0'])
    await clock.advance(10 * MINUTE_MS)
    await complete(gap(0))
    await clock.advance(10 * MINUTE_MS)
    service.set('o1', 'CANCELLED')
    await complete(gap(1000))
    expect(delivered()).toEqual(['o1 CANCELLED 0'])
    expect(service.requests.at(-1)?.query).not.toContain('o1')
  })

  test('finds an order that was accepted before the gap, without an event, and ended in it', async () => {
    const { clock, service, complete, gap, delivered } = setUp()
    await complete(gap(0))
    await clock.advance(10 * MINUTE_MS)
    service.set('o1', 'SUBMITTED')
    await clock.advance(60 * MINUTE_MS)
    service.set('o1', 'CANCELLED')
    await complete(gap(1000))
    expect(delivered()).toEqual(['o1 CANCELLED 0'])
  })

  test('reads the history back by lookbackMs before the first gap, but reports no order that was filled earlier', async () => {
    const { clock, service, complete, gap, delivered } = setUp({ lookbackMs: 200 * MINUTE_MS })
    for (const [id, status] of [
      ['too early', 'CANCELLED'],
      ['cancelled', 'CANCELLED'],
      ['filled', 'FILLED'],
    ] as const) {
      service.set(id, status, { filledAtMs: clock.now() })
      await clock.advance(90 * MINUTE_MS)
    }
    await complete(gap(1000))
    expect(delivered()).toEqual(['cancelled CANCELLED 0'])
  })

  test('reports a fill as missed if it was before or after the gap, and not if it was in it', async () => {
    const { clock, service, complete, gap } = setUp()
    await complete(gap(0))
    const startMs = clock.now()
    service.set('before', 'FILLED', { filledQuantity: '10', filledAtMs: startMs })
    await clock.advance(MINUTE_MS)
    service.set('in it', 'FILLED', { filledQuantity: '10', filledAtMs: clock.now() })
    await clock.advance(1000)
    expect(await complete(gap(2000))).toEqual({ missing: 1, problems: [] })
  })
})

describe('at an interval', () => {
  test('is off by default', async () => {
    const { service, complete } = setUp()
    expect(await complete(undefined)).toEqual({ missing: 0, problems: [] })
    expect(service.requests).toEqual([])
  })

  test('reports changes that the live stream did not deliver as missed', async () => {
    const { clock, service, complete, gap, event, delivered } = setUp({ intervalMs: MINUTE_MS })
    await complete(gap(0))
    service.set('o1', 'SUBMITTED')
    service.set('o2', 'SUBMITTED')
    service.set('o3', 'SUBMITTED')
    await clock.advance(MINUTE_MS)
    service.set('o1', 'CANCELLED')
    service.set('o2', 'CANCELLED')
    event('o2', 'CANCELLED')
    expect(await complete(undefined)).toEqual({ missing: 1, problems: [] })
    expect(delivered()).toEqual(['o3 SUBMITTED 0', 'o1 CANCELLED 0'])
  })

  test('reports a replaced order when the query can no longer lag behind the last event', async () => {
    const { clock, service, complete, gap, event, delivered } = setUp({ intervalMs: MINUTE_MS })
    await complete(gap(0))
    service.set('o1', 'SUBMITTED')
    event('o1', 'SUBMITTED')
    service.set('o1', 'SUBMITTED', { quantity: '20' })
    expect(await complete(undefined)).toMatchObject({ missing: 0, problems: [{ code: 'QUERIES_MAY_LAG' }] })
    await clock.advance(SETTLE_MS)
    expect(await complete(undefined)).toEqual({ missing: 1, problems: [] })
    expect(delivered()).toEqual(['o1 SUBMITTED 0'])
  })

  test('ignores the event of a rejected change, whose status is not documented', async () => {
    const { clock, service, complete, gap, event, delivered } = setUp({ intervalMs: MINUTE_MS })
    await complete(gap(0))
    service.set('o1', 'SUBMITTED')
    event('o1', 'SUBMITTED')
    event('o1', 'FAILED', { sceneType: 'CANCEL_FAILED' })
    service.set('o1', 'CANCELLED')
    await clock.advance(MINUTE_MS)
    await complete(undefined)
    expect(delivered()).toEqual(['o1 CANCELLED 0'])
  })
})

describe('a problem', () => {
  test('has the code of the failed query, and the next run covers it', async () => {
    const { clock, service, complete, gap, delivered } = setUp()
    await complete(gap(0))
    await clock.advance(60 * MINUTE_MS)
    service.set('o1', 'CANCELLED')
    service.faults['orders.history'] = Array(4).fill('HTTP_TIMEOUT')
    expect(await complete(gap(1000))).toEqual({
      missing: 0,
      problems: [{ code: 'HTTP_TIMEOUT', accountId: 'A1', operation: 'orders.history' }],
    })
    await clock.advance(60 * MINUTE_MS)
    expect(await complete(gap(1000))).toEqual({ missing: 0, problems: [] })
    expect(delivered()).toEqual(['o1 CANCELLED 0'])
  })

  test('is not reported if a later query of the run succeeds', async () => {
    const { service, complete, gap } = setUp()
    service.faults['orders.open'] = ['HTTP_TIMEOUT', 'HTTP_TIMEOUT']
    expect(await complete(gap(1000))).toEqual({ missing: 0, problems: [] })
  })

  test('is reported if a list has more groups than maxGroups', async () => {
    const { clock, service, complete, gap } = setUp({ maxGroups: 2 })
    service.settings.pageSize = 1
    for (const id of ['o1', 'o2', 'o3']) {
      service.set(id, 'CANCELLED')
      await clock.advance(MINUTE_MS)
    }
    const problem = { code: 'TOO_MANY_ORDERS', accountId: 'A1', operation: 'orders.history' }
    expect(await complete(gap(5000))).toEqual({ missing: 0, problems: [problem] })
    await clock.advance(10 * MINUTE_MS)
    expect(await complete(gap(5000))).toEqual({ missing: 0, problems: [] })
  })

  test('is reported if the gap is longer than the history', async () => {
    const { complete, gap } = setUp()
    const { problems } = await complete(gap(200 * 24 * 60 * MINUTE_MS))
    expect(problems.map(({ code }) => code)).toEqual(['HISTORY_TOO_SHORT'])
  })

  test('is reported once if the service does not have an order of the stream', async () => {
    const { complete, gap, event } = setUp()
    event('o1', 'SUBMITTED')
    const problem = { code: 'ORDER_NOT_FOUND', accountId: 'A1', operation: 'orders.get' }
    expect(await complete(gap(0))).toEqual({ missing: 0, problems: [problem] })
    expect(await complete(gap(0))).toEqual({ missing: 0, problems: [] })
  })

  test('is reported if the service does not have an order whose event is old', async () => {
    const { clock, complete, gap, event } = setUp()
    event('o1', 'SUBMITTED')
    await clock.advance(10 * MINUTE_MS)
    const problem = { code: 'ORDER_NOT_FOUND', accountId: 'A1', operation: 'orders.get' }
    expect(await complete(gap(1000))).toEqual({ missing: 0, problems: [problem] })
    expect(await complete(gap(1000))).toEqual({ missing: 0, problems: [] })
  })

  test('is reported once for several orders of an account that the service does not have', async () => {
    const { complete, gap, event } = setUp()
    event('o1', 'SUBMITTED')
    event('o2', 'SUBMITTED')
    const problem = { code: 'ORDER_NOT_FOUND', accountId: 'A1', operation: 'orders.get' }
    expect(await complete(gap(0))).toEqual({ missing: 0, problems: [problem] })
  })

  test('ends the requests of details', async () => {
    const { clock, service, complete, gap, event } = setUp({ intervalMs: MINUTE_MS })
    await complete(gap(0))
    for (const id of ['o1', 'o2', 'o3']) event(id, 'SUBMITTED')
    await clock.advance(MINUTE_MS)
    service.requests.splice(0)
    service.faults['orders.get'] = ['HTTP_TIMEOUT']
    const problem = { code: 'HTTP_TIMEOUT', accountId: 'A1', operation: 'orders.get' }
    expect(await complete(undefined)).toEqual({ missing: 0, problems: [problem] })
    expect(service.requests.filter(({ operation }) => operation === 'orders.get')).toHaveLength(1)
  })

  test('of one account does not affect the coverage of another', async () => {
    const { clock, service, complete, gap, stream } = setUp()
    stream.accounts = ['A1', 'A2']
    await complete(gap(0))
    await clock.advance(60 * MINUTE_MS)
    service.requests.splice(0)
    // The second history of each comparison of both accounts fails, and then those of A2 alone.
    service.faults['orders.history'] = [
      '',
      'HTTP_TIMEOUT',
      '',
      'HTTP_TIMEOUT',
      'HTTP_TIMEOUT',
      'HTTP_TIMEOUT',
    ]
    const { problems } = await complete(gap(1000))
    expect(problems).toEqual([{ code: 'HTTP_TIMEOUT', accountId: 'A2', operation: 'orders.history' }])
    const count = (account: string): number =>
      service.requests.filter(({ query }) => query.includes(`account_id=${account}`)).length
    expect({ a1: count('A1'), a2: count('A2') }).toEqual({ a1: 4, a2: 8 })
  })
})

describe('a clock that is set', () => {
  /** Returns the start of the last history that was read. */
  const lastStart = ({ service }: ReturnType<typeof setUp>): number =>
    Date.parse(/start_time=([^&]+)/.exec(service.requests.at(-1)?.query ?? '')?.[1] ?? '')

  test('ahead does not cover the future of the service', async () => {
    const run = setUp()
    const startMs = run.clock.now()
    await run.clock.advance(60 * MINUTE_MS)
    run.stream.receivedUntilMs = startMs
    await run.complete(run.gap(0))
    await run.complete(run.gap(0))
    expect(lastStart(run)).toBe(startMs - MINUTE_MS)
  })

  test('changes the offset of each run', async () => {
    const run = setUp({ intervalMs: MINUTE_MS })
    await run.complete(run.gap(0))
    run.stream.clockOffsetMs = -60 * MINUTE_MS
    const beginMs = run.clock.now()
    await run.complete(undefined)
    await run.complete(undefined)
    expect(lastStart(run)).toBe(beginMs - SETTLE_MS - 61 * MINUTE_MS)
  })

  test('back does not lengthen the wait between two comparisons', async () => {
    const { clock, service } = setUp()
    let aheadMs = 60 * MINUTE_MS
    const moved = { ...clock, now: () => clock.now() + aheadMs }
    const backfill = createOrderBackfill({ http: service.http, clock: moved })
    let isDone = false
    const run = backfill.run({
      cause: 'subscribed',
      accounts: ['A1'],
      gap: { fromMs: clock.now(), toMs: clock.now() },
      clockOffsetMs: 0,
      receivedUntilMs: undefined,
      signal: new AbortController().signal,
      ready: async () => {},
      deliver() {},
    })
    void run.then(() => {
      isDone = true
    })
    await clock.settle()
    aheadMs = 0
    await clock.advance(SETTLE_MS + 2 * GRACE_MS)
    expect(isDone).toBe(true)
  })
})

test('an order with an unknown status that is not open is read once more, and then counts as ended', async () => {
  const { clock, service, complete, gap, delivered } = setUp({ intervalMs: MINUTE_MS, lookbackMs: 0 })
  service.set('o1', 'SUBMITTED')
  await complete(gap(0))
  await clock.advance(60 * MINUTE_MS)
  await complete(undefined)
  service.set('o1', 'EXPIRED')
  service.settings.closedStatuses.push('EXPIRED')
  for (let run = 0; run < 5; run += 1) {
    await clock.advance(60 * MINUTE_MS)
    await complete(undefined)
  }
  expect(delivered()).toEqual(['o1 SUBMITTED 0', 'o1 EXPIRED 0'])
  expect(service.requests.filter(({ operation }) => operation === 'orders.get')).toHaveLength(2)
})

test('an older event after a state is corrected by the next comparison, with the same id', async () => {
  const { clock, service, complete, gap, event, states } = setUp({ intervalMs: MINUTE_MS })
  service.set('o1', 'CANCELLED')
  await complete(gap(1000))
  event('o1', 'SUBMITTED')
  await clock.advance(MINUTE_MS)
  await complete(undefined)
  expect(states.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
  expect(new Set(states.map(({ id }) => id)).size).toBe(1)
})

describe('a consumer that does not read', () => {
  test('gets no state whose event arrives when it reads again', async () => {
    const { clock, service, begin, gap, event, delivered, consumer, waiting } = setUp()
    service.set('o1', 'CANCELLED')
    begin(gap(5000))
    await clock.advance(GRACE_MS - 1)
    consumer.isReading = false
    await clock.advance(10_000)
    consumer.isReading = true
    for (const resume of waiting) resume()
    await clock.advance(GRACE_MS - 1)
    event('o1', 'CANCELLED')
    await clock.advance(MINUTE_MS)
    expect(delivered()).toEqual([])
  })

  test('stops the requests and the deliveries', async () => {
    const { clock, service, begin, gap, states, consumer, waiting } = setUp()
    service.set('o1', 'CANCELLED')
    service.set('o2', 'CANCELLED')
    consumer.isReading = false
    begin(gap(5000))
    await clock.advance(MINUTE_MS)
    expect(service.requests).toEqual([])
    consumer.isReading = true
    for (const resume of waiting) resume()
    await clock.settle()
    consumer.isReading = false
    await clock.advance(MINUTE_MS)
    expect(states).toEqual([])
    for (const resume of waiting) resume()
    await clock.advance(GRACE_MS)
    for (const resume of waiting) resume()
    await clock.settle()
    expect(states).toHaveLength(1)
  })
})

test('an abort ends the run without an error, and the next run covers the gap', async () => {
  const { clock, service, begin, complete, gap, delivered } = setUp()
  const controller = new AbortController()
  service.set('o1', 'CANCELLED')
  const { run } = begin(gap(5000), controller.signal)
  await clock.advance(1000)
  controller.abort()
  expect(await run).toEqual({ missing: 0, problems: [] })
  await clock.advance(60 * MINUTE_MS)
  await complete(gap(0))
  expect(delivered()).toEqual(['o1 CANCELLED 0'])
})

test('the earlier path family reads days, one day earlier', async () => {
  const { clock, service, complete, gap } = setUp({ pathFamily: 'openapi', lookbackMs: 0 })
  await complete(gap(0)).catch(() => {})
  const days = service.requests.find(({ operation }) => operation === 'orders.history')?.query
  const day = new Date(clock.now() - 2 * 24 * 60 * MINUTE_MS).toISOString().slice(0, 10)
  expect(days).toContain(`start_date=${day}`)
})

test('maxOrders bounds the stored orders, and open ones are kept', async () => {
  const { service, complete, gap, event, delivered } = setUp({ maxOrders: 1 })
  await complete(gap(0))
  for (const [id, status] of [
    ['open', 'SUBMITTED'],
    ['final', 'CANCELLED'],
  ] as const) {
    service.set(id, status)
    event(id, status)
  }
  await complete(gap(0))
  // The final order is not remembered, so each query of it is a change.
  expect(delivered()).toEqual(['final CANCELLED 0', 'final CANCELLED 0'])
})

test.each([
  [{}, 'http'],
  [{ http: { request() {} }, intervalMs: 1 }, 'intervalMs'],
  [{ http: { request() {} }, pathFamily: 'new' }, 'pathFamily'],
  [{ http: { request() {} }, interval: 5 }, 'interval'],
])('rejects wrong options with the name of the option: %j', (options, option) => {
  try {
    createOrderBackfill(options as never)
    expect.unreachable()
  } catch (error) {
    if (!isOrdersError(error, 'JOURNAL_OPTION_INVALID')) throw error
    expect(error.details.option).toBe(option)
  }
})
