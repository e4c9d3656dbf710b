/**
 * Cursors in the store: one record for each event type, with a format version.
 *
 * A record keeps the last committed ids beside the position, because it is not known whether the service replays
 * from a position including it or after it (facts, Streams). Before the first commit there is no position, and a
 * record says since when: a stream that begins without a position can then tell what it may have missed.
 */
import { parseJsonObject, type Store } from '@brokerwire/core'
import { StreamsError } from '../streams-error.ts'

/** Ids kept with a cursor, at most. */
export const MAX_STORED_IDS = 64
/** Their UTF-16 units in all: a record must stay one that every store can read again. */
const MAX_STORED_UNITS = 16 * 1024

export interface CursorRecord {
  /** `undefined` before the first commit. */
  readonly position: string | undefined
  /** The last committed ids, oldest first. */
  readonly ids: readonly string[]
  /** Without a position: since when events may have passed. Milliseconds since the Unix epoch. */
  readonly sinceMs: number | undefined
}

export function cursorText({ position, sinceMs, ids }: CursorRecord): string {
  return JSON.stringify(position === undefined ? { v: 1, sinceMs } : { v: 1, position, ids: keptIds(ids) })
}

export function keptIds(ids: readonly string[]): string[] {
  let units = 0
  let first = ids.length
  while (first > 0 && ids.length - first < MAX_STORED_IDS) {
    units += (ids[first - 1] as string).length
    if (units > MAX_STORED_UNITS) break
    first -= 1
  }
  return ids.slice(first)
}

export class CursorStore {
  readonly #store: Store
  readonly #names: readonly string[]

  /** @param cursorKey - Names environment, region and app key. @param consumer - Tells apart consumers of the same key. */
  constructor(store: Store, cursorKey: string, consumer: string) {
    this.#store = store
    this.#names = ['streams', 'cursor', cursorKey, consumer]
  }

  #keyOf(eventType: string): string {
    return [...this.#names, eventType].map(encodeURIComponent).join('/')
  }

  /** The text as stored, for {@link parseCursor} and the next compare-and-set. @throws StreamsError `STREAM_STORE_FAILED`. */
  async read(eventType: string): Promise<string | undefined> {
    try {
      return await this.#store.get(this.#keyOf(eventType))
    } catch (cause) {
      throw storeFailed('read', cause)
    }
  }

  /** Writes the first record. @returns Its text. @throws StreamsError `STREAM_STORE_FAILED`, `STREAM_CURSOR_CONFLICT`. */
  async begin(eventType: string, record: CursorRecord): Promise<string> {
    const text = cursorText(record)
    const wrote = await this.replace(eventType, [undefined], text).catch((cause: unknown) => {
      throw storeFailed('write', cause)
    })
    if (!wrote) throw cursorConflict(eventType)
    return text
  }

  /**
   * Replaces the stored text.
   *
   * @param expected - What may be stored now: what was read or written last, and what an earlier write of ours tried
   * to store without learning whether it did.
   * @returns Whether it wrote; `false` where somebody else did in between. Throws what the store throws.
   */
  async replace(
    eventType: string,
    expected: readonly (string | undefined)[],
    text: string,
  ): Promise<boolean> {
    const key = this.#keyOf(eventType)
    for (const candidate of expected) {
      if (await this.#store.compareAndSet(key, candidate, text)) return true
    }
    return (await this.#store.get(key)) === text
  }
}

export function storeFailed(operation: 'read' | 'write', cause: unknown): StreamsError {
  const what = operation === 'read' ? 'the cursor was read' : 'a cursor was written'
  const text = `the store failed while ${what}`
  return new StreamsError('STREAM_STORE_FAILED', text, { details: { operation }, retryable: true, cause })
}

export function cursorConflict(eventType: string): StreamsError {
  const text = 'another consumer writes the same cursor'
  return new StreamsError('STREAM_CURSOR_CONFLICT', text, { details: { eventType } })
}

/** The record of a stored text. @throws StreamsError `STREAM_CURSOR_INVALID`. */
export function parseCursor(eventType: string, text: string): CursorRecord {
  const invalid = (reason: string): StreamsError =>
    new StreamsError('STREAM_CURSOR_INVALID', `the stored cursor cannot be read: ${reason}`, {
      details: { eventType, reason },
    })
  const value = parseJsonObject(text)
  if (value === undefined) throw invalid('not a JSON object')
  if (value.v !== 1) throw invalid('an unknown format version')
  const { position, ids, sinceMs } = value
  if (position === undefined && Number.isSafeInteger(sinceMs)) {
    return { position, ids: [], sinceMs: Number(sinceMs) }
  }
  if (typeof position !== 'string' || position === '') throw invalid('no position')
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) throw invalid('no list of ids')
  return { position, ids, sinceMs: undefined }
}
