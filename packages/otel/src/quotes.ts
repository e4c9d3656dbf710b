/** Metrics of market data. */
import { GaugeStates, GaugeValues, type Instruments } from './instruments.ts'
import type { ClientSource, QuotesTelemetry } from './reports.ts'

const client = ({ clientId }: ClientSource) => ({ 'brokerwire.client.id': clientId })

export function quotesTelemetry(instruments: Instruments): QuotesTelemetry {
  const states = new GaugeStates(instruments.quotesState)
  const depths = new GaugeValues(instruments.quotesQueueDepth)
  return {
    onQuotesState(report) {
      const { clientId, connection, phase } = report
      const attributes = { ...client(report), 'brokerwire.quotes.connection': connection }
      states.set(`${connection} ${clientId}`, attributes, phase)
    },
    onQuotesBatch(report) {
      const attributes = client(report)
      const { clientId, messages, bytes, replaced, dropped, newestLagMs, queueDepth } = report
      instruments.quotesMessages.add(messages, attributes)
      instruments.quotesIo.add(bytes, attributes)
      for (const [reason, count] of Object.entries({ replaced, overflow: dropped }))
        if (count > 0)
          instruments.quotesDiscarded.add(count, { ...attributes, 'brokerwire.discard.reason': reason })
      if (newestLagMs !== undefined) instruments.quotesLag.record(Math.max(0, newestLagMs) / 1000, attributes)
      depths.set(clientId, attributes, () => queueDepth)
    },
    onQuotesNotice(report) {
      const attributes = client(report)
      const { kind, reason = '_OTHER', fromMs, toMs } = report.notice
      instruments.quotesNotices.add(1, { ...attributes, 'brokerwire.notice.kind': kind })
      if (kind === 'reconnecting')
        instruments.quotesReconnects.add(1, { ...attributes, 'brokerwire.reconnect.reason': reason })
      if (kind === 'gap' && fromMs !== undefined && toMs !== undefined)
        instruments.quotesGap.record(Math.max(0, toMs - fromMs) / 1000, attributes)
    },
  }
}
