/** Spans that are open, by the key of their attempt. */
import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api'

/** Open spans. A second span with the same key ends the first, so no span stays open. */
export class OpenSpans {
  readonly #spans = new Map<string, Span>()

  /** Returns an open span. */
  get(key: string): Span | undefined {
    return this.#spans.get(key)
  }

  /** Adds a span that begins. */
  open(key: string, span: Span): void {
    this.end(key)
    this.#spans.set(key, span)
  }

  /** Ends a span as {@link endSpan} does, if it is open. */
  end(key: string, errorType?: string, attributes?: Attributes): void {
    const span = this.#spans.get(key)
    this.#spans.delete(key)
    if (span !== undefined) endSpan(span, errorType, attributes)
  }
}

/**
 * Ends a span.
 *
 * @param errorType - The reason why it failed; `undefined` for a success.
 */
export function endSpan(span: Span, errorType?: string, attributes: Attributes = {}): void {
  span.setAttributes(attributes)
  if (errorType !== undefined)
    span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/** The server of an origin: `server.address` and `server.port`. */
export function serverAttributes(origin: string | undefined): Attributes {
  if (origin === undefined) return {}
  const [, scheme, host, port] = /^(\w+):\/\/\[?(.+?)\]?(?::(\d+))?$/.exec(origin) ?? []
  if (host === undefined) return {}
  return {
    'server.address': host,
    'server.port': port === undefined ? (scheme === 'https' ? 443 : 80) : Number(port),
  }
}
