/**
 * Writes cursors, coalesced: at most one write for each event type in 200 ms, and one at the end.
 *
 * A write that fails is tried again, ever more slowly: an unsaved cursor means repeats after a restart, not a loss,
 * so it is no reason to stop the stream. Another writer of the same cursor is one.
 */
import type { Clock } from '@brokerwire/core'
import { StreamsError } from '../streams-error.ts'
import type { Committable } from './ack-line.ts'
import { type CursorStore, cursorText, MAX_STORED_IDS } from './cursor-store.ts'

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
  /** What the store holds for an event type, known from a read, and the committed ids to keep. */
  adopt(eventType: string, text: string | undefined, ids: readonly string[]): void
  /** Takes a commit in. Ignored once closed. */
  commit(eventType: string, step: Committable): void
  /** Writes what is pending. @throws StreamsError `STREAM_STORE_FAILED`, `STREAM_CURSOR_CONFLICT`. */
  close(): Promise<void>
}

const MAX_RETRY_MS = 30_000

interface Slot {
  /** What the store holds, as far as is known. */
  text: string | undefined
  /** What was sent to the store last, whether or not it arrived. */
  attempted: string | undefined
  position: string
  ids: readonly string[]
  dirty: boolean
}

/** Makes a committer. */
export function createCommitter(options: CommitterOptions): Committer {
  const slots = new Map<string, Slot>()
  let cancelTimer: (() => void) | undefined
  let writing: Promise<void> | undefined
  let failures = 0
  let closed = false
  let conflict: StreamsError | undefined

  const slotOf = (eventType: string): Slot => {
    let slot = slots.get(eventType)
    if (slot === undefined) {
      slot = { text: undefined, attempted: undefined, position: '', ids: [], dirty: false }
      slots.set(eventType, slot)
    }
    return slot
  }
  const writeOne = async (eventType: string, slot: Slot): Promise<void> => {
    const text = cursorText(slot)
    const expected = slot.attempted === slot.text ? [slot.text] : [slot.text, slot.attempted]
    slot.dirty = false
    slot.attempted = text
    try {
      if (await options.store.replace(eventType, expected, text)) {
        slot.text = text
        return
      }
    } catch (error) {
      slot.dirty = true
      throw error
    }
    conflict = new StreamsError('STREAM_CURSOR_CONFLICT', 'another consumer writes the same cursor', {
      details: { eventType },
    })
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
    writing ??= writeAll().then(
      () => {
        writing = undefined
        failures = 0
        if ([...slots.values()].some((slot) => slot.dirty)) schedule(options.intervalMs)
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
    adopt(eventType, text, ids) {
      const slot = slotOf(eventType)
      slot.text = text
      slot.attempted = text
      slot.ids = ids
    },
    commit(eventType, step) {
      if (closed) return
      const slot = slotOf(eventType)
      slot.position = step.position
      slot.ids = [...slot.ids, ...step.ids].slice(-MAX_STORED_IDS)
      slot.dirty = true
      if (writing === undefined) schedule(options.intervalMs)
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
        throw new StreamsError('STREAM_STORE_FAILED', 'the store failed while a cursor was written', {
          details: { operation: 'write' },
          retryable: true,
          cause,
        })
      }
    },
  }
}
