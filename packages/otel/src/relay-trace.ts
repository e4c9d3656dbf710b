/** The trace context in the messages of a relay: a span for each batch that is published, and links for readers. */
import {
  type Link,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'

/** The part of a relay's message that telemetry changes. */
export interface TracedEntry {
  /** The headers of the message. */
  readonly headers: Readonly<Record<string, string>>
}

/** The part of a relay's sink that telemetry calls. */
export interface TracedSink<Entry extends TracedEntry> {
  /** Stores messages. */
  publish(batch: readonly Entry[]): Promise<unknown>
  /** Returns the limit that a message exceeds; `undefined` if it exceeds none. */
  checkSize?(entry: Entry): unknown
}

/**
 * Returns a sink that starts a span for each batch, and adds the headers of its trace context to the messages. A message that would
 * exceed a limit of the sink with these headers is stored without them.
 */
export function traceSink<Entry extends TracedEntry, Sink extends TracedSink<Entry>>(
  tracer: Tracer,
  sink: Sink,
): Sink {
  const publish = async (batch: readonly Entry[]): Promise<unknown> => {
    const span = tracer.startSpan(
      'publish',
      {
        kind: SpanKind.PRODUCER,
        attributes: {
          'messaging.operation.name': 'publish',
          'messaging.operation.type': 'send',
          'messaging.batch.message_count': batch.length,
        },
      },
      ROOT_CONTEXT,
    )
    const added: Record<string, string> = {}
    propagation.inject(trace.setSpan(ROOT_CONTEXT, span), added)
    const addHeaders = (entry: Entry): Entry => {
      const traced = { ...entry, headers: { ...entry.headers, ...added } }
      return sink.checkSize?.(traced) === undefined ? traced : entry
    }
    try {
      return await sink.publish(batch.map(addHeaders))
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', errorType(error))
      throw error
    } finally {
      span.end()
    }
  }
  return new Proxy(sink, {
    get(target, name) {
      if (name === 'publish') return publish
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Returns the link to the span that published a message; none if the message has no trace context. */
export function messageLinks(getHeader: (name: string) => string | undefined): Link[] {
  const context = propagation.extract(ROOT_CONTEXT, getHeader, {
    get: (get, name) => get(name) || undefined,
    keys: () => propagation.fields(),
  })
  const span = trace.getSpanContext(context)
  return span === undefined ? [] : [{ context: span }]
}

function errorType(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : '_OTHER'
}
