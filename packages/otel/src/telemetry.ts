/** Telemetry over the OpenTelemetry API: one observer for all packages, and headers that carry the trace context. */
import {
  type Link,
  type MeterProvider,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { httpKey, httpTelemetry } from './http.ts'
import { createInstruments } from './instruments.ts'
import { quotesTelemetry } from './quotes.ts'
import { relayTelemetry } from './relay.ts'
import { messageLinks, type TracedEntry, type TracedSink, traceSink } from './relay-trace.ts'
import type {
  HttpAttempt,
  HttpTelemetry,
  QuotesTelemetry,
  RelayTelemetry,
  StreamAttempt,
  StreamsTelemetry,
  TokensTelemetry,
} from './reports.ts'
import { OpenSpans } from './spans.ts'
import { streamKey, streamsTelemetry } from './streams.ts'
import { tokensTelemetry } from './tokens.ts'

/** Options of {@link createTelemetry}. */
export interface TelemetryOptions {
  /** Creates spans. @defaultValue the global provider of `@opentelemetry/api` */
  readonly tracerProvider?: TracerProvider | undefined
  /** Records metrics. @defaultValue the global provider of `@opentelemetry/api` */
  readonly meterProvider?: MeterProvider | undefined
}

/** An observer with a function for each report. */
export interface TelemetryObserver
  extends HttpTelemetry,
    TokensTelemetry,
    StreamsTelemetry,
    QuotesTelemetry,
    RelayTelemetry {}

/** Telemetry of all packages of a process. */
export interface Telemetry {
  /** The option `observer` of `createBrokerage`, `createHttpClient`, `createStreams`, `createQuotes` and `startRelay`. */
  readonly observer: TelemetryObserver
  /**
   * The option `headers` of HTTP clients and streams, if the service may see trace ids: returns `traceparent` of the attempt, by the
   * global propagator of `@opentelemetry/api`. Baggage is not sent.
   */
  readonly headers: (attempt: HttpAttempt | StreamAttempt) => Readonly<Record<string, string>>
  /**
   * Returns a sink for `startRelay` that starts a span for each batch, and stores its `traceparent` in the messages. Use it if readers
   * of the stream may see trace ids.
   */
  readonly traceSink: <Entry extends TracedEntry, Sink extends TracedSink<Entry>>(sink: Sink) => Sink
  /**
   * Returns the links of a span that handles a message of a relay: to the span that published it, or none.
   *
   * @param getHeader - Returns a header of the message.
   */
  readonly messageLinks: (getHeader: (name: string) => string | undefined) => Link[]
}

const NAME = '@brokerwire/otel'

/**
 * Creates the telemetry of a process. Create it once, after the SDK is registered, and pass its `observer` to every client.
 *
 * @throws An error of the providers, if they reject an instrument.
 *
 * @example
 * ```ts
 * import { createTelemetry } from '@brokerwire/otel'
 *
 * const telemetry = createTelemetry()
 * console.log(Object.keys(telemetry.observer))
 * ```
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const tracer: Tracer = (options.tracerProvider ?? trace).getTracer(NAME)
  const instruments = createInstruments((options.meterProvider ?? metrics).getMeter(NAME))
  const spans = new OpenSpans()
  return {
    observer: {
      ...httpTelemetry(tracer, instruments, spans),
      ...tokensTelemetry(tracer, instruments, spans),
      ...streamsTelemetry(tracer, instruments, spans),
      ...quotesTelemetry(instruments),
      ...relayTelemetry(instruments),
    },
    headers(attempt) {
      const carrier: Record<string, string> = {}
      const span = spans.get('streamId' in attempt ? streamKey(attempt) : httpKey(attempt))
      if (span !== undefined) propagation.inject(trace.setSpan(ROOT_CONTEXT, span), carrier)
      return carrier
    },
    traceSink: (sink) => traceSink(tracer, sink),
    messageLinks,
  }
}
