/** Spans of attempts to subscribe, and metrics of batches. No span is created for a batch or an event. */
import { type Attributes, ROOT_CONTEXT, SpanKind, type Tracer } from '@opentelemetry/api'
import { GaugeStates, GaugeValues, type Instruments } from './instruments.ts'
import type { StreamSource, StreamsTelemetry } from './reports.ts'
import { type OpenSpans, serverAttributes } from './spans.ts'

/** The key of the span of a stream's attempt. */
export const streamKey = ({ stream, streamId }: StreamSource): string => `stream ${stream} ${streamId}`

/** The last measurements of a stream. */
interface Measured {
  readonly attributes: Attributes
  /** Receipt of the last frame; `undefined` before the first and after the end. */
  lastFrameMs: number | undefined
  queueDepth: number
}

const MODULE_METHOD = 'grpc.event.EventService/Subscribe'
const TRADE_METHOD = 'grpc.trade.event.EventService/Subscribe'

/** The name of a gRPC status, such as `RESOURCE_EXHAUSTED`. */
const statusCode = (status: string): string => status.toUpperCase().replace(/^CANCELED$/, 'CANCELLED')

const secondsSince = (atMs: number | undefined): number =>
  atMs === undefined ? 0 : Math.max(0, Date.now() - atMs) / 1000

export function streamsTelemetry(
  tracer: Tracer,
  instruments: Instruments,
  spans: OpenSpans,
): StreamsTelemetry {
  const states = new GaugeStates(instruments.streamState)
  const idle = new GaugeValues(instruments.streamIdle)
  const depths = new GaugeValues(instruments.streamQueueDepth)
  const streams = new Map<string, Measured>()
  const find = (source: StreamSource): Measured => {
    const key = streamKey(source)
    const known = streams.get(key)
    if (known !== undefined) return known
    const attributes = { 'brokerwire.stream.id': source.streamId, 'brokerwire.stream.kind': source.stream }
    const added: Measured = { attributes, lastFrameMs: undefined, queueDepth: 0 }
    streams.set(key, added)
    idle.set(key, attributes, () => secondsSince(added.lastFrameMs))
    depths.set(key, attributes, () => added.queueDepth)
    return added
  }
  return {
    onStreamAttempt(report) {
      const { stream, attempt, origin } = report
      const method = stream === 'module' ? MODULE_METHOD : TRADE_METHOD
      // A stream lives longer than the code that opened it, so each attempt has a trace.
      const span = tracer.startSpan(
        method,
        {
          kind: SpanKind.CLIENT,
          attributes: {
            ...find(report).attributes,
            ...serverAttributes(origin),
            'rpc.system.name': 'grpc',
            'rpc.method': method,
            'brokerwire.attempt': attempt,
          },
        },
        ROOT_CONTEXT,
      )
      spans.open(streamKey(report), span)
    },
    onStreamState(report) {
      const measured = find(report)
      states.set(streamKey(report), measured.attributes, report.phase)
      if (report.phase !== 'ended') return
      measured.lastFrameMs = undefined
      measured.queueDepth = 0
      spans.end(streamKey(report), 'ended')
    },
    onStreamAlive(report) {
      find(report).lastFrameMs = report.atMs
    },
    onStreamBatch(report) {
      const measured = find(report)
      const { attributes } = measured
      const { events, duplicates, filtered, undecodable, bytes, newestLagMs, queueDepth } = report
      measured.queueDepth = queueDepth
      if (events > 0) instruments.streamEvents.add(events, attributes)
      if (bytes > 0) instruments.streamIo.add(bytes, attributes)
      if (newestLagMs !== undefined) instruments.streamLag.record(Math.max(0, newestLagMs) / 1000, attributes)
      if (undecodable > 0) instruments.streamUndecodable.add(undecodable, attributes)
      const discarded = { duplicate: duplicates, filtered }
      for (const [reason, count] of Object.entries(discarded))
        if (count > 0)
          instruments.streamDiscarded.add(count, { ...attributes, 'brokerwire.discard.reason': reason })
    },
    onStreamNotice(report) {
      const { attributes } = find(report)
      const { kind, reason = '_OTHER', status, cause = '_OTHER', fromMs, toMs } = report.notice
      instruments.streamNotices.add(1, { ...attributes, 'brokerwire.notice.kind': kind })
      if (kind === 'subscribed') spans.end(streamKey(report))
      else if (kind === 'reconnecting') {
        const reconnect = { 'brokerwire.reconnect.reason': reason }
        instruments.streamReconnects.add(1, { ...attributes, ...reconnect })
        const code = typeof status === 'string' ? statusCode(status) : undefined
        spans.end(streamKey(report), code ?? reason, {
          ...reconnect,
          ...(code !== undefined && { 'rpc.response.status_code': code }),
        })
      } else if (kind === 'gap' && fromMs !== undefined && toMs !== undefined) {
        const seconds = Math.max(0, toMs - fromMs) / 1000
        instruments.streamGap.record(seconds, { ...attributes, 'brokerwire.gap.cause': cause })
      }
    },
  }
}
