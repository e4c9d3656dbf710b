/** Reports to an observer. An observer cannot affect a stream: errors of its functions are ignored. */
import { createReporter, type Reporter } from '@brokerwire/core/internal'
import type { StreamNotice } from './items/notices.ts'

/** Name of a stream of the trade service: `trade` of `tradeEvents`, `position` of `positionEvents`, `account` of `accountEvents`. */
export type TradeStreamName = 'trade' | 'position' | 'account'

/** Name of the stream in a report: `module` of `moduleEvents`, or a name of the trade service. */
export type StreamName = TradeStreamName | 'module'

/** Phase of a stream. */
export type StreamPhase = 'idle' | 'opening' | 'live' | 'waiting' | 'recovering' | 'ended'

/** The stream that reports. */
export interface StreamSource {
  /** The option `streamId` of the stream. */
  readonly streamId: string
  /** The kind of the stream. */
  readonly stream: StreamName
}

/** An attempt to subscribe that begins. */
export interface StreamAttempt extends StreamSource {
  /** Number of the attempt within the stream, from 1. */
  readonly attempt: number
  /** Origin that the attempt connects to. `undefined` if it uses a transport of the option `transports`. */
  readonly origin: string | undefined
}

/** A stream that entered another phase. */
export interface StreamStateReport extends StreamSource {
  /** The phase that the stream entered. */
  readonly phase: StreamPhase
}

/** Report of a live subscription that received frames, including pings. */
export interface StreamAliveReport extends StreamSource {
  /** Time of receipt by this host's clock, in milliseconds since the Unix epoch. */
  readonly atMs: number
  /**
   * Everything that the service sent before this instant was received. It is the latest timestamp of a frame, and never
   * later than `atMs`.
   */
  readonly receivedUntilMs: number
  /** Timestamp of the last frame, in milliseconds since the Unix epoch. */
  readonly serverTimeMs: number | undefined
}

/** Report of the frames that arrived together, without the control frames. */
export interface StreamBatchReport extends StreamSource {
  /** Number of events that were added to the queue. */
  readonly events: number
  /** Number of events that were discarded because they had been received before. */
  readonly duplicates: number
  /** Number of events that were discarded because their business type is not selected. */
  readonly filtered: number
  /** Number of messages that cannot be decoded. They were added to the queue. */
  readonly undecodable: number
  /** Memory of the added items in bytes, as the bounds of the queue count it. */
  readonly bytes: number
  /**
   * Time from the first event's timestamp to its receipt, in milliseconds. `undefined` without such a
   * timestamp.
   */
  readonly oldestLagMs: number | undefined
  /**
   * Time from the last event's timestamp to its receipt, in milliseconds. `undefined` without such a
   * timestamp.
   */
  readonly newestLagMs: number | undefined
  /** Number of items in the queue now, including notices. */
  readonly queueDepth: number
}

/** Report of a notice that was added to a stream. */
export interface StreamNoticeReport extends StreamSource {
  /** The notice, as the consumer gets it. */
  readonly notice: StreamNotice
}

/**
 * An observer of streams. Every function is optional. The names differ from those of the other packages, so one object can observe
 * all of them.
 */
export interface StreamsObserver {
  /** Called at the start of each attempt to subscribe. */
  readonly onStreamAttempt?: ((attempt: StreamAttempt) => void) | undefined
  /** Called when a stream enters another phase. */
  readonly onStreamState?: ((report: StreamStateReport) => void) | undefined
  /** Called when frames arrived on a live subscription, including pings, at most once for the frames that arrived together. */
  readonly onStreamAlive?: ((report: StreamAliveReport) => void) | undefined
  /** Called when the items of frames that arrived together are queued, after a pending `next()` was resolved. */
  readonly onStreamBatch?: ((report: StreamBatchReport) => void) | undefined
  /** Called when a notice was added to the stream, including gaps. */
  readonly onStreamNotice?: ((report: StreamNoticeReport) => void) | undefined
}

/** The names of the functions of {@link StreamsObserver}. */
export const STREAMS_OBSERVER = {
  onStreamAttempt: true,
  onStreamState: true,
  onStreamAlive: true,
  onStreamBatch: true,
  onStreamNotice: true,
} as const satisfies Record<keyof StreamsObserver, true>

/** Reports of one stream. */
export type StreamReporter = Reporter<StreamsObserver, StreamSource>

/** Creates a reporter. Without an observer it does nothing. */
export const createStreamReporter = (observer: StreamsObserver, source: StreamSource): StreamReporter =>
  createReporter(observer, source)

const unnamedStreams: Record<StreamName, number> = { trade: 0, position: 0, account: 0, module: 0 }

/** Returns the default of the option `streamId`. */
export function nextStreamId(stream: StreamName): string {
  unnamedStreams[stream] += 1
  return `${stream}-${unnamedStreams[stream]}`
}
