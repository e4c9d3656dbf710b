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

/** Options of {@link createCommitter}. */
export interface CommitterOptions {
  readonly store: CursorStore
  readonly clock: Clock
  readonly intervalMs: number
  /** A write failed and will be tried again. Told once, until writes succeed again. */
  readonly onRetry: (eventType: string) => void
  /** Somebody else writes the same cursor. */
  readonly onConflict: (error: StreamsError) => void
}

/** Commits cursors. */
export interface Committer {
  /** What the store holds for an event type. @param record - What it means; `undefined`: to be written over. */
  adopt(eventType: string, text: string | undefined, record: CursorRecord | undefined): void
  /** Nobody knows what the store holds for an event type: it is read before the first write. */
  adoptUnread(eventType: string): void
  /** What passed before this instant was told and taken note of. Ignored where there is a position. */
  told(eventType: string, sinceMs: number): void
  /** @returns Takes the commits of an event type in, one event after the other. Ignored once closed. */
  commits(eventType: string): (id: string, position: string) => void
  /** Writes what is pending. @throws StreamsError `STREAM_STORE_FAILED`, `STREAM_CURSOR_CONFLICT`. */
  close(): Promise<void>
}

const MAX_RETRY_MS = 30_000

interface Slot {
  /** Whether `text` has to be read first. */
  unread: boolean
  /** What the store holds, as far as is known. */
  text: string | undefined
  /** What was sent to the store last, whether or not it arrived. */
  attempted: string | undefined
  position: string | undefined
  ids: string[]
  sinceMs: number | undefined
  dirty: boolean
}

/** Makes a committer. */
export function createCommitter(options: CommitterOptions): Committer {
  const slots = new Map<string, Slot>()
  let cancelTimer: (() => void) | undefined
  let writing: Promise<void> | undefined
  let failures = 0
  /** A first position waits for the write that is under way. */
  let urgent = false
  let closed = false
  let conflict: StreamsError | undefined

  const slotOf = (eventType: string): Slot => {
    let slot = slots.get(eventType)
    if (slot === undefined) {
      slot = {
        unread: false,
        text: undefined,
        attempted: undefined,
        position: undefined,
        ids: [],
        sinceMs: undefined,
        dirty: false,
      }
      slots.set(eventType, slot)
    }
    return slot
  }
  const writeOne = async (eventType: string, slot: Slot): Promise<void> => {
    slot.dirty = false
    try {
      if (slot.unread) {
        slot.text = await options.store.read(eventType)
        slot.attempted = slot.text
        slot.unread = false
      }
      const expected = slot.attempted === slot.text ? [slot.text] : [slot.text, slot.attempted]
      const text = cursorText(slot)
      slot.attempted = text
      if (await options.store.replace(eventType, expected, text)) {
        slot.text = text
        return
      }
    } catch (error) {
      slot.dirty = true
      throw error
    }
    conflict = cursorConflict(eventType)
    throw conflict
  }
  /** Writes every pending cursor, one after the other; the first failure stops the round. */
  const writeAll = async (): Promise<void> => {
    for (const [eventType, slot] of slots) {
      if (!slot.dirty) continue
      if (conflict !== undefined) throw conflict
      try {
        await writeOne(eventType, slot)
      } catch (error) {
        if (error !== conflict && failures === 0) options.onRetry(eventType)
        throw error
      }
    }
  }
  const schedule = (delayMs: number): void => {
    cancelTimer ??= options.clock.setTimer(() => {
      cancelTimer = undefined
      flush()
    }, delayMs)
  }
  const disarm = (): void => {
    cancelTimer?.()
    cancelTimer = undefined
  }
  const flush = (): void => {
    urgent = false
    writing ??= writeAll().then(
      () => {
        writing = undefined
        failures = 0
        if (![...slots.values()].some((slot) => slot.dirty) || closed) return
        if (urgent) flush()
        else schedule(options.intervalMs)
      },
      () => {
        writing = undefined
        failures += 1
        if (closed) return
        if (conflict === undefined) schedule(Math.min(MAX_RETRY_MS, options.intervalMs * 2 ** failures))
        else options.onConflict(conflict)
      },
    )
  }

  return {
    adopt(eventType, text, record) {
      const slot = slotOf(eventType)
      slot.text = text
      slot.attempted = text
      slot.position = record?.position
      slot.ids = [...(record?.ids ?? [])]
      slot.sinceMs = record?.sinceMs
    },
    told(eventType, sinceMs) {
      const slot = slotOf(eventType)
      if (closed || slot.sinceMs === undefined) return
      slot.sinceMs = sinceMs
      slot.dirty = true
      if (writing === undefined) schedule(options.intervalMs)
    },
    adoptUnread(eventType) {
      slotOf(eventType).unread = true
    },
    commits(eventType) {
      const slot = slotOf(eventType)
      return (id, position) => {
        if (closed) return
        if (id !== '') {
          slot.ids.push(id)
          // In groups: to move them all for each event would cost more than all the rest.
          if (slot.ids.length >= 2 * MAX_STORED_IDS) slot.ids = keptIds(slot.ids)
        }
        // An event without a position leaves the cursor unchanged; its id is written with the next one.
        if (position === '') return
        const first = slot.position === undefined
        slot.position = position
        slot.sinceMs = undefined
        if (slot.dirty && !first) return
        slot.dirty = true
        // Where writes fail, they keep to their waits.
        if (first && failures === 0) {
          disarm()
          if (writing === undefined) flush()
          else urgent = true
        } else if (writing === undefined) schedule(options.intervalMs)
      }
    },
    async close() {
      closed = true
      disarm()
      await writing
      disarm()
      try {
        await writeAll()
      } catch (cause) {
        if (cause === conflict) throw cause
        throw storeFailed('write', cause)
      }
    },
  }
}
