/** Metrics of tokens and rate limiters. The requests for tokens have spans, as all HTTP attempts. */
import { GaugeStates, GaugeValues, type Instruments } from './instruments.ts'
import type { ClientSource, TokensTelemetry } from './reports.ts'

const client = ({ clientId }: ClientSource) => ({ 'brokerwire.client.id': clientId })

export function tokensTelemetry(instruments: Instruments): TokensTelemetry {
  const states = new GaugeStates(instruments.tokenState)
  const expiries = new GaugeValues(instruments.tokenTimeToExpiry)
  const waits = (source: ClientSource, operation: string): void =>
    instruments.limiterWaits.add(1, { ...client(source), 'brokerwire.operation': operation })
  return {
    onTokenCall(end) {
      instruments.tokenCallDuration.record(end.durationMs / 1000, {
        ...client(end),
        'brokerwire.token.call': end.call,
        ...(end.failure !== undefined && { 'error.type': end.failure }),
      })
    },
    onTokenState(report) {
      const { clientId, state, expiresAtMs } = report
      states.set(clientId, client(report), state)
      const seconds = (): number =>
        expiresAtMs === undefined ? 0 : Math.max(0, expiresAtMs - Date.now()) / 1000
      expiries.set(clientId, client(report), seconds)
    },
    onTokenSecondFactor: (report) => instruments.tokenSecondFactors.add(1, client(report)),
    onTokenWait: (wait) => waits(wait, wait.call),
    onOperationWait: (wait) => waits(wait, wait.operation),
  }
}
