/** SDK 2 in memory: the spans that have ended, and the values of the metrics. */
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { MeterProvider, type MetricData, MetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

class MemoryReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** A data point: the attributes, and the value of a counter or a gauge, or the count and the sum of a histogram. */
export interface Point {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly value: number
  readonly count?: number
}

/** Creates providers. The propagator and the context manager are those of the process. */
export function createSdk() {
  const exporter = new InMemorySpanExporter()
  const reader = new MemoryReader()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const meterProvider = new MeterProvider({ readers: [reader] })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  return {
    tracerProvider,
    meterProvider,
    tracer: tracerProvider.getTracer('test'),
    spans: () => exporter.getFinishedSpans(),
    /** Collects the metrics. @returns Data points by the name of the metric. */
    async collect(): Promise<Readonly<Record<string, readonly Point[]>>> {
      const { resourceMetrics } = await reader.collect()
      const metrics = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)
      return Object.fromEntries(
        metrics.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          (dataPoints as readonly MetricData['dataPoints'][number][]).map(toPoint),
        ]),
      )
    },
    /** Removes the propagator and the context manager. */
    close() {
      context.disable()
      propagation.disable()
      trace.disable()
    },
  }
}

function toPoint({ attributes, value }: MetricData['dataPoints'][number]): Point {
  if (typeof value === 'number') return { attributes, value }
  return { attributes, value: value.sum ?? 0, count: value.count }
}
