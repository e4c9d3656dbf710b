/**
 * Reports to an observer. Its functions cannot change the stream: errors that they throw are ignored.
 */
import { notify } from '@brokerwire/core/internal'
import type { StreamNotice } from './items/notices.ts'

/** A stream of the trade service. */
export type TradeStreamName = 'trade' | 'position' | 'account'

/** Which stream reports. */
export type StreamName = TradeStreamName | 'module'

/** What became of the frames that arrived together, control frames apart. */
export interface StreamBatchReport {
  readonly stream: StreamName
  /** Events taken into the queue. */
  readonly events: number
  /** Events that were discarded because they had been received before. */
  readonly duplicates: number
  /** Dropped, because their business type is outside the selection. */
  readonly filtered: number
  /** Messages that cannot be decoded, taken into the queue. */
  readonly undecodable: number
  /** Bytes of the events and undecodable messages, as the bounds of the queue count them. */
  readonly bytes: number
  /** Of the first event: from the frame's timestamp, on this host's clock. `undefined` where it has none. */
  readonly oldestLagMs: number | undefined
  /** Of the last event. */
  readonly newestLagMs: number | undefined
  /** Items that wait for the consumer now, notices among them. */
  readonly queueDepth: number
}

/** An observer of streams. Every function is optional. */
export interface StreamObserver {
  /** An attempt begins. */
  onAttempt?(report: { readonly stream: StreamName; readonly attempt: number }): void
  /** The supervisor entered a phase: `opening`, `live`, `waiting`, `recovering`, `ended`. */
  onState?(report: { readonly stream: StreamName; readonly phase: string }): void
  /**
   * Frames arrived on a live subscription, pings among them. Everything that the service sent to it before `receivedUntilMs` has been
   * received: by the latest timestamp of a frame, and never later than `atMs`, this host's clock. `serverTimeMs` is the
   * timestamp of the last frame.
   */
  onAlive?(report: {
    readonly stream: StreamName
    readonly atMs: number
    readonly receivedUntilMs: number
    readonly serverTimeMs: number | undefined
  }): void
  /** The frames of one read were queued. Called after a pending `next()` was resolved. */
  onBatch?(report: StreamBatchReport): void
  /** A notice, gaps among them, was put into the stream. */
  onNotice?(report: { readonly stream: StreamName; readonly notice: StreamNotice }): void
}

type Report<K extends keyof StreamObserver> = Omit<Parameters<NonNullable<StreamObserver[K]>>[0], 'stream'>

/** Reports to an observer on behalf of one stream. */
export type Reporter = <K extends keyof StreamObserver>(what: K, report: Report<K>) => void

/** Makes a reporter. Without an observer it does nothing. */
export function createReporter(observer: StreamObserver | undefined, stream: StreamName): Reporter {
  return (what, report) => {
    const listener = observer?.[what] as ((report: unknown) => unknown) | undefined
    if (listener !== undefined) notify(() => listener.call(observer, { stream, ...report }))
  }
}
