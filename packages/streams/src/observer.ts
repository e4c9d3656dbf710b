/** Reports to an observer. An observer cannot affect a stream: errors of its functions are ignored. */
import { notify } from '@brokerwire/core/internal'
import type { StreamNotice } from './items/notices.ts'

/** Name of a stream of the trade service: `trade` of `tradeEvents`, `position` of `positionEvents`, `account` of `accountEvents`. */
export type TradeStreamName = 'trade' | 'position' | 'account'

/** Name of the stream in a report: `module` of `moduleEvents`, or a name of the trade service. */
export type StreamName = TradeStreamName | 'module'

/** Report of the frames that arrived together, without the control frames. */
export interface StreamBatchReport {
  /** The stream that reports. */
  readonly stream: StreamName
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

/** An observer of streams. Every function is optional. */
export interface StreamObserver {
  /** Called at the start of each attempt to subscribe. */
  onAttempt?(report: { readonly stream: StreamName; readonly attempt: number }): void
  /** Called when a stream enters another phase: `opening`, `live`, `waiting`, `recovering`, `ended`. */
  onState?(report: { readonly stream: StreamName; readonly phase: string }): void
  /**
   * Called when frames arrived on a live subscription, including pings.
   *
   * - `atMs` is the time of receipt by this host's clock.
   * - Everything that the service sent before `receivedUntilMs` was received. It is the latest timestamp of a frame, and never
   *   later than `atMs`.
   * - `serverTimeMs` is the timestamp of the last frame.
   */
  onAlive?(report: {
    readonly stream: StreamName
    readonly atMs: number
    readonly receivedUntilMs: number
    readonly serverTimeMs: number | undefined
  }): void
  /** Called when the items of frames that arrived together are queued, after a pending `next()` was resolved. */
  onBatch?(report: StreamBatchReport): void
  /** Called when a notice was added to the stream, including gaps. */
  onNotice?(report: { readonly stream: StreamName; readonly notice: StreamNotice }): void
}

type Report<K extends keyof StreamObserver> = Omit<Parameters<NonNullable<StreamObserver[K]>>[0], 'stream'>

/** Calls a function of the observer for one stream. */
export type Reporter = <K extends keyof StreamObserver>(name: K, report: Report<K>) => void

/** Creates a reporter. Without an observer it does nothing. */
export function createReporter(observer: StreamObserver | undefined, stream: StreamName): Reporter {
  return (name, report) => {
    const listener = observer?.[name] as ((report: unknown) => unknown) | undefined
    if (listener !== undefined) notify(() => listener.call(observer, { stream, ...report }))
  }
}
