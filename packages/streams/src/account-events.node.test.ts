/**
 * Orders and positions of accounts in one subscription, and a service that grants one such subscription for each app key, against
 * the local service.
 */
import { createVirtualClock } from '@brokerwire/core/testing'
import { createSigner } from '@brokerwire/signer'
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { openTradeStream } from '@brokerwire/testing/signed-client'
import { waitUntil } from '@brokerwire/testing/wait'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createStreams, isStreamsError, type Streams, type StreamsOptions } from './index.ts'
import { take } from './test/take.ts'
import { createStreamTransport } from './transport/create-stream-transport.ts'

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ seed: 3, combinedSubscribeTypes: true, ...options })
  onTestFinished(() => simulator.close())
  return simulator
}

function open(simulator: Simulator, options: Partial<StreamsOptions> = {}): Streams {
  const { credentials, eventsUrl, moduleEventsUrl } = simulator
  const streams = createStreams({ signer: createSigner(credentials), eventsUrl, moduleEventsUrl, ...options })
  onTestFinished(() => streams.close())
  return streams
}

describe('accountEvents', () => {
  test('delivers orders and positions of one subscription with their types', async () => {
    const simulator = await start({ oneTradeSubscription: true })
    const { accounts } = simulator
    const stream = open(simulator).accountEvents({ accounts, subscribeType: 3 })
    expect(await take(stream, 1)).toMatchObject([{ kind: 'subscribed' }])
    simulator.emitOrder({ symbol: 'AAPL' })
    simulator.emitPosition()
    const [order, position] = await take(stream, 2)
    if (order?.kind !== 'order' || position?.kind !== 'position')
      throw new Error('not an order and a position')
    const decodedOrder = order.decode()
    const decodedPosition = position.decode()
    expect(decodedOrder.ok && decodedOrder.value.symbol).toBe('AAPL')
    expect(decodedPosition.ok && decodedPosition.value.quantity).toBeDefined()
    expect(simulator.subscriptions().map(({ requested }) => requested)).toMatchObject([
      { service: 'trade', subscribeType: 3, accounts: [...accounts] },
    ])
  })

  test('delivers an event of another kind as unknown', async () => {
    const simulator = await start()
    const stream = open(simulator).accountEvents({ accounts: simulator.accounts, subscribeType: 7 })
    await take(stream, 1)
    simulator.emitTradeFrame({ eventType: 2048, payload: '{"any":1}' })
    const [item] = await take(stream, 1)
    expect(item).toMatchObject({ kind: 'unknown', eventType: 2048, payload: '{"any":1}' })
  })

  test.each([
    ['subscribeType', {}],
    ['subscribeType', { subscribeType: 0 }],
    ['subscribeType', { subscribeType: 2.5 }],
    ['allowOtherSubscribeTypes', { subscribeType: 3, allowOtherSubscribeTypes: true }],
  ])('rejects an invalid %s: %o', async (option, change) => {
    const streams = open(await start())
    let error: unknown
    try {
      streams.accountEvents({ accounts: ['A'], ...change } as never)
    } catch (thrown) {
      error = thrown
    }
    expect(isStreamsError(error, 'STREAM_OPTION_INVALID') && error.details.option).toBe(option)
  })

  test('requires the option eventsUrl', () => {
    const streams = createStreams({ signer: createSigner({ appKey: 'a', appSecret: 'b' }) })
    expect(() => streams.accountEvents({ accounts: ['A'], subscribeType: 3 })).toThrow('eventsUrl')
  })
})

/** Returns the error that ends a stream. */
const errorOf = (stream: { next(): Promise<unknown> }): Promise<unknown> =>
  take(stream as never, 100).then(
    () => undefined,
    (error: unknown) => error,
  )

describe('one trade subscription for each app key', () => {
  test('a stream fails at once with advice if another stream of this process has the subscription', async () => {
    const simulator = await start({ oneTradeSubscription: true })
    const { accounts } = simulator
    const streams = open(simulator)
    const trade = streams.tradeEvents({ accounts })
    await take(trade, 1)
    const error = await errorOf(streams.positionEvents({ accounts }))
    if (!isStreamsError(error, 'STREAM_SUBSCRIPTION_CONFLICT')) throw error
    expect(error.details).toEqual({ heldBy: 'trade' })
    expect(error.retryable).toBe(false)
    expect(error.message).toMatch(/the trade stream of this process.*accountEvents\(\).*close the other/)
    const sent = simulator.emitOrder()
    expect(await take(trade, 1)).toMatchObject([{ kind: 'order', requestId: sent.requestId }])
  })

  test('one of two streams that are opened at the same time fails, even if it is refused before the other is live', async () => {
    const simulator = await start({ oneTradeSubscription: true })
    const { accounts } = simulator
    const both = [open(simulator).tradeEvents({ accounts }), open(simulator).positionEvents({ accounts })]
    const error = await Promise.race(both.map(errorOf))
    expect(isStreamsError(error, 'STREAM_SUBSCRIPTION_CONFLICT')).toBe(true)
    expect(simulator.subscriptions()).toHaveLength(1)
  })

  test('waits for a subscription that another process has, as after NumOfConnExceed', async () => {
    const simulator = await start({ oneTradeSubscription: true })
    const clock = createVirtualClock()
    const foreign = await openTradeStream(simulator)
    await foreign.messages.next()
    const stream = open(simulator, { clock }).accountEvents({
      accounts: simulator.accounts,
      subscribeType: 3,
    })
    const refusal = {
      kind: 'reconnecting',
      reason: 'connection-limit',
      status: 'resource_exhausted',
      message: expect.stringContaining('already has an active subscription'),
      slotStillHeld: false,
    }
    expect(await take(stream, 1)).toMatchObject([{ ...refusal, delayMs: 60_000 }])
    const again = take(stream, 1)
    await clock.advance(60_000)
    expect(await again).toMatchObject([{ ...refusal, delayMs: 120_000 }])
    foreign.abort.abort()
    await waitUntil(() => simulator.subscriptions().length === 0)
    const subscribed = take(stream, 1)
    await clock.advance(120_000)
    expect(await subscribed).toMatchObject([{ kind: 'subscribed' }])
  })

  test('the notice has slotStillHeld if an earlier stream of this process may still be counted', async () => {
    const simulator = await start({ oneTradeSubscription: true })
    const { accounts } = simulator
    const streams = open(simulator)
    const earlier = streams.tradeEvents({ accounts })
    await take(earlier, 1)
    await earlier.return()
    await waitUntil(() => simulator.subscriptions().length === 0)
    const foreign = await openTradeStream(simulator)
    await foreign.messages.next()
    expect(await take(streams.tradeEvents({ accounts }), 1)).toMatchObject([
      { kind: 'reconnecting', reason: 'connection-limit', slotStillHeld: true },
    ])
    foreign.abort.abort()
  })

  test('a waiting stream fails as soon as another stream of this process becomes live', async () => {
    const simulator = await start({ oneTradeSubscription: true })
    const { accounts } = simulator
    const streams = open(simulator, { clock: createVirtualClock() })
    const foreign = await openTradeStream(simulator)
    await foreign.messages.next()
    const waiting = streams.positionEvents({ accounts })
    await take(waiting, 1)
    const end = errorOf(waiting)
    foreign.abort.abort()
    await waitUntil(() => simulator.subscriptions().length === 0)
    await take(streams.tradeEvents({ accounts }), 1)
    expect(isStreamsError(await end, 'STREAM_SUBSCRIPTION_CONFLICT')).toBe(true)
  })

  test('a stream of another service with the same app key is not affected', async () => {
    const one = await start({ oneTradeSubscription: true })
    const other = await start({ oneTradeSubscription: true, ...one.credentials })
    const { accounts } = one
    await take(open(one).tradeEvents({ accounts }), 1)
    const foreign = await openTradeStream(other)
    await foreign.messages.next()
    expect(await take(open(other).tradeEvents({ accounts: other.accounts }), 1)).toMatchObject([
      { kind: 'reconnecting', reason: 'connection-limit' },
    ])
    foreign.abort.abort()
  })

  /** Streams of a service whose address only a Connect transport has. */
  const openOverTransport = (simulator: Simulator): Streams => {
    const transport = createStreamTransport({ baseUrl: simulator.eventsUrl })
    onTestFinished(() => transport.close())
    return createStreams({ signer: createSigner(simulator.credentials), transports: { trade: transport } })
  }

  test('a stream over the Connect transport of another service is not affected', async () => {
    const one = await start({ oneTradeSubscription: true })
    const other = await start({ oneTradeSubscription: true, ...one.credentials })
    const first = openOverTransport(one).tradeEvents({ accounts: one.accounts })
    await take(first, 1)
    const foreign = await openTradeStream(other)
    await foreign.messages.next()
    const second = openOverTransport(other).tradeEvents({ accounts: other.accounts })
    expect(await take(second, 1)).toMatchObject([{ kind: 'reconnecting', reason: 'connection-limit' }])
    foreign.abort.abort()
    await Promise.all([first.return(), second.return()])
  })

  test('a second stream over the same Connect transport fails at once', async () => {
    const simulator = await start({ oneTradeSubscription: true })
    const { accounts } = simulator
    const streams = openOverTransport(simulator)
    const trade = streams.tradeEvents({ accounts })
    await take(trade, 1)
    const error = await errorOf(streams.positionEvents({ accounts }))
    expect(isStreamsError(error, 'STREAM_SUBSCRIPTION_CONFLICT')).toBe(true)
    await trade.return()
  })

  test('both streams are live on a service without that limit', async () => {
    const simulator = await start()
    const { accounts } = simulator
    const streams = open(simulator)
    for (const stream of [streams.tradeEvents({ accounts }), streams.positionEvents({ accounts })])
      expect(await take(stream, 1)).toMatchObject([{ kind: 'subscribed' }])
  })
})
