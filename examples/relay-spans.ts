/**
 * Spans through a relay: the span of a consumer links to the span in which the relay published the event.
 *
 * Register your SDK before you call these functions, in the process of the relay and in that of the consumer.
 */
import type { Store } from '@brokerwire/core'
import { createTelemetry } from '@brokerwire/otel'
import { type RelayConfig, type RunningRelay, type StreamAddress, startRelay } from '@brokerwire/relay'
import { consumeRelay, createJetStreamSink } from '@brokerwire/relay/nats'
import { jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { SpanKind, trace } from '@opentelemetry/api'

/** Starts a relay whose messages have the headers `traceparent` and `tracestate`. */
export function startTracedRelay(
  connection: NatsConnection,
  config: RelayConfig,
  store: Store,
): Promise<RunningRelay> {
  const telemetry = createTelemetry()
  return startRelay({
    config,
    store,
    observer: telemetry.observer,
    openSink: (address) =>
      telemetry.traceSink(createJetStreamSink({ connection, address, createStream: { replicas: 1 } })),
  })
}

/** Handles the events of a stream, each in a span, until the signal aborts. */
export async function handleEvents(
  connection: NatsConnection,
  address: StreamAddress,
  handle: (event: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  const telemetry = createTelemetry()
  const tracer = trace.getTracer('billing')
  const js = jetstream(connection)
  for await (const item of consumeRelay({ js, address, durableName: 'billing', signal })) {
    if (item.type !== 'event') continue
    const links = telemetry.messageLinks((name) => item.traceHeaders?.[name])
    tracer.startActiveSpan(`handle ${item.kind}`, { kind: SpanKind.CONSUMER, links }, (span) => {
      try {
        handle(item.decode())
      } finally {
        span.end()
      }
    })
  }
}
