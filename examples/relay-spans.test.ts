/** The example of spans through a relay: a NATS server, the simulator, and SDK 2 in memory. */
import { parseRelayConfig } from '@brokerwire/relay'
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { needs, REAL_SERVERS } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { connect } from '@nats-io/transport-node'
import { propagation, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { handleEvents, startTracedRelay } from './relay-spans.ts'
import { settingsOf } from './test/settings-of.ts'

const { skip, note } = needs('nats-server')

/** Registers an SDK that keeps the spans. */
function registerSdk(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor(exporter)]
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }))
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  onTestFinished(() => {
    trace.disable()
    propagation.disable()
  })
  return exporter
}

describe.skipIf(skip)(`spans through a relay${note}`, REAL_SERVERS, () => {
  test('the span of a consumer links to the span that published the event', async () => {
    const exporter = registerSdk()
    const nats = await startNats()
    onTestFinished(() => nats.close())
    const connection = await connect({ port: nats.port })
    onTestFinished(() => connection.close())
    const simulator = await startSimulator({ environment: 'sandbox' })
    onTestFinished(() => simulator.close())
    for (const [name, value] of Object.entries(settingsOf(simulator))) vi.stubEnv(name, value)
    const app = {
      name: 'team-a',
      environment: simulator.environment,
      region: simulator.region,
      appKey: { env: 'BROKERWIRE_APP_KEY' },
      appSecret: { env: 'BROKERWIRE_APP_SECRET' },
      accounts: simulator.accounts,
      eventsUrl: simulator.eventsUrl,
    }
    const config = parseRelayConfig(JSON.stringify({ apps: [app] }))
    const relay = await startTracedRelay(connection, config, createMemoryStore())
    onTestFinished(() => relay.close())
    await simulator.waitForSubscriptions({ service: 'trade' })
    simulator.emitOrder()

    const { environment, region } = simulator
    const handled = vi.fn()
    const address = { prefix: 'brokerwire', environment, region, app: 'team-a' } as const
    const stop = new AbortController()
    const ended = handleEvents(connection, address, handled, stop.signal)
    await expect.poll(() => handled.mock.calls.length).toBe(1)
    stop.abort()
    await ended.catch(() => {})
    const spans = exporter.getFinishedSpans()
    const consumed = spans.find(({ name }) => name === 'handle order')
    const linked = consumed?.links[0]?.context.spanId
    expect(spans.find((span) => span.spanContext().spanId === linked)).toMatchObject({ name: 'publish' })
  })
})
