/** Reports what a module stream missed, and what it resumed, for the event types concerned. */
import type { StreamNotice } from '../items/notices.ts'
import type { CursorStore } from './cursor-store.ts'
import type { Reconnected } from './frame-handler.ts'
import type { Notify } from './item-output.ts'
import type { PositionTracker } from './position-tracker.ts'

type Gap = Extract<StreamNotice, { readonly kind: 'gap' }>

export class ModuleGaps {
  readonly #positions: PositionTracker
  readonly #cursors: CursorStore
  readonly #notify: Notify
  /** Event types by the instant since when they may have missed something, until that is reported. */
  readonly #missedSince = new Map<number, string[]>()
  /** The positions that the last request sent. */
  #sent: ReadonlyMap<string, string> = new Map()
  #rejected: readonly string[] = []

  constructor(positions: PositionTracker, cursors: CursorStore, notify: Notify) {
    this.#positions = positions
    this.#cursors = cursors
    this.#notify = notify
  }

  /** An event type without a position may have missed something since an instant. */
  missedSince(sinceMs: number, eventType: string): void {
    this.#missedSince.set(sinceMs, [...(this.#missedSince.get(sinceMs) ?? []), eventType])
  }

  /** Returns the positions for the next request, by event type. */
  snapshotCursors(): ReadonlyMap<string, string> {
    this.#sent = this.#positions.snapshot()
    return this.#sent
  }

  onSubscribed(atMs: number): void {
    for (const [fromMs, eventTypes] of this.#missedSince) this.#report('no-cursor', eventTypes, fromMs, atMs)
    this.#missedSince.clear()
  }

  onReconnected({ fromMs, toMs, cursorRejected }: Reconnected): void {
    const eventTypes = [...this.#positions.types.keys()]
    const resumed = eventTypes.filter((eventType) => this.#sent.has(eventType))
    const without = eventTypes.filter((type) => !this.#sent.has(type) && !this.#rejected.includes(type))
    if (cursorRejected) this.#report('cursor-rejected', this.#rejected, fromMs, toMs)
    this.#rejected = []
    if (fromMs !== undefined) this.#report('no-cursor', without, fromMs, toMs)
    if (resumed.length > 0)
      this.#notify({ type: 'notice', kind: 'resumed', atMs: toMs, fromMs, toMs, eventTypes: resumed })
  }

  onCursorsRejected(): void {
    this.#rejected = [...this.#sent.keys()]
    this.#positions.reset()
  }

  /** A gap notice was handled. */
  handled(gap: Gap): void {
    for (const eventType of gap.eventTypes ?? []) {
      const acks = this.#positions.types.get(eventType)?.acks
      acks?.unblockGap(gap)
      // If the process ends now, events that were received and wait for `ack()` are missing too.
      if (gap.cause === 'no-cursor' && acks?.size === 0) this.#cursors.advanceGapStart(eventType, gap.toMs)
    }
  }

  #report(cause: Gap['cause'], eventTypes: readonly string[], fromMs: Gap['fromMs'], toMs: number): void {
    if (eventTypes.length === 0) return
    const gap = { type: 'notice', kind: 'gap', atMs: toMs, fromMs, toMs, eventTypes, cause } as const
    for (const eventType of eventTypes) this.#positions.types.get(eventType)?.acks.blockOnGap(gap)
    this.#notify(gap)
  }
}
