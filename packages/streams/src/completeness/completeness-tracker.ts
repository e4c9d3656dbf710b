/**
 * Follows until when everything of a stream was received, and until when it was handled as well.
 *
 * The first answers where a gap begins. The second is stored, for the next start. It advances with the items that the consumer
 * has handled, in their order, and with each frame while nothing is unhandled.
 */
import type { NoticeBounds, StreamNotice } from '../items/notices.ts'
import {
  advance,
  type CompleteUntil,
  gapBounds,
  measureOffset,
  type StoredCompleteness,
} from './completeness.ts'

export interface CompletenessTrackerOptions {
  /** Whether all that was received is handled. */
  readonly isIdle: () => boolean
  /** Reads the timestamp of an event, milliseconds since the Unix epoch. */
  readonly serviceMsOf: (event: { readonly timestamp: string }) => number | undefined
  /** Called if more than before may be handled. */
  readonly onAdvance: () => void
}

export class CompletenessTracker {
  readonly #options: CompletenessTrackerOptions
  /** Until when the service was heard. */
  #heard: CompleteUntil = { serviceMs: undefined, hostMs: 0 }
  #received: CompleteUntil = this.#heard
  /** The instant of a subscription that began at positions, until its events have reached it. */
  #replayUntilMs: number | undefined
  #handled: CompleteUntil = this.#received
  /** The timestamp of the last event handled. It is parsed when it is needed, not for each event. */
  #lastHandled: string | undefined
  /** Measured on this connection. */
  #offsetMs: number | undefined
  /** The last one that was measured on any connection, or stored. */
  #lastOffsetMs: number | undefined
  #wasLive = false

  constructor(options: CompletenessTrackerOptions) {
    this.#options = options
  }

  /** Whether the stream was subscribed before. */
  get wasLive(): boolean {
    return this.#wasLive
  }

  /** Until when the service was heard: everything sent before was received, except events that it still sends again. */
  get heard(): CompleteUntil {
    return this.#heard
  }

  /** Until when everything was handled; `undefined` before the first subscription, which ends the gap since the start. */
  get handled(): StoredCompleteness | undefined {
    if (!this.#wasLive) return undefined
    const { isIdle, serviceMsOf } = this.#options
    const timestamp = this.#lastHandled
    this.#lastHandled = undefined
    if (isIdle()) this.#handled = this.#received
    else if (timestamp !== undefined) {
      const serviceMs = serviceMsOf({ timestamp })
      if (serviceMs !== undefined) this.#advanceHandled(serviceMs)
    }
    const { serviceMs, hostMs } = this.#handled
    return { serviceMs, hostMs, offsetMs: this.#lastOffsetMs }
  }

  /** Begins at what is stored, or at the instant of the first `next()`. */
  begin({ serviceMs, hostMs, offsetMs }: StoredCompleteness): void {
    this.#heard = { serviceMs, hostMs }
    this.#received = this.#heard
    this.#handled = this.#received
    this.#lastOffsetMs = offsetMs
  }

  /**
   * The stream is subscribed, for the first time or again.
   *
   * @param frame - Timestamp and receipt of the frame that shows it, and whether that is an event. An event may be an old one.
   * @param isReplaying - Whether it began at positions: events of before are sent first, and pings may come between them.
   * @returns The bounds of what happened since a given instant; by default since everything was received.
   */
  onLive(
    { serviceMs, hostMs, implied }: CompleteUntil & { readonly implied: boolean },
    isReplaying = false,
  ): (since?: CompleteUntil) => NoticeBounds {
    const from = this.#received
    const measuredMs = measureOffset(undefined, { serviceMs, hostMs })
    this.#offsetMs = implied ? undefined : measuredMs
    this.#lastOffsetMs = this.#offsetMs ?? this.#lastOffsetMs ?? measuredMs
    const offsetMs = this.#lastOffsetMs
    const to = { serviceMs: implied ? laterOf(serviceMs, hostMs + (offsetMs ?? 0)) : serviceMs, hostMs }
    this.#heard = {
      serviceMs: to.serviceMs ?? (offsetMs === undefined ? undefined : hostMs + offsetMs),
      hostMs,
    }
    this.#replayUntilMs = isReplaying ? (this.#heard.serviceMs ?? Infinity) : undefined
    if (!isReplaying) this.#received = this.#heard
    this.#wasLive = true
    return (since = from) => gapBounds(since, to, offsetMs)
  }

  /**
   * Frames arrived on the live connection.
   *
   * @param frame - Timestamp of the last one, and the receipt of all.
   * @param isEvent - Whether the last one is an event.
   */
  onFrames(frame: CompleteUntil, isEvent: boolean): void {
    this.#offsetMs = measureOffset(this.#offsetMs, frame)
    this.#lastOffsetMs = this.#offsetMs ?? this.#lastOffsetMs
    this.#heard = advance(this.#heard, frame, this.#offsetMs)
    const { serviceMs } = frame
    const replayUntilMs = this.#replayUntilMs
    if (replayUntilMs !== undefined && isEvent && serviceMs !== undefined) {
      this.#received = advance(this.#received, frame, this.#offsetMs)
      if (serviceMs >= replayUntilMs) this.#replayUntilMs = undefined
    }
    if (this.#replayUntilMs === undefined) this.#received = this.#heard
    if (this.#options.isIdle()) this.#options.onAdvance()
  }

  /** An event was handled, in the order received. */
  onHandled(timestamp: string): void {
    this.#lastHandled = timestamp
    this.#options.onAdvance()
  }

  /** The notice of a gap was handled, in the order received. */
  onGapHandled({ toMs, hostToMs }: Extract<StreamNotice, { readonly kind: 'gap' }>): void {
    this.#lastHandled = undefined
    this.#handled = advance(this.#handled, { serviceMs: toMs, hostMs: hostToMs }, toMs - hostToMs)
    this.#options.onAdvance()
  }

  #advanceHandled(serviceMs: number): void {
    const hostMs = serviceMs - (this.#lastOffsetMs ?? 0)
    this.#handled = advance(this.#handled, { serviceMs, hostMs }, this.#lastOffsetMs)
  }
}

function laterOf(one: number | undefined, other: number): number {
  return Math.max(one ?? other, other)
}
