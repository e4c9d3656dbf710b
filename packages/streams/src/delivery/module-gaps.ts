/** The `gap` and `resumed` notices of a module stream. */
import { type CompleteUntil, earlier, type StoredCompleteness } from '../completeness/completeness.ts'
import type { CompletenessTracker } from '../completeness/completeness-tracker.ts'
import type { NoticeBounds, StreamNotice } from '../items/notices.ts'
import type { CursorTracker } from './cursor-tracker.ts'
import type { LiveEffect } from './frame-handler.ts'
import type { Notify } from './item-output.ts'
import type { ProgressStart, ProgressStore } from './progress-store.ts'

type Gap = Extract<StreamNotice, { readonly kind: 'gap' }>
type Cause = Gap['cause']

/** The start of an event type, needed until the first subscription. */
interface TypeStart {
  /** Cause of the gap before the first subscription. */
  readonly cause: Cause
  /** Start of that gap. */
  readonly complete: CompleteUntil
}

/** Decides which gaps a module stream reports when a subscription becomes live. */
export class ModuleGaps {
  readonly #cursors: CursorTracker
  readonly #completeness: CompletenessTracker
  readonly #records: Pick<ProgressStore, 'recordFor'>
  readonly #notify: Notify
  /** Starts by event type, until the first subscription. */
  readonly #starts = new Map<string, TypeStart>()
  /** The positions in the last request, by event type. */
  #sent: ReadonlyMap<string, string> = new Map()
  /** The event types whose positions the service rejected, until the next subscription. */
  #rejected: readonly string[] = []
  readonly #unhandled = new Set<StreamNotice>()

  constructor(
    cursors: CursorTracker,
    completeness: CompletenessTracker,
    records: Pick<ProgressStore, 'recordFor'>,
    notify: Notify,
  ) {
    this.#cursors = cursors
    this.#completeness = completeness
    this.#records = records
    this.#notify = notify
  }

  /** Number of gap notices that the consumer has not handled yet. */
  get unhandled(): number {
    return this.#unhandled.size
  }

  /** Sets the start of each event type. @param now - Time of the first `next()`. */
  begin(starts: ReadonlyMap<string, ProgressStart>, now: StoredCompleteness): void {
    let first = now
    for (const [eventType, { complete = now, isStored }] of starts) {
      this.#starts.set(eventType, { cause: isStored ? 'restart' : 'before-subscription', complete })
      // The records of all event types advance from the earliest start, so that no gap is lost before it is handled.
      if (earlier(complete, first) === complete) first = complete
    }
    this.#completeness.begin(first)
  }

  /** Returns the positions for the next request, by event type. */
  cursorsForRequest(): ReadonlyMap<string, string> {
    this.#sent = this.#cursors.snapshot()
    return this.#sent
  }

  /** Reports gaps and resumed event types of a subscription that became live. */
  onLive(live: LiveEffect): void {
    const without: string[] = []
    const resumed: string[] = []
    for (const eventType of this.#cursors.types.keys()) {
      if (this.#sent.has(eventType)) resumed.push(eventType)
      else if (!this.#rejected.includes(eventType)) without.push(eventType)
    }
    const boundsSince = this.#completeness.onLive(live, resumed.length > 0)
    if (this.#starts.size > 0) this.#reportStarts(live, boundsSince, without)
    else {
      if (live.cursorRejected) this.#report('cursor-rejected', this.#rejected, live, boundsSince())
      this.#report('no-cursor', without, live, boundsSince())
      if (resumed.length > 0)
        this.#notify({
          type: 'notice',
          kind: 'resumed',
          atMs: live.hostMs,
          ...boundsSince(),
          eventTypes: resumed,
        })
    }
    this.#rejected = []
    this.#starts.clear()
  }

  /** Discards the positions that the service rejected. */
  onCursorsRejected(): void {
    this.#rejected = [...this.#sent.keys()]
    this.#cursors.reset()
  }

  /** Called when a gap notice was handled. @returns `false` if the notice was handled before. */
  onHandled(gap: Gap): boolean {
    for (const eventType of gap.eventTypes ?? []) {
      const type = this.#cursors.types.get(eventType)
      // If an event was received after the rejection, its position replaces the rejected one.
      if (gap.cause === 'cursor-rejected' && type?.received === undefined)
        this.#records.recordFor(eventType).discardPosition()
      type?.acks.unblockGap(gap)
    }
    return this.#unhandled.delete(gap)
  }

  /** Reports the gaps before the first subscription: one notice for all event types with the same cause and bounds. */
  #reportStarts(
    live: LiveEffect,
    boundsSince: (since: CompleteUntil) => NoticeBounds,
    without: readonly string[],
  ): void {
    const gaps = new Map<
      string,
      { readonly cause: Cause; readonly eventTypes: string[]; readonly bounds: NoticeBounds }
    >()
    for (const [eventType, start] of this.#starts) {
      const isRejected = this.#rejected.includes(eventType)
      if (!isRejected && !without.includes(eventType)) continue
      const cause = isRejected ? 'cursor-rejected' : start.cause
      const bounds = boundsSince(start.complete)
      const key = JSON.stringify([cause, bounds])
      const gap = gaps.get(key) ?? { cause, eventTypes: [], bounds }
      gap.eventTypes.push(eventType)
      gaps.set(key, gap)
    }
    for (const { cause, eventTypes, bounds } of gaps.values()) this.#report(cause, eventTypes, live, bounds)
  }

  #report(cause: Cause, eventTypes: readonly string[], { hostMs }: LiveEffect, bounds: NoticeBounds): void {
    if (eventTypes.length === 0) return
    const gap = { type: 'notice', kind: 'gap', atMs: hostMs, ...bounds, eventTypes, cause } as const
    for (const eventType of eventTypes) this.#cursors.types.get(eventType)?.acks.blockOnGap(gap)
    this.#unhandled.add(gap)
    this.#notify(gap)
  }
}
