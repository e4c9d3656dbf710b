/**
 * Tracks the instants up to which a stream was received, complete and handled.
 *
 * - `receivedUntil`: everything that the service sent before this instant was received, except events that it
 *   is still replaying.
 * - `completeUntil`: everything before this instant was received, replayed events included. The next gap
 *   begins here.
 * - `handledUntil`: everything before this instant was also handled. It is stored for the next start. It
 *   advances with the handled items in their order, and with each frame while nothing is unhandled.
 */
import type { NoticeBounds, StreamNotice } from '../items/notices.ts'
import {
  advance,
  type CompleteUntil,
  gapBounds,
  measureOffset,
  type StoredCompleteness,
} from './completeness.ts'

/** Functions of the stream that a {@link CompletenessTracker} calls. */
export interface CompletenessTrackerOptions {
  /** Whether everything received is handled. */
  readonly isIdle: () => boolean
  /** Returns an event's timestamp in milliseconds since the Unix epoch. */
  readonly serverTimeMs: (event: { readonly timestamp: string }) => number | undefined
  /** Called when `handledUntil` may have advanced. */
  readonly onAdvance: () => void
}

/** Tracks the completeness of one stream. */
export class CompletenessTracker {
  readonly #options: CompletenessTrackerOptions
  #receivedUntil: CompleteUntil = { serviceMs: undefined, hostMs: 0 }
  #completeUntil: CompleteUntil = this.#receivedUntil
  /**
   * The time at which a subscription with positions began. `undefined` once the replay has reached it.
   */
  #replayUntilMs: number | undefined
  #handledUntil: CompleteUntil = this.#completeUntil
  /** Timestamp of the last handled event. It is parsed only when needed, not for each event. */
  #lastHandledTimestamp: string | undefined
  /** Clock offset measured on this connection. */
  #offsetMs: number | undefined
  /** The last clock offset that was measured on any connection, or stored. */
  #lastOffsetMs: number | undefined
  /** Clock offset of the last frame with a timestamp. Unlike the others it follows a clock that is set. */
  #currentOffsetMs: number | undefined
  #wasLive = false

  constructor(options: CompletenessTrackerOptions) {
    this.#options = options
  }

  /** Whether the stream was subscribed before. */
  get wasLive(): boolean {
    return this.#wasLive
  }

  /** The clock offset of the last frame, or else the last one that was measured or stored. */
  get currentOffsetMs(): number | undefined {
    return this.#currentOffsetMs ?? this.#lastOffsetMs
  }

  /** The instant before which everything was received, except events that the service is still replaying. */
  get receivedUntil(): CompleteUntil {
    return this.#receivedUntil
  }

  /**
   * Advances `handledUntil` with the last handled event, and returns it. Returns `undefined` before the first
   * subscription, because the gap since the start ends only then.
   */
  takeHandledUntil(): StoredCompleteness | undefined {
    if (!this.#wasLive) return undefined
    const { isIdle, serverTimeMs } = this.#options
    const timestamp = this.#lastHandledTimestamp
    this.#lastHandledTimestamp = undefined
    if (isIdle()) this.#handledUntil = this.#completeUntil
    else if (timestamp !== undefined) {
      const serviceMs = serverTimeMs({ timestamp })
      if (serviceMs !== undefined) this.#advanceHandledUntil(serviceMs)
    }
    const { serviceMs, hostMs } = this.#handledUntil
    return { serviceMs, hostMs, offsetMs: this.#lastOffsetMs }
  }

  /** Sets the start: the stored instant, or the time of the first `next()`. */
  begin({ serviceMs, hostMs, offsetMs }: StoredCompleteness): void {
    this.#receivedUntil = { serviceMs, hostMs }
    this.#completeUntil = this.#receivedUntil
    this.#handledUntil = this.#completeUntil
    this.#lastOffsetMs = offsetMs
  }

  /**
   * Called when the stream is subscribed, for the first time or again.
   *
   * @param frame - The frame that confirms the subscription. If `implied` is set, it is an event, which may
   * be old.
   * @param isReplaying - Whether the request had positions. If so, the service first sends older events,
   * possibly with pings between them.
   * @returns A function that returns the bounds of the gap since an instant, by default since `completeUntil`.
   */
  onLive(
    { serviceMs, hostMs, implied }: CompleteUntil & { readonly implied: boolean },
    isReplaying = false,
  ): (since?: CompleteUntil) => NoticeBounds {
    const from = this.#completeUntil
    const measuredMs = measureOffset(undefined, { serviceMs, hostMs })
    this.#offsetMs = implied ? undefined : measuredMs
    this.#currentOffsetMs = this.#offsetMs ?? this.#currentOffsetMs
    this.#lastOffsetMs = this.#offsetMs ?? this.#lastOffsetMs ?? measuredMs
    const offsetMs = this.#lastOffsetMs
    const to = { serviceMs: implied ? latest(serviceMs, hostMs + (offsetMs ?? 0)) : serviceMs, hostMs }
    this.#receivedUntil = {
      serviceMs: to.serviceMs ?? (offsetMs === undefined ? undefined : hostMs + offsetMs),
      hostMs,
    }
    this.#replayUntilMs = isReplaying ? (this.#receivedUntil.serviceMs ?? Infinity) : undefined
    if (!isReplaying) this.#completeUntil = this.#receivedUntil
    this.#wasLive = true
    return (since = from) => gapBounds(since, to, offsetMs)
  }

  /**
   * Called with frames of a live subscription that were received together.
   *
   * @param frame - Timestamp of the last frame, and the time of receipt.
   * @param isEvent - Whether the last frame is an event.
   */
  onFrames(frame: CompleteUntil, isEvent: boolean): void {
    this.#offsetMs = measureOffset(this.#offsetMs, frame)
    this.#currentOffsetMs = measureOffset(undefined, frame) ?? this.#currentOffsetMs
    this.#lastOffsetMs = this.#offsetMs ?? this.#lastOffsetMs
    this.#receivedUntil = advance(this.#receivedUntil, frame, this.#offsetMs)
    const { serviceMs } = frame
    const replayUntilMs = this.#replayUntilMs
    if (replayUntilMs !== undefined && isEvent && serviceMs !== undefined) {
      this.#completeUntil = advance(this.#completeUntil, frame, this.#offsetMs)
      if (serviceMs >= replayUntilMs) this.#replayUntilMs = undefined
    }
    if (this.#replayUntilMs === undefined) this.#completeUntil = this.#receivedUntil
    if (this.#options.isIdle()) this.#options.onAdvance()
  }

  /** Called with each handled event, in the order received. */
  onHandled(timestamp: string): void {
    this.#lastHandledTimestamp = timestamp
    this.#options.onAdvance()
  }

  /** Called with each handled gap notice, in the order received. */
  onGapHandled({ toMs, hostToMs }: Extract<StreamNotice, { readonly kind: 'gap' }>): void {
    this.#lastHandledTimestamp = undefined
    this.#handledUntil = advance(this.#handledUntil, { serviceMs: toMs, hostMs: hostToMs }, toMs - hostToMs)
    this.#options.onAdvance()
  }

  #advanceHandledUntil(serviceMs: number): void {
    const hostMs = serviceMs - (this.#lastOffsetMs ?? 0)
    this.#handledUntil = advance(this.#handledUntil, { serviceMs, hostMs }, this.#lastOffsetMs)
  }
}

function latest(one: number | undefined, other: number): number {
  return Math.max(one ?? other, other)
}
