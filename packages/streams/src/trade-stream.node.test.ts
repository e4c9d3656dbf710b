/** Trade streams against a real HTTP/2 server: subscriptions, their end, lost connections, slow consumers and options. */
import { systemClock } from '@brokerwire/core'
import { TradeEventType } from '@brokerwire/protos'
import { describe, expect, test } from 'vitest'
import { createSubscriptionBudget } from './budget.ts'
import { isStreamsError } from './streams-error.ts'
import { readPolicy } from './supervisor/policy.ts'
import { tradeFrame } from './test/frames.ts'
import { take, takeLabels } from './test/take.ts'
import {
  open,
  order,
  SUCCESS,
  server,
  startServer,
  subscribed,
  useTradeServer,
} from './test/trade-stream-fixture.ts'

const HTTP2_CANCEL = 8

useTradeServer()

describe('a subscription', () => {
  test('yields a notice subscribed, then the events in the order received', async () => {
    const { stream, call, notice } = await subscribed()
    expect(notice).toMatchObject({ kind: 'subscribed', attempt: 1, connectionId: 'connection-1' })
    call.send(order('r1'), order('r2'), tradeFrame(TradeEventType.Ping), order('r3'))
    expect(await takeLabels(stream, 3)).toEqual(['r1', 'r2', 'r3'])
    await stream.return()
  })

  test('delivers events with unknown codes and payloads', async () => {
    const { stream, call } = await subscribed()
    call.send(
      tradeFrame(1028, { payload: '{}' }),
      tradeFrame(1032, { payload: '[]' }),
      tradeFrame(4711, { payload: 'x' }),
      tradeFrame(77),
    )
    const items = await take(stream, 4)
    expect(items).toMatchObject([
      { kind: 'position', eventType: 1028 },
      { kind: 'option', eventType: 1032 },
      { kind: 'unknown', eventType: 4711 },
      { kind: 'unknown', eventType: 77 },
    ])
    await stream.return()
  })

  test('does not connect before the first next(), and not after return()', async () => {
    const stream = open()
    await stream.return()
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(server.calls).toEqual([])
  })
})

describe('the end of a stream', () => {
  test('by leaving the loop cancels the call at once, and closes the connection', async () => {
    const { stream, call } = await subscribed()
    call.send(order('r1'))
    for await (const item of stream) {
      expect(item.kind).toBe('order')
      break
    }
    expect(await call.closed).toBe(HTTP2_CANCEL)
    const { session } = call.stream
    if (session !== undefined && !session.closed) await new Promise((resolve) => session.on('close', resolve))
  })

  test('by return() resolves a pending next()', async () => {
    const { stream, call } = await subscribed()
    const pending = stream.next()
    await stream.return()
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(await call.closed).toBe(HTTP2_CANCEL)
  })

  test('by an error in the loop cancels the call', async () => {
    const { stream, call } = await subscribed()
    call.send(order('r1'))
    const loop = async () => {
      for await (const item of stream) throw new Error(`bug at ${item.kind}`)
    }
    await expect(loop()).rejects.toThrow('bug at order')
    expect(await call.closed).toBe(HTTP2_CANCEL)
  })

  test('by the signal rejects a pending next() with its reason, and cancels the call', async () => {
    const controller = new AbortController()
    const { stream, call } = await subscribed({}, { signal: controller.signal })
    const pending = stream.next()
    controller.abort(new Error('enough'))
    await expect(pending).rejects.toThrow('enough')
    expect(await call.closed).toBe(HTTP2_CANCEL)
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('by a signal that was aborted before does not connect', async () => {
    const controller = new AbortController()
    controller.abort(new Error('enough'))
    const stream = open({}, { signal: controller.signal })
    await expect(stream.next()).rejects.toThrow('enough')
    expect(server.calls).toEqual([])
  })

  test('releases the subscription of the budget', async () => {
    const budget = createSubscriptionBudget({ max: 1 })
    const { stream } = await subscribed({ budget })
    const second = open({ budget })
    await expect(second.next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_BUDGET_EXCEEDED'))
    expect(budget.inUse).toBe(1)
    await stream.return()
    expect(budget.inUse).toBe(0)
    expect(budget.lastReleaseMs).toBeDefined()
  })
})

describe('a lost connection', () => {
  test('is replaced, with a gap notice, and duplicates are discarded', async () => {
    const { stream, call } = await subscribed()
    call.send(order('r1'))
    const [first] = await take(stream, 1)
    const before = first?.type === 'event' ? first.receivedAtMs : 0
    const more = take(stream, 4)
    server.drop()
    const again = await server.call()
    again.send(SUCCESS, order('r1'), order('r2'))
    const items = await more
    expect(items.map((item) => item.kind)).toEqual(['reconnecting', 'subscribed', 'gap', 'order'])
    expect(items[0]).toMatchObject({ reason: 'status', delayMs: 0, attempt: 2 })
    expect(items[2]).toMatchObject({ cause: 'disconnected', eventTypes: undefined })
    if (items[2]?.kind === 'gap') {
      expect(items[2].fromMs).toBeGreaterThanOrEqual(before)
      expect(items[2].toMs).toBeGreaterThanOrEqual(items[2].fromMs ?? Number.POSITIVE_INFINITY)
    }
    expect(items[3]).toMatchObject({ requestId: 'r2' })
    await stream.return()
  })

  test('a gap begins exactly at the receipt of the last event, because the clock is read once', async () => {
    let readings = 0
    // Each reading is 4 ms later than the previous one, so two readings for one frame are never equal.
    const clock = { now: () => 1_764_000_000_000 + 4 * readings++, setTimer: systemClock.setTimer }
    const { stream, call } = await subscribed({ clock })
    call.send(order('r1'))
    const [first] = await take(stream, 1)
    const more = take(stream, 3)
    server.drop()
    ;(await server.call()).send(SUCCESS)
    const [, subscribedAgain, gap] = await more
    if (first?.type !== 'event' || subscribedAgain?.kind !== 'subscribed' || gap?.kind !== 'gap') {
      throw new Error('expected an event, subscribed and a gap')
    }
    expect(gap.fromMs).toBe(first.receivedAtMs)
    expect(gap.toMs).toBe(subscribedAgain.atMs)
    await stream.return()
  })

  test('a refused connection is reported with the error of the network', async () => {
    await server.close()
    const stream = open()
    const [notice] = await take(stream, 1)
    expect(notice).toMatchObject({ kind: 'reconnecting', status: 'unavailable', delayMs: 0 })
    expect(notice?.kind === 'reconnecting' && notice.message).toContain('ECONNREFUSED')
    await stream.return()
    await startServer()
  })

  test('signs each attempt with a new nonce', async () => {
    const { stream, call } = await subscribed()
    const more = take(stream, 2)
    call.end()
    const again = await server.call()
    again.send(SUCCESS)
    await more
    const nonces = [call, again].map((each) => each.headers['x-signature-nonce'])
    expect(new Set(nonces).size).toBe(2)
    await stream.return()
  })

  test('an event with a known request id and another payload is delivered and reported', async () => {
    const { stream, call } = await subscribed()
    call.send(order('r1', '{"a":1}'), order('r1', '{"a":2}'))
    expect((await take(stream, 3)).map((item) => item.kind)).toEqual(['order', 'duplicate-conflict', 'order'])
    await stream.return()
  })
})

describe('a slow consumer', () => {
  test('pauses the server, and loses no event', async () => {
    const count = 3000
    const { stream, call } = await subscribed({ buffer: { maxItems: 10, maxBytes: 1 << 20 } })
    const payload = JSON.stringify({ text: 'x'.repeat(2000) })
    let delivered = 0
    let writable = true
    const pump = async () => {
      for (let n = 0; n < count; n += 1) {
        call.send(order(`r${n}`, payload))
        if (call.stream.writableNeedDrain) {
          writable = false
          await new Promise((resolve) => call.stream.once('drain', resolve))
          writable = true
        }
        delivered += 1
      }
    }
    const pumping = pump()
    // The server writes until the flow-control windows are full. The consumer does not read yet.
    for (let turns = 0; turns < 200 || writable; turns += 1)
      await new Promise((resolve) => setImmediate(resolve))
    expect(delivered).toBeLessThan(count / 2)
    const labels = await takeLabels(stream, count)
    await pumping
    expect(labels).toEqual(Array.from({ length: count }, (_, n) => `r${n}`))
    await stream.return()
  })

  test('can end the stream while it is paused', async () => {
    const { stream, call } = await subscribed({ buffer: { maxItems: 1, maxBytes: 1 << 20 } })
    call.send(...Array.from({ length: 50 }, (_, n) => order(`r${n}`)))
    await take(stream, 1)
    await stream.return()
    expect(await call.closed).toBe(HTTP2_CANCEL)
  })
})

describe('options', () => {
  test.each([
    ['accounts', { accounts: [] }],
    ['accounts', { accounts: 'A1' }],
    ['accounts[1]', { accounts: ['A1', ''] }],
    ['subscribeType', { subscribeType: 0 }],
    ['subscribeType', { subscribeType: 1.5 }],
    ['subscribeType', { subscribeType: 3 }],
    ['allowOtherSubscribeTypes', { subscribeType: 3, allowOtherSubscribeTypes: 1 }],
    ['contentType', { contentType: 1 }],
    ['backfill', { backfill: 'no' }],
  ])('rejects an invalid %s and names the option', (option, options) => {
    const error: unknown = (() => {
      try {
        return open({}, options as never)
      } catch (cause) {
        return cause
      }
    })()
    if (!isStreamsError(error, 'STREAM_OPTION_INVALID')) throw error
    expect(error.details.option).toBe(option)
  })

  test('the error of another subscribeType names the option that allows it', () => {
    expect(() => open({}, { subscribeType: 3 })).toThrow(
      'subscribeType must be 1 or 2, or another number with allowOtherSubscribeTypes: true; received 3',
    )
  })

  test('sends another subscribeType with allowOtherSubscribeTypes', async () => {
    const { stream, call } = await subscribed({}, { subscribeType: 7, allowOtherSubscribeTypes: true })
    expect(call.body.subarray(5, 7)).toEqual(Buffer.from([8, 7]))
    await stream.return()
  })

  test('a limit of attempts ends the stream with a retryable error', async () => {
    const stream = open({ policy: readPolicy({ maxAttempts: 1 }) })
    const failing = stream.next()
    failing.catch(() => {})
    const call = await server.call()
    call.end(14, 'overloaded')
    const error: unknown = await failing.catch((cause: unknown) => cause)
    if (!isStreamsError(error, 'STREAM_GAVE_UP')) throw error
    expect(error.retryable).toBe(true)
    expect(error.details.limit).toBe('attempts')
  })
})
