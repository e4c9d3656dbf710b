/** Metrics of tokens, market data and relays, from reports, without an SDK: a meter that records the calls. */
import { describe, expect, test } from 'vitest'
import { createTelemetry } from './index.ts'
import { METRIC_ATTRIBUTES } from './metric-attributes.ts'
import { METRICS } from './metrics.ts'
import { createRecordingMeter } from './test/recording-meter.ts'

function setUp() {
  const meter = createRecordingMeter()
  return { ...meter, observer: createTelemetry({ meterProvider: { getMeter: () => meter.meter } }).observer }
}

describe('metrics of tokens', () => {
  test('have the duration and the failure of a call', () => {
    const { observer, recorded } = setUp()
    observer.onTokenCall({ clientId: 'main', call: 'create', durationMs: 250, failure: 'timeout' })
    expect(recorded('brokerwire.token.call.duration')).toEqual([
      {
        value: 0.25,
        attributes: {
          'brokerwire.client.id': 'main',
          'brokerwire.token.call': 'create',
          'error.type': 'timeout',
        },
      },
    ])
  })

  test('have the state and the time to the expiry', () => {
    const { observer, observed } = setUp()
    observer.onTokenState({ clientId: 'main', state: 'pending', expiresAtMs: undefined })
    observer.onTokenState({ clientId: 'main', state: 'normal', expiresAtMs: Date.now() + 60_000 })
    expect(observed('brokerwire.token.state')).toEqual([
      { value: 0, attributes: { 'brokerwire.client.id': 'main', 'brokerwire.state': 'pending' } },
      { value: 1, attributes: { 'brokerwire.client.id': 'main', 'brokerwire.state': 'normal' } },
    ])
    const [expiry] = observed('brokerwire.token.time_to_expiry')
    expect(expiry?.value).toBeGreaterThan(30)
    expect(expiry?.value).toBeLessThanOrEqual(60)
  })

  test('count second factors and waits', () => {
    const { observer, recorded } = setUp()
    observer.onTokenSecondFactor({ clientId: 'main' })
    observer.onTokenWait({ clientId: 'main', call: 'create' })
    observer.onOperationWait({ clientId: 'main', operation: 'orders.place' })
    expect(recorded('brokerwire.token.second_factors')).toHaveLength(1)
    const operations = recorded('brokerwire.rate_limiter.waits').map(
      ({ attributes }) => attributes['brokerwire.operation'],
    )
    expect(operations).toEqual(['create', 'orders.place'])
  })
})

test('metrics of market data have messages, discarded items, the delay and gaps', () => {
  const { observer, recorded, observed } = setUp()
  const batch = { connection: 1, messages: 3, bytes: 300, replaced: 2, dropped: 0, queueDepth: 7 }
  observer.onQuotesBatch({ clientId: 'main', ...batch, newestLagMs: -5 })
  observer.onQuotesState({ clientId: 'main', connection: 1, phase: 'live' })
  observer.onQuotesNotice({ clientId: 'main', notice: { kind: 'gap', fromMs: 1000, toMs: 3500 } })
  observer.onQuotesNotice({ clientId: 'main', notice: { kind: 'reconnecting', reason: 'refused' } })
  const attributes = { 'brokerwire.client.id': 'main' }
  expect(recorded('brokerwire.quotes.messages')).toEqual([{ value: 3, attributes }])
  expect(recorded('brokerwire.quotes.discarded')).toEqual([
    { value: 2, attributes: { ...attributes, 'brokerwire.discard.reason': 'replaced' } },
  ])
  // A clock that differs never leads to a negative delay, which histograms reject.
  expect(recorded('brokerwire.quotes.lag')).toEqual([{ value: 0, attributes }])
  expect(recorded('brokerwire.quotes.gap')).toEqual([{ value: 2.5, attributes }])
  expect(recorded('brokerwire.quotes.reconnects')).toEqual([
    { value: 1, attributes: { ...attributes, 'brokerwire.reconnect.reason': 'refused' } },
  ])
  expect(observed('brokerwire.quotes.queue.depth')).toEqual([{ value: 7, attributes }])
})

test('metrics of a relay have messages, delays, backpressure and states by app', () => {
  const { observer, recorded, observed } = setUp()
  const app = 'team-a'
  observer.onRelayStored({ app, messages: 2, bytes: 500, sequence: 9, receiveLagMs: 20, storeLagMs: 40 })
  observer.onRelayBackpressure({ app, isPaused: true, bytes: 800 })
  observer.onRelayApp({ app, state: 'acquired' })
  observer.onRelayTakeover({ app, isReleased: false })
  observer.onRelayMembers({ members: ['a', 'b'] })
  observer.onRelayStoreFailed()
  const attributes = { 'brokerwire.relay.app': app }
  expect(recorded('brokerwire.relay.messages')).toEqual([{ value: 2, attributes }])
  expect(recorded('brokerwire.relay.receive.lag')).toEqual([{ value: 0.02, attributes }])
  expect(recorded('brokerwire.relay.store.lag')).toEqual([{ value: 0.04, attributes }])
  expect(observed('brokerwire.relay.last_sequence')).toEqual([{ value: 9, attributes }])
  expect(observed('brokerwire.relay.backpressure')).toEqual([{ value: 800, attributes }])
  observer.onRelayBackpressure({ app, isPaused: false, bytes: 100 })
  expect(observed('brokerwire.relay.backpressure')).toEqual([{ value: 0, attributes }])
  expect(observed('brokerwire.relay.app.state')).toEqual([
    { value: 1, attributes: { ...attributes, 'brokerwire.state': 'acquired' } },
  ])
  expect(recorded('brokerwire.relay.takeovers')[0]?.attributes).toMatchObject({
    'brokerwire.relay.previous': 'lost',
  })
  expect(observed('brokerwire.relay.members')).toEqual([{ value: 2, attributes: {} }])
  expect(recorded('brokerwire.relay.store.failures')).toHaveLength(1)
})

test('names are unique, and no attribute is a path, an account, an app key or an order', () => {
  const names = Object.values(METRICS).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const attribute of Object.values(METRIC_ATTRIBUTES).flat())
    expect(attribute).not.toMatch(/path|url|account|app_?key|order/)
})

test('all metrics have the attributes of the table, and no other', () => {
  const { observer, attributesOf } = setUp()
  const app = 'team-a'
  const client = { clientId: 'main' }
  const stream = { streamId: 'orders', stream: 'trade' }
  const attempt = {
    ...client,
    request: 1,
    attempt: 1,
    origin: 'https://a.example',
    operation: 'orders.place',
  }
  const failed = { status: 503, errorCode: 'HTTP_SERVER_ERROR', serviceCode: 'BUSY', retryDelayMs: 5 }
  const batch = {
    events: 1,
    duplicates: 1,
    filtered: 1,
    undecodable: 1,
    bytes: 9,
    newestLagMs: 1,
    queueDepth: 1,
  }
  const reconnecting = { kind: 'reconnecting', reason: 'status' }
  const gap = { kind: 'gap', cause: 'disconnected', fromMs: 1, toMs: 2 }
  observer.onHttpAttemptEnd({ ...attempt, ...failed, method: 'POST', durationMs: 1 })
  observer.onStreamState({ ...stream, phase: 'live' })
  observer.onStreamAlive({ ...stream, atMs: 1 })
  observer.onStreamBatch({ ...stream, ...batch })
  observer.onStreamNotice({ ...stream, notice: reconnecting })
  observer.onStreamNotice({ ...stream, notice: gap })
  observer.onTokenCall({ ...client, call: 'create', durationMs: 1, failure: 'timeout' })
  observer.onTokenState({ ...client, state: 'normal', expiresAtMs: 1 })
  observer.onTokenSecondFactor(client)
  observer.onTokenWait({ ...client, call: 'create' })
  observer.onQuotesState({ ...client, connection: 1, phase: 'live' })
  observer.onQuotesBatch({ ...client, ...batch, messages: 1, replaced: 1, dropped: 1 })
  observer.onQuotesNotice({ ...client, notice: reconnecting })
  observer.onQuotesNotice({ ...client, notice: gap })
  const stored = { messages: 1, bytes: 1, sequence: 1, receiveLagMs: 1, storeLagMs: 1 }
  observer.onRelayStored({ app, ...stored })
  observer.onRelayDuplicates({ app, events: 1 })
  observer.onRelayBackpressure({ app, isPaused: true, bytes: 1 })
  observer.onRelayOversized({ app })
  observer.onRelaySinkWait({ app })
  observer.onRelayNotice({ app, subscription: 'trade', notice: gap })
  observer.onRelayTakeover({ app, isReleased: true })
  observer.onRelayStoreFailed()
  observer.onRelayMembers({ members: [] })
  observer.onRelayApp({ app, state: 'acquired' })
  observer.onRelayMembershipLost()
  observer.onRelayToken({ app, state: 'usable' })
  for (const [key, { name }] of Object.entries(METRICS))
    expect([name, attributesOf(name)]).toEqual([
      name,
      [...METRIC_ATTRIBUTES[key as keyof typeof METRICS]].sort(),
    ])
})
