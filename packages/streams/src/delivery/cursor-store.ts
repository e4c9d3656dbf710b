/**
 * Cursors in the store: one record for each event type, with a format version.
 *
 * A record keeps the last committed ids beside the position, because it is not known whether the service replays
 * from a position including it or after it (facts, Streams).
 */
import { isRecord, type Store } from '@brokerwire/core'
import { StreamsError } from '../streams-error.ts'

/** Ids kept with a cursor. */
export const MAX_STORED_IDS = 64

/** A stored cursor. */
export interface CursorRecord {
  readonly position: string
  /** The last committed ids, oldest first. */
  readonly ids: readonly string[]
}

/** The cursor records of one consumer. */
export interface CursorStore {
  /** The text as stored, for {@link parseCursor} and the next compare-and-set. @throws StreamsError `STREAM_STORE_FAILED`. */
  read(eventType: string): Promise<string | undefined>
  /**
   * Replaces the stored text.
   *
   * @param expected - What may be stored now: what was read or written last, and what an earlier write of ours tried
   * to store without learning whether it did.
   * @returns Whether it wrote; `false` where somebody else did in between. Throws what the store throws.
   */
  replace(eventType: string, expected: readonly (string | undefined)[], text: string): Promise<boolean>
}

/** The text of a record, with its format version. */
export function cursorText(record: CursorRecord): string {
  return JSON.stringify({ v: 1, position: record.position, ids: record.ids })
}

/**
 * @param cursorKey - Names environment, region and app key.
 * @param consumer - Tells apart consumers of the same key.
 */
export function createCursorStore(store: Store, cursorKey: string, consumer: string): CursorStore {
  const keyOf = (eventType: string): string =>
    ['streams', 'cursor', cursorKey, consumer, eventType].map(encodeURIComponent).join('/')
  return {
    async read(eventType) {
      try {
        return await store.get(keyOf(eventType))
      } catch (cause) {
        throw new StreamsError('STREAM_STORE_FAILED', 'the store failed while the cursor was read', {
          details: { operation: 'read' },
          retryable: true,
          cause,
        })
      }
    },
    async replace(eventType, expected, text) {
      for (const candidate of expected) {
        if (await store.compareAndSet(keyOf(eventType), candidate, text)) return true
      }
      return (await store.get(keyOf(eventType))) === text
    },
  }
}

/** The record of a stored text. @throws StreamsError `STREAM_CURSOR_INVALID`. */
export function parseCursor(eventType: string, text: string): CursorRecord {
  const value = parseJson(text)
  if (!isRecord(value)) throw invalid(eventType, 'not a JSON object')
  if (value.v !== 1) throw invalid(eventType, 'an unknown format version')
  const { position, ids } = value
  if (typeof position !== 'string' || position === '') throw invalid(eventType, 'no position')
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
    throw invalid(eventType, 'no list of ids')
  return { position, ids }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function invalid(eventType: string, reason: string): StreamsError {
  return new StreamsError('STREAM_CURSOR_INVALID', `the stored cursor cannot be read: ${reason}`, {
    details: { eventType, reason },
  })
}
