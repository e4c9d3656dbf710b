/** Spans and metrics of tokens, and metrics of rate limiters. No attribute contains a token. */
import type { Tracer } from '@opentelemetry/api'
import { GaugeStates, GaugeValues, type Instruments } from './instruments.ts'
import type { ClientSource, TokensTelemetry } from './reports.ts'
import { endSpan, type OpenSpans } from './spans.ts'

const client = ({ clientId }: ClientSource) => ({ 'brokerwire.client.id': clientId })

export function tokensTelemetry(tracer: Tracer, instruments: Instruments, spans: OpenSpans): TokensTelemetry {
  const states = new GaugeStates(instruments.tokenState)
  const expiries = new GaugeValues(instruments.tokenTimeToExpiry)
  const waits = (source: ClientSource, operation: string): void =>
    instruments.limiterWaits.add(1, { ...client(source), 'brokerwire.operation': operation })
  return {
    onTokenCall(end) {
      const { call, durationMs, failure } = end
      const attributes = { ...client(end), 'brokerwire.token.call': call }
      // The report arrives at the end of the call, so the span begins in the past.
      const startTime = Date.now() - durationMs
      endSpan(tracer.startSpan(`token ${call}`, { startTime, attributes }), failure)
      instruments.tokenCallDuration.record(durationMs / 1000, {
        ...attributes,
        ...(failure !== undefined && { 'error.type': failure }),
      })
    },
    onTokenState(report) {
      const { clientId, state, expiresAtMs } = report
      if (!/pending|renewing/.test(state))
        spans.end(`token ${clientId}`, state === 'normal' ? undefined : state)
      states.set(clientId, client(report), state)
      const seconds = (): number =>
        expiresAtMs === undefined ? 0 : Math.max(0, expiresAtMs - Date.now()) / 1000
      expiries.set(clientId, client(report), seconds)
    },
    onTokenSecondFactor(report) {
      const attributes = client(report)
      spans.open(`token ${report.clientId}`, tracer.startSpan('token second-factor', { attributes }))
      instruments.tokenSecondFactors.add(1, attributes)
    },
    onTokenWait: (wait) => waits(wait, wait.call),
    onOperationWait: (wait) => waits(wait, wait.operation),
  }
}
