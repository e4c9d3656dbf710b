/** Reports what a module stream missed, and what it resumed, for the event types concerned. */
import { type CompleteUntil, earlier, type StoredCompleteness } from '../completeness/completeness.ts'
import type { CompletenessTracker } from '../completeness/completeness-tracker.ts'
import type { NoticeBounds, StreamNotice } from '../items/notices.ts'
import type { CursorStart } from './cursor-store.ts'
import type { Live } from './frame-handler.ts'
import type { Notify } from './item-output.ts'
import type { PositionTracker } from './position-tracker.ts'

type Gap = Extract<StreamNotice, { readonly kind: 'gap' }>
type Cause = Gap['cause']

/** Where an event type began, until the first subscription. */
interface Beginning {
  readonly cause: Cause
  readonly complete: CompleteUntil
}

export class ModuleGaps {
  readonly #positions: PositionTracker
  readonly #completeness: CompletenessTracker
  readonly #notify: Notify
  readonly #beginnings = new Map<string, Beginning>()
  /** The positions that the last request sent. */
  #sent: ReadonlyMap<string, string> = new Map()
  #rejected: readonly string[] = []
  readonly #unhandled = new Set<StreamNotice>()

  constructor(positions: PositionTracker, completeness: CompletenessTracker, notify: Notify) {
    this.#positions = positions
    this.#completeness = completeness
    this.#notify = notify
  }

  /** The number of gap notices that were not handled yet. */
  get unhandled(): number {
    return this.#unhandled.size
  }

  /** Begins where each event type begins. @param now - The instant of the first `next()`. */
  begin(starts: ReadonlyMap<string, CursorStart>, now: StoredCompleteness): void {
    let first = now
    for (const [eventType, { complete = now, isStored }] of starts) {
      this.#beginnings.set(eventType, { cause: isStored ? 'restart' : 'before-subscription', complete })
      // The record of each event type moves on from the earliest of all, so no gap is forgotten before it was handled.
      if (earlier(complete, first) === complete) first = complete
    }
    this.#completeness.begin(first)
  }

  /** Returns the positions for the next request, by event type. */
  snapshotCursors(): ReadonlyMap<string, string> {
    this.#sent = this.#positions.snapshot()
    return this.#sent
  }

  onLive(live: Live): void {
    const without: string[] = []
    const resumed: string[] = []
    for (const eventType of this.#positions.types.keys()) {
      if (this.#sent.has(eventType)) resumed.push(eventType)
      else if (!this.#rejected.includes(eventType)) without.push(eventType)
    }
    const boundsSince = this.#completeness.onLive(live, resumed.length > 0)
    if (this.#beginnings.size > 0) this.#reportBeginnings(live, boundsSince, without)
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
    this.#beginnings.clear()
  }

  onCursorsRejected(): void {
    this.#rejected = [...this.#sent.keys()]
    this.#positions.reset()
  }

  /** A gap notice was handled. @returns Whether it was not before. */
  handled(gap: Gap): boolean {
    for (const eventType of gap.eventTypes ?? []) this.#positions.types.get(eventType)?.acks.unblockGap(gap)
    return this.#unhandled.delete(gap)
  }

  /** One notice for all event types with the same cause and the same bounds. */
  #reportBeginnings(
    live: Live,
    boundsSince: (since: CompleteUntil) => NoticeBounds,
    without: readonly string[],
  ): void {
    const gaps = new Map<
      string,
      { readonly cause: Cause; readonly eventTypes: string[]; readonly bounds: NoticeBounds }
    >()
    for (const [eventType, beginning] of this.#beginnings) {
      const isRejected = this.#rejected.includes(eventType)
      if (!isRejected && !without.includes(eventType)) continue
      const cause = isRejected ? 'cursor-rejected' : beginning.cause
      const bounds = boundsSince(beginning.complete)
      const key = JSON.stringify([cause, bounds])
      const gap = gaps.get(key) ?? { cause, eventTypes: [], bounds }
      gap.eventTypes.push(eventType)
      gaps.set(key, gap)
    }
    for (const { cause, eventTypes, bounds } of gaps.values()) this.#report(cause, eventTypes, live, bounds)
  }

  #report(cause: Cause, eventTypes: readonly string[], { hostMs }: Live, bounds: NoticeBounds): void {
    if (eventTypes.length === 0) return
    const gap = { type: 'notice', kind: 'gap', atMs: hostMs, ...bounds, eventTypes, cause } as const
    for (const eventType of eventTypes) this.#positions.types.get(eventType)?.acks.blockOnGap(gap)
    this.#unhandled.add(gap)
    this.#notify(gap)
  }
}
