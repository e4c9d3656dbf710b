/** Spans and metrics of HTTP attempts, by the semantic conventions of HTTP clients. */
import { SpanKind, type Tracer } from '@opentelemetry/api'
import type { Instruments } from './instruments.ts'
import type { HttpAttempt, HttpTelemetry } from './reports.ts'
import { type OpenSpans, serverAttributes } from './spans.ts'

/** The key of an attempt's span. */
export const httpKey = ({ clientId, request, attempt }: HttpAttempt): string =>
  `http ${request}.${attempt} ${clientId}`

export function httpTelemetry(
  tracer: Tracer,
  { httpDuration, httpRetries }: Instruments,
  spans: OpenSpans,
): HttpTelemetry {
  return {
    onHttpAttempt(attempt) {
      const { clientId, origin, operation, method } = attempt
      const span = tracer.startSpan(operation === undefined ? method : `${method} ${operation}`, {
        kind: SpanKind.CLIENT,
        attributes: {
          ...serverAttributes(origin),
          'http.request.method': method,
          // The conventions require it, and allow to hide parts. A path may contain the id of an account or an order.
          'url.full': `${origin}/REDACTED`,
          'brokerwire.client.id': clientId,
          ...(operation !== undefined && { 'brokerwire.operation': operation }),
          ...(attempt.attempt > 1 && { 'http.request.resend_count': attempt.attempt - 1 }),
        },
      })
      spans.open(httpKey(attempt), span)
    },
    onHttpAttemptEnd(end) {
      const { origin, operation, method, status, errorCode, serviceCode, durationMs, retryDelayMs } = end
      const response = status === undefined ? {} : { 'http.response.status_code': status }
      spans.end(httpKey(end), errorCode, {
        ...response,
        ...(serviceCode !== undefined && { 'brokerwire.service.code': serviceCode }),
      })
      const server = serverAttributes(origin)
      const labels = {
        ...(operation !== undefined && { 'brokerwire.operation': operation }),
        ...(errorCode !== undefined && { 'error.type': errorCode }),
      }
      if (durationMs !== undefined)
        httpDuration.record(durationMs / 1000, {
          ...server,
          ...response,
          ...labels,
          'http.request.method': method,
        })
      if (retryDelayMs !== undefined)
        httpRetries.add(1, { ...labels, 'server.address': server['server.address'] })
    },
  }
}
