/**
 * What an observer is told. Plain functions that cannot steer: what they throw is swallowed.
 */
import { tell } from '@brokerwire/core'
import type { StreamNotice } from './items/notices.ts'

/** Which stream reports. */
export type StreamName = 'trade' | 'position' | 'module'

/** An observer of streams. Every function is optional. */
export interface StreamObserver {
  /** An attempt begins. */
  onAttempt?(report: { readonly stream: StreamName; readonly attempt: number }): void
  /** The supervisor entered a phase: `opening`, `live`, `waiting`, `recovering`, `ended`. */
  onState?(report: { readonly stream: StreamName; readonly phase: string }): void
  /** An event was taken into the queue. `lagMs`: from the frame's timestamp, on this host's clock. */
  onEvent?(report: {
    readonly stream: StreamName
    readonly kind: string
    readonly lagMs: number | undefined
    readonly queueDepth: number
  }): void
  /** A repeat was dropped. */
  onRepeat?(report: { readonly stream: StreamName }): void
  /** An event of a business type outside the selection was dropped. */
  onFiltered?(report: { readonly stream: StreamName; readonly eventType: string }): void
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
    if (listener !== undefined) tell(() => listener.call(observer, { stream, ...report }))
  }
}
