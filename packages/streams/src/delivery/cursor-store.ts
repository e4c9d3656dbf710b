/**
 * Cursors in the store: one record for each event type, with a format version.
 *
 * A record keeps the last committed ids beside the position, because it is not known whether the service replays
 * from a position including it or after it (facts, Streams). Before the first commit there is no position, and a
 * record says since when: a stream that begins without a position can then tell what it may have missed.
 *
 * Writes are coalesced: at most one for each event type in 200 ms, and one at the end. The first position of an event type
 * is written at once: until it is there, a process that dies has none to go on from. A write that fails is tried again,
 * ever more slowly: an unsaved cursor means repeats after a restart, not a loss, so it is no reason to stop the stream.
 * Another writer of the same cursor is one.
 */
import type { Clock, Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { parseJsonObject, recordKey } from '@brokerwire/core/internal'
import { StreamsError } from '../streams-error.ts'

export interface CursorStoreOptions {
  /** Without one, cursors live as long as the stream. */
  readonly store: Store | undefined
  readonly clock: Clock
  /** Service and app key of the cursors. Required with `store`. */
  readonly identity: ServiceIdentity | undefined
  /** Tells apart consumers of the same key. */
  readonly consumer: string
  /** Where to begin: at what is stored, now, or at these positions by event type. */
  readonly from: 'cursor' | 'now' | Readonly<Record<string, string>>
  /** A write failed and will be tried again. Told once, until writes succeed again. */
  readonly onRetry: (eventType: string) => void
  /** Somebody else writes the same cursor. */
  readonly onConflict: (error: StreamsError) => void
}

export interface CursorRecord {
  /** `undefined` before the first commit. */
  readonly position: string | undefined
  /** The last committed ids, oldest first. */
  readonly ids: readonly string[]
  /** Without a position: since when events may have passed. Milliseconds since the Unix epoch. */
  readonly sinceMs: number | undefined
}

/** Time in which commits are gathered into one write. */
const INTERVAL_MS = 200
const MAX_RETRY_MS = 30_000
/** Ids kept with a cursor, at most. */
const MAX_STORED_IDS = 64
/** Writes without an answer that are known again, each with its ids. */
const MAX_UNANSWERED = 8
/** Their UTF-16 units in all: a record must stay one that every store can read again. */
const MAX_STORED_UNITS = 16 * 1024

/** The key of a module stream's cursor. */
const cursorStoreKey = (identity: ServiceIdentity, consumer: string, eventType: string): string =>
  recordKey('cursor', identity, identity.moduleEventsUrl ?? '', consumer, eventType)

/** Its key in versions before origins were part of it. */
const oldCursorStoreKey = (
  { environment, region, appKey }: ServiceIdentity,
  consumer: string,
  eventType: string,
): string =>
  ['streams', 'cursor', `${environment}/${region}/${appKey}`, consumer, eventType]
    .map(encodeURIComponent)
    .join('/')

class CursorState implements CursorRecord {
  /** What the store may hold: what was found there, and what was sent since and not answered, in its order. */
  possibleStoredValues: (string | undefined)[] = [undefined]
  position: string | undefined
  ids: string[] = []
  sinceMs: number | undefined
  dirty = false
  readonly key: string
  readonly #cursors: CursorStore

  constructor(cursors: CursorStore, key: string) {
    this.#cursors = cursors
    this.key = key
  }

  /** Takes a commit in. Ignored once closed. */
  commit(id: string, position: string): void {
    if (this.#cursors.closed) return
    if (id !== '') {
      this.ids.push(id)
      // Not with each id, because that would copy all of them.
      if (this.ids.length >= 2 * MAX_STORED_IDS) this.ids = keptIds(this.ids)
    }
    // An event without a position leaves the cursor unchanged; its id is written with the next one.
    if (position === '') return
    const first = this.position === undefined
    this.position = position
    this.sinceMs = undefined
    if (this.dirty && !first) return
    this.dirty = true
    this.#cursors.scheduleFlush(first)
  }
}

export class CursorStore {
  readonly #options: CursorStoreOptions
  readonly #states = new Map<string, CursorState>()
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> | undefined
  /** The write that the last start waits for: who leaves meanwhile waits for it too. */
  #initialWrite: Promise<boolean> | undefined
  #failures = 0
  /** A first position waits for the write that is under way. */
  #flushImmediately = false
  #conflict: StreamsError | undefined
  /** Nothing is taken in any more; without a store nothing ever is. */
  closed: boolean

  constructor(options: CursorStoreOptions) {
    this.#options = options
    this.closed = options.store === undefined
  }

  /** What takes the commits of an event type in, one event after the other. */
  cursorFor(eventType: string): CursorState {
    const { identity, consumer } = this.#options
    const state =
      this.#states.get(eventType) ??
      new CursorState(this, identity ? cursorStoreKey(identity, consumer, eventType) : '')
    this.#states.set(eventType, state)
    return state
  }

  /**
   * Where an event type begins: without a position from now on.
   *
   * @throws StreamsError `STREAM_STORE_FAILED`, `STREAM_CURSOR_INVALID`, `STREAM_CURSOR_CONFLICT`.
   */
  async start(eventType: string, signal: AbortSignal): Promise<CursorRecord> {
    const { store, from, clock } = this.#options
    const position = typeof from === 'object' ? from[eventType] : undefined
    const beginning: CursorRecord = { position, ids: [], sinceMs: undefined }
    if (store === undefined) return beginning
    // Who names a position, or none, may want to see again what was committed, and needs no record that can be read.
    const ignored = from === 'now' || position !== undefined
    const state = this.cursorFor(eventType)
    try {
      state.possibleStoredValues = [await this.#read(store, state.key, eventType)]
    } catch (cause) {
      if (!ignored) throw storeFailed('read', cause)
      // Read again before the first write.
      state.possibleStoredValues = []
      return beginning
    }
    // Who has left may have given the store away.
    signal.throwIfAborted()
    const [found] = state.possibleStoredValues
    if (found === undefined) {
      // Before anything is asked for: whatever happens from here on, the next start knows since when.
      state.sinceMs = Math.trunc(clock.now())
      this.#initialWrite = replace(store, state)
      const wrote = await this.#initialWrite.catch((cause: unknown) => {
        throw storeFailed('write', cause)
      })
      if (!wrote) throw cursorConflict(eventType)
      return beginning
    }
    if (ignored) return beginning
    const record = parseCursor(eventType, found)
    Object.assign(state, { ...record, ids: [...record.ids] })
    return record
  }

  /** The stored text. One under the key of earlier versions, which had no origins, is moved once. */
  async #read(store: Store, key: string, eventType: string): Promise<string | undefined> {
    const { identity, consumer } = this.#options
    const text = await store.get(key)
    if (text !== undefined || !identity?.hasTableAddresses) return text
    const oldKey = oldCursorStoreKey(identity, consumer, eventType)
    const oldText = await store.get(oldKey)
    if (oldText === undefined) return undefined
    const isMoved = await store.compareAndSet(key, undefined, oldText)
    await store.compareAndSet(oldKey, oldText, undefined)
    return isMoved ? oldText : store.get(key)
  }

  /** What passed before this instant was told and taken note of. Ignored where there is a position. */
  advanceGapStart(eventType: string, sinceMs: number): void {
    const state = this.cursorFor(eventType)
    if (this.closed || state.sinceMs === undefined) return
    state.sinceMs = sinceMs
    state.dirty = true
    this.scheduleFlush(false)
  }

  /** A state has something to write. @param first - Its first position. */
  scheduleFlush(first: boolean): void {
    // Where writes fail, they keep to their waits.
    if (first && this.#failures === 0) {
      this.#disarm()
      if (this.#writing === undefined) this.#flush()
      else this.#flushImmediately = true
    } else if (this.#writing === undefined) this.#schedule(INTERVAL_MS)
  }

  /** Writes what is pending. @throws StreamsError `STREAM_STORE_FAILED`, `STREAM_CURSOR_CONFLICT`. */
  async close(): Promise<void> {
    this.closed = true
    this.#disarm()
    await this.#initialWrite?.catch(() => {})
    await this.#writing
    await this.#writeAll().catch((cause: unknown) => {
      throw cause === this.#conflict ? cause : storeFailed('write', cause)
    })
  }

  /** Writes every pending cursor, one after the other; the first failure stops the round. */
  async #writeAll(): Promise<void> {
    const { store, onRetry } = this.#options
    // The write before this one may have found it.
    if (this.#conflict !== undefined) throw this.#conflict
    for (const [eventType, state] of this.#states) {
      if (store === undefined || !state.dirty) continue
      state.dirty = false
      const wrote = await replace(store, state).catch((error: unknown) => {
        state.dirty = true
        if (this.#failures === 0) onRetry(eventType)
        throw error
      })
      if (wrote) continue
      this.#conflict = cursorConflict(eventType)
      throw this.#conflict
    }
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
    this.#flushImmediately = false
    this.#writing ??= this.#writeAll().then(
      () => {
        this.#writing = undefined
        this.#failures = 0
        if (this.closed || ![...this.#states.values()].some((state) => state.dirty)) return
        if (this.#flushImmediately) this.#flush()
        else this.#schedule(INTERVAL_MS)
      },
      () => {
        this.#writing = undefined
        this.#failures += 1
        if (this.closed) return
        if (this.#conflict === undefined)
          this.#schedule(Math.min(MAX_RETRY_MS, INTERVAL_MS * 2 ** this.#failures))
        else this.#options.onConflict(this.#conflict)
      },
    )
  }
}

/**
 * Replaces the stored text by that of the state.
 *
 * @returns Whether it wrote; `false` where somebody else did in between. Throws what the store throws.
 */
async function replace(store: Store, state: CursorState): Promise<boolean> {
  const { possibleStoredValues } = state
  if (possibleStoredValues.length === 0) possibleStoredValues.push(await store.get(state.key))
  const text = cursorText(state)
  if (possibleStoredValues.length > 2)
    possibleStoredValues.splice(0, Math.max(0, possibleStoredValues.indexOf(await store.get(state.key))))
  // In their order: what was sent earlier may arrive while it is asked for, and nothing goes back.
  const expected = [...possibleStoredValues]
  if (possibleStoredValues.at(-1) !== text) possibleStoredValues.push(text)
  if (possibleStoredValues.length > MAX_UNANSWERED) possibleStoredValues.splice(1, 1)
  let wrote = false
  for (const before of expected) wrote ||= await store.compareAndSet(state.key, before, text)
  wrote ||= (await store.get(state.key)) === text
  if (wrote) state.possibleStoredValues = [text]
  return wrote
}

export function cursorText({ position, sinceMs, ids }: CursorRecord): string {
  return JSON.stringify(position === undefined ? { v: 1, sinceMs } : { v: 1, position, ids: keptIds(ids) })
}

function keptIds(ids: readonly string[]): string[] {
  let units = 0
  let first = ids.length
  while (first > 0 && ids.length - first < MAX_STORED_IDS) {
    units += (ids[first - 1] as string).length
    if (units > MAX_STORED_UNITS) break
    first -= 1
  }
  return ids.slice(first)
}

function storeFailed(operation: 'read' | 'write', cause: unknown): StreamsError {
  const what = operation === 'read' ? 'the cursor was read' : 'a cursor was written'
  const text = `the store failed while ${what}`
  return new StreamsError('STREAM_STORE_FAILED', text, { details: { operation }, retryable: true, cause })
}

function cursorConflict(eventType: string): StreamsError {
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
