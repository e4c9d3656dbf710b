/** Orders and positions of accounts in one subscription, against the local service. */
import { createSigner } from '@brokerwire/signer'
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createStreams, isStreamsError, type Streams, type StreamsOptions } from './index.ts'
import { take } from './test/take.ts'

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ seed: 3, subscribeTypeSums: true, ...options })
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
  test('one subscription has orders and positions, each with its own type', async () => {
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

  test('an event of another kind arrives as unknown', async () => {
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
  ])('%s is refused: %o', async (option, change) => {
    const streams = open(await start())
    let error: unknown
    try {
      streams.accountEvents({ accounts: ['A'], ...change } as never)
    } catch (thrown) {
      error = thrown
    }
    expect(isStreamsError(error, 'STREAM_OPTION_INVALID') && error.details.option).toBe(option)
  })

  test('needs the origin of the trade and position events', () => {
    const streams = createStreams({ signer: createSigner({ appKey: 'a', appSecret: 'b' }) })
    expect(() => streams.accountEvents({ accounts: ['A'], subscribeType: 3 })).toThrow('eventsUrl')
  })
})
