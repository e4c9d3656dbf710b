/**
 * Writes cursors, coalesced: at most one write for each event type in 200 ms, and one at the end.
 *
 * The first position of an event type is written at once: until it is there, a process that dies has none to go on
 * from.
 *
 * A write that fails is tried again, ever more slowly: an unsaved cursor means repeats after a restart, not a loss,
 * so it is no reason to stop the stream. Another writer of the same cursor is one.
 */
import type { Clock } from '@brokerwire/core'
import type { StreamsError } from '../streams-error.ts'
import {
  type CursorRecord,
  type CursorStore,
  cursorConflict,
  cursorText,
  keptIds,
  MAX_STORED_IDS,
  storeFailed,
} from './cursor-store.ts'

export interface CommitterOptions {
  readonly store: CursorStore
  readonly clock: Clock
  readonly intervalMs: number
  /** A write failed and will be tried again. Told once, until writes succeed again. */
  readonly onRetry: (eventType: string) => void
  /** Somebody else writes the same cursor. */
  readonly onConflict: (error: StreamsError) => void
}

const MAX_RETRY_MS = 30_000

class CursorSlot implements CursorRecord {
  unread = false
  /** What the store holds, as far as is known. */
  text: string | undefined
  /** What was sent to the store last, whether or not it arrived. */
  attempted: string | undefined
  position: string | undefined
  ids: string[] = []
  sinceMs: number | undefined
  dirty = false
  readonly #committer: Committer

  constructor(committer: Committer) {
    this.#committer = committer
  }

  /** Takes a commit in. Ignored once closed. */
  commit(id: string, position: string): void {
    if (this.#committer.closed) return
    if (id !== '') {
      this.ids.push(id)
      // In groups: to move them all for each event would cost more than all the rest.
      if (this.ids.length >= 2 * MAX_STORED_IDS) this.ids = keptIds(this.ids)
    }
    // An event without a position leaves the cursor unchanged; its id is written with the next one.
    if (position === '') return
    const first = this.position === undefined
    this.position = position
    this.sinceMs = undefined
    if (this.dirty && !first) return
    this.dirty = true
    this.#committer.writeSoon(first)
  }
}

export class Committer {
  readonly #options: CommitterOptions
  readonly #slots = new Map<string, CursorSlot>()
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> | undefined
  #failures = 0
  /** A first position waits for the write that is under way. */
  #urgent = false
  #conflict: StreamsError | undefined
  closed = false

  constructor(options: CommitterOptions) {
    this.#options = options
  }

  /** What takes the commits of an event type in, one event after the other. */
  slotOf(eventType: string): CursorSlot {
    const slot = this.#slots.get(eventType) ?? new CursorSlot(this)
    this.#slots.set(eventType, slot)
    return slot
  }

  /** What the store holds for an event type. @param record - What it means; `undefined`: to be written over. */
  adopt(eventType: string, text: string | undefined, record: CursorRecord | undefined): void {
    const slot = this.slotOf(eventType)
    slot.text = text
    slot.attempted = text
    slot.position = record?.position
    slot.ids = [...(record?.ids ?? [])]
    slot.sinceMs = record?.sinceMs
  }

  /** Nobody knows what the store holds for an event type: it is read before the first write. */
  adoptUnread(eventType: string): void {
    this.slotOf(eventType).unread = true
  }

  /** What passed before this instant was told and taken note of. Ignored where there is a position. */
  told(eventType: string, sinceMs: number): void {
    const slot = this.slotOf(eventType)
    if (this.closed || slot.sinceMs === undefined) return
    slot.sinceMs = sinceMs
    slot.dirty = true
    this.writeSoon(false)
  }

  /** A slot has something to write. @param first - Its first position. */
  writeSoon(first: boolean): void {
    // Where writes fail, they keep to their waits.
    if (first && this.#failures === 0) {
      this.#disarm()
      if (this.#writing === undefined) this.#flush()
      else this.#urgent = true
    } else if (this.#writing === undefined) this.#schedule(this.#options.intervalMs)
  }

  /** Writes what is pending. @throws StreamsError `STREAM_STORE_FAILED`, `STREAM_CURSOR_CONFLICT`. */
  async close(): Promise<void> {
    this.closed = true
    this.#disarm()
    await this.#writing
    this.#disarm()
    try {
      await this.#writeAll()
    } catch (cause) {
      if (cause === this.#conflict) throw cause
      throw storeFailed('write', cause)
    }
  }

  /** Writes every pending cursor, one after the other; the first failure stops the round. */
  async #writeAll(): Promise<void> {
    for (const [eventType, slot] of this.#slots) {
      if (!slot.dirty) continue
      if (this.#conflict !== undefined) throw this.#conflict
      try {
        await this.#write(eventType, slot)
      } catch (error) {
        if (error !== this.#conflict && this.#failures === 0) this.#options.onRetry(eventType)
        throw error
      }
    }
  }

  async #write(eventType: string, slot: CursorSlot): Promise<void> {
    const { store } = this.#options
    slot.dirty = false
    try {
      if (slot.unread) {
        slot.text = await store.read(eventType)
        slot.attempted = slot.text
        slot.unread = false
      }
      const expected = slot.attempted === slot.text ? [slot.text] : [slot.text, slot.attempted]
      const text = cursorText(slot)
      slot.attempted = text
      if (await store.replace(eventType, expected, text)) {
        slot.text = text
        return
      }
    } catch (error) {
      slot.dirty = true
      throw error
    }
    this.#conflict = cursorConflict(eventType)
    throw this.#conflict
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer ??= this.#options.clock.setTimer(() => {
      this.#cancelTimer = undefined
      this.#flush()
    }, delayMs)
  }

  #disarm(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  #flush(): void {
    const { intervalMs, onConflict } = this.#options
    this.#urgent = false
    this.#writing ??= this.#writeAll().then(
      () => {
        this.#writing = undefined
        this.#failures = 0
        if (this.closed || ![...this.#slots.values()].some((slot) => slot.dirty)) return
        if (this.#urgent) this.#flush()
        else this.#schedule(intervalMs)
      },
      () => {
        this.#writing = undefined
        this.#failures += 1
        if (this.closed) return
        if (this.#conflict === undefined)
          this.#schedule(Math.min(MAX_RETRY_MS, intervalMs * 2 ** this.#failures))
        else onConflict(this.#conflict)
      },
    )
  }
}
