/** Spans and metrics of a brokerage against the local service, with SDK 2. */

import { type BrokerageOptions, createBrokerage } from '@brokerwire/client'
import { type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { hrTimeToMilliseconds } from '@opentelemetry/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTelemetry } from './index.ts'
import { createSdk } from './test/sdk.ts'

async function setUp(options: Partial<BrokerageOptions> = {}, service: SimulatorOptions = {}) {
  const sdk = createSdk()
  const telemetry = createTelemetry(sdk)
  const simulator = await startSimulator({ rateLimit: false, ...service })
  const { region, environment, credentials, baseUrl, eventsUrl, moduleEventsUrl } = simulator
  const brokerage = createBrokerage({
    region,
    environment,
    ...credentials,
    overrides: { baseUrl, eventsUrl, moduleEventsUrl },
    clientId: 'main',
    observer: telemetry.observer,
    ...options,
  })
  onTestFinished(async () => {
    await brokerage.close()
    await simulator.close()
    sdk.close()
  })
  return { sdk, telemetry, simulator, brokerage }
}

const config = { method: 'GET', path: '/openapi/config', authenticated: false } as const

describe('an HTTP request', () => {
  test('is a span with the attributes of the conventions, and a duration', async () => {
    const { sdk, simulator, brokerage } = await setUp()
    await brokerage.http.request({ ...config, operation: 'config.get' })
    const { hostname, port } = new URL(simulator.baseUrl)
    const server = { 'server.address': hostname, 'server.port': Number(port) }
    const [span] = sdk.spans()
    expect(span).toMatchObject({ name: 'GET config.get', kind: 2, status: { code: 0 } })
    expect(span?.attributes).toEqual({
      ...server,
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'url.full': `${simulator.baseUrl}/REDACTED`,
      'brokerwire.client.id': 'main',
      'brokerwire.operation': 'config.get',
    })
    const { 'http.client.request.duration': durations } = await sdk.collect()
    expect(durations).toEqual([
      {
        attributes: {
          ...server,
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'brokerwire.operation': 'config.get',
        },
        value: expect.any(Number),
        count: 1,
      },
    ])
  })

  test('is a child of the active span', async () => {
    const { sdk, brokerage } = await setUp()
    const parent = sdk.tracer.startSpan('parent')
    await brokerage.http.request(config)
    const { context } = await import('@opentelemetry/api')
    await context.with(trace.setSpan(ROOT_CONTEXT, parent), () => brokerage.http.request(config))
    const [first, second] = sdk.spans()
    expect(first?.parentSpanContext).toBeUndefined()
    expect(second?.parentSpanContext?.spanId).toBe(parent.spanContext().spanId)
  })

  test('that is sent again has one span for each attempt, and counts a retry', async () => {
    const { sdk, simulator, brokerage } = await setUp()
    simulator.faults.nextHttp({ kind: 'respond', status: 503 })
    await brokerage.http.request(config)
    const [failed, succeeded] = sdk.spans()
    expect(failed).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'HTTP_SERVER_ERROR', 'http.response.status_code': 503 },
    })
    expect(succeeded?.attributes).toMatchObject({ 'http.request.resend_count': 1 })
    const { 'brokerwire.http.retries': retries } = await sdk.collect()
    expect(retries).toMatchObject([{ value: 1, attributes: { 'error.type': 'HTTP_SERVER_ERROR' } }])
  })

  test('has no path, query or header in spans and metrics', async () => {
    const { sdk, brokerage } = await setUp()
    const path = '/openapi/orders/order-4711'
    await brokerage.http.request({ ...config, path, query: { account: 'account-4711' } }).catch(() => {})
    const exported = JSON.stringify([
      sdk.spans().map(({ name, attributes, events }) => ({ name, attributes, events })),
      await sdk.collect(),
    ])
    expect(exported).toContain('error.type')
    expect(exported).not.toContain('4711')
    expect(exported).not.toContain(brokerage.endpoint.baseUrl + path)
  })
})

describe('an access token', () => {
  const tokenSpans = (sdk: ReturnType<typeof createSdk>) =>
    sdk.spans().filter(({ name }) => name.startsWith('token '))

  test('has a span for each call, without the token', async () => {
    const { sdk, brokerage } = await setUp({}, { environment: 'sandbox' })
    const token = await brokerage.accessTokens.get()
    const [create] = tokenSpans(sdk)
    expect(create).toMatchObject({
      name: 'token create',
      kind: 0,
      status: { code: 0 },
      attributes: { 'brokerwire.client.id': 'main', 'brokerwire.token.call': 'create' },
    })
    expect(hrTimeToMilliseconds(create?.duration ?? [0, 0])).toBeGreaterThan(0)
    const spans = sdk.spans().map(({ name, attributes, events }) => ({ name, attributes, events }))
    expect(JSON.stringify(spans)).not.toContain(token?.token.reveal())
  })

  test.each([
    ['when the token can be used', 'pending', 'normal', undefined],
    ['when a renewal has ended', 'renewing', 'normal', undefined],
    ['with the state of a token that is not usable', 'pending', 'invalid', 'invalid'],
  ])('has a span for the second factor, which ends %s', (_, waiting, last, errorType) => {
    const sdk = createSdk()
    onTestFinished(() => sdk.close())
    const { observer } = createTelemetry(sdk)
    const client = { clientId: 'main', expiresAtMs: undefined }
    observer.onTokenState({ ...client, state: waiting })
    observer.onTokenSecondFactor(client)
    observer.onTokenState({ ...client, state: waiting })
    expect(sdk.spans()).toEqual([])
    observer.onTokenState({ ...client, state: last })
    expect(sdk.spans()).toHaveLength(1)
    expect(sdk.spans()[0]).toMatchObject({ name: 'token second-factor' })
    expect(sdk.spans()[0]?.attributes['error.type']).toBe(errorType)
  })

  test('has the failure of a call', async () => {
    const { sdk, simulator, brokerage } = await setUp({}, { environment: 'sandbox' })
    simulator.faults.nextHttp({ kind: 'respond', status: 400 })
    await brokerage.accessTokens.get().catch(() => {})
    expect(tokenSpans(sdk)[0]).toMatchObject({
      name: 'token create',
      status: { code: 2 },
      attributes: { 'brokerwire.token.call': 'create', 'error.type': expect.any(String) },
    })
  })
})

describe('a stream', () => {
  test('has a span for each attempt, and metrics of events, reconnects and gaps', async () => {
    const { sdk, simulator, brokerage } = await setUp()
    const stream = brokerage.tradeEvents({ accounts: simulator.accounts, streamId: 'orders' })
    const kinds: string[] = []
    for await (const item of stream) {
      kinds.push(item.kind)
      if (item.kind === 'subscribed' && kinds.filter((kind) => kind === 'subscribed').length === 1)
        simulator.placeOrder({ symbol: 'AAPL', quantity: 100 })
      if (item.kind === 'order') simulator.dropConnections()
      if (item.kind === 'gap' && kinds.includes('reconnecting')) break
    }
    const labels = { 'brokerwire.stream.id': 'orders', 'brokerwire.stream.kind': 'trade' }
    const metrics = await sdk.collect()
    const count = (kind: string): number => kinds.filter((one) => one === kind).length
    expect(metrics['brokerwire.stream.events']).toMatchObject([{ attributes: labels, value: count('order') }])
    expect(metrics['brokerwire.stream.reconnects']).toMatchObject([
      { attributes: { ...labels, 'brokerwire.reconnect.reason': expect.any(String) } },
    ])
    const gaps = (metrics['brokerwire.stream.gap'] ?? []).reduce((sum, point) => sum + (point.count ?? 0), 0)
    expect(gaps).toBe(count('gap'))
    expect(metrics['brokerwire.stream.state']).toContainEqual({
      attributes: { ...labels, 'brokerwire.state': 'ended' },
      value: 1,
    })
    expect(metrics['brokerwire.stream.state']).toContainEqual({
      attributes: { ...labels, 'brokerwire.state': 'live' },
      value: 0,
    })
    expect(metrics['brokerwire.stream.idle']).toEqual([{ attributes: labels, value: 0 }])
    const spans = sdk.spans().filter(({ attributes }) => 'rpc.method' in attributes)
    expect(spans[0]).toMatchObject({
      name: 'grpc.trade.event.EventService/Subscribe',
      status: { code: 0 },
      attributes: { ...labels, 'rpc.system.name': 'grpc', 'brokerwire.attempt': 1 },
    })
    expect(spans.length).toBeGreaterThan(1)
  })
})

describe('the trace context', () => {
  test.each([
    ['is not sent', false],
    ['is sent with the option headers', true],
  ])('%s', async (_, isSent) => {
    const telemetry = createTelemetry(createSdk())
    const headers = isSent ? { headers: telemetry.headers } : {}
    const { simulator, brokerage } = await setUp({
      observer: telemetry.observer,
      http: headers,
      streams: headers,
    })
    await brokerage.http.request(config)
    for await (const item of brokerage.tradeEvents({ accounts: simulator.accounts }))
      if (item.kind === 'subscribed') break
    const requests = simulator.requests()
    expect(new Set(requests.map(({ protocol }) => protocol))).toEqual(new Set(['http', 'grpc']))
    for (const { headerNames } of requests) expect(headerNames.includes('traceparent')).toBe(isSent)
  })

  test('names the span of its attempt', async () => {
    const sdk = createSdk()
    onTestFinished(() => sdk.close())
    const { observer, headers } = createTelemetry(sdk)
    const attempt = {
      clientId: 'a',
      request: 1,
      attempt: 1,
      origin: 'https://a.example',
      operation: undefined,
      method: 'GET',
    }
    observer.onHttpAttempt(attempt)
    const { traceparent } = headers(attempt)
    const end = {
      durationMs: 1,
      status: 200,
      errorCode: undefined,
      serviceCode: undefined,
      retryDelayMs: undefined,
    }
    observer.onHttpAttemptEnd({ ...attempt, ...end })
    const context = sdk.spans()[0]?.spanContext()
    expect(traceparent).toBe(`00-${context?.traceId}-${context?.spanId}-01`)
    expect(headers(attempt)).toEqual({})
  })
})
