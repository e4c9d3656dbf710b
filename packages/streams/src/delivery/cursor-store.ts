/**
 * Writes the records of a stream to the store: one for each event type of a module stream, one for a trade stream.
 *
 * Writes are coalesced: at most one for each record in a second, and one at the end. The first record and the first position
 * are written at once: until then, a process that dies leaves nothing from which the next one could continue. A write that fails
 * is tried again, ever more slowly. It is no reason to stop the stream, because an old record means duplicates and wider gaps
 * after a restart, and no loss. Another writer of the same record is one.
 */
import type { Clock, Store } from '@brokerwire/core'
import { getMigrated, withTimeout } from '@brokerwire/core/internal'
import type { StoredCompleteness } from '../completeness/completeness.ts'
import { StreamsError } from '../streams-error.ts'
import type { CursorKeys } from './cursor-keys.ts'
import { type CursorRecord, cursorText, MAX_STORED_IDS, newestIds, parseCursor } from './cursor-record.ts'

export interface CursorStoreOptions {
  /** Without one, cursors live as long as the stream. */
  readonly store: Store | undefined
  readonly clock: Clock
  /** Required with `store`. */
  readonly keys: CursorKeys | undefined
  /** Where to begin: at what is stored, now, or at these positions by event type. */
  readonly from: 'cursor' | 'now' | Readonly<Record<string, string>>
  /** Until when everything was handled; `undefined` while only the stored record is known. */
  readonly complete: () => StoredCompleteness | undefined
  /** The identities to store, if they are not those of the commits. */
  readonly identities?: (() => readonly string[]) | undefined
  /** A write failed and will be tried again. Called once, until writes succeed again. */
  readonly onRetry: (name: string) => void
  /** Another consumer writes the same record. */
  readonly onConflict: (error: StreamsError) => void
}

/** Where a subscription begins. */
export interface CursorStart extends CursorRecord {
  /** Whether there was a record from which it continues. */
  readonly isStored: boolean
}

/** Time in which commits are gathered into one write. */
const INTERVAL_MS = 1000
const MAX_RETRY_MS = 30_000
/** How long the end of a stream waits for the store. */
export const CLOSE_TIMEOUT_MS = 5000
/** The greatest number of writes without an answer that are recognized, each with its ids. */
const MAX_UNANSWERED = 8

class CursorState implements CursorRecord {
  /** Texts that the store may have: the one that was found there, and those that were sent since and not answered, in order. */
  possibleStoredValues: (string | undefined)[] = [undefined]
  position: string | undefined
  ids: readonly string[] = []
  complete: StoredCompleteness | undefined
  /** Whether the record is written as more is handled: it is this stream's and has no position. */
  followsCompleteness = false
  dirty = false
  readonly key: string
  readonly #cursors: CursorStore
  #commits: string[] = []

  constructor(cursors: CursorStore, key: string) {
    this.#cursors = cursors
    this.key = key
  }

  begin({ position, ids, complete }: CursorRecord): void {
    this.position = position
    this.ids = ids
    this.#commits = [...ids]
    this.complete = complete
    this.followsCompleteness = position === undefined
  }

  /** Commits an event. Ignored once closed. */
  commit(id: string, position: string): void {
    if (this.#cursors.closed) return
    if (id !== '') {
      this.#commits.push(id)
      // Not with each id, because that would copy all of them.
      if (this.#commits.length >= 2 * MAX_STORED_IDS) this.#commits = newestIds(this.#commits)
      this.ids = this.#commits
    }
    // An event without a position leaves the cursor unchanged; its id is written with the next one.
    if (position === '') return
    const first = this.position === undefined
    this.position = position
    this.followsCompleteness = false
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
  /** The write for which the last start waits: a stream that is left meanwhile waits for it too. */
  #initialWrite: Promise<boolean> | undefined
  #failures = 0
  /** A first position waits for the write that is under way. */
  #flushImmediately = false
  /** More may be handled than was written. */
  #advanced = false
  #conflict: StreamsError | undefined
  /** Nothing is taken in any more; without a store nothing ever is. */
  closed: boolean

  constructor(options: CursorStoreOptions) {
    this.#options = options
    this.closed = options.store === undefined
  }

  /** The state of a record, which takes its commits. @param name - The event type, or the name of a trade stream. */
  cursorFor(name: string): CursorState {
    const state = this.#states.get(name) ?? new CursorState(this, this.#options.keys?.keyOf(name) ?? '')
    this.#states.set(name, state)
    return state
  }

  /**
   * Reads a record, and writes the first one if there is none.
   *
   * @param nowMs - The instant of the first `next()`, by this host's clock.
   * @throws StreamsError `STREAM_STORE_FAILED`, `STREAM_CURSOR_INVALID`, `STREAM_CURSOR_CONFLICT`.
   */
  async start(name: string, nowMs: number, signal: AbortSignal): Promise<CursorStart> {
    const { store, from } = this.#options
    const position = typeof from === 'object' ? from[name] : undefined
    const complete = { serviceMs: undefined, hostMs: nowMs, offsetMs: undefined }
    const beginning: CursorStart = { position, ids: [], complete, isStored: false }
    if (store === undefined) return beginning
    // A caller that names a position, or none, may want to see again what was committed, and needs no readable record.
    const ignored = from === 'now' || position !== undefined
    const state = this.cursorFor(name)
    state.complete = complete
    try {
      state.possibleStoredValues = [await getMigrated(store, state.key, this.#options.keys?.oldKeyOf?.(name))]
    } catch (cause) {
      if (!ignored) throw storeFailed('read', cause)
      // Read again before the first write.
      state.possibleStoredValues = []
      return beginning
    }
    // A consumer that has left may have given the store away.
    signal.throwIfAborted()
    const [found] = state.possibleStoredValues
    if (found === undefined) {
      // Before the first request: whatever happens from here on, the next start knows since when.
      state.followsCompleteness = position === undefined
      this.#initialWrite = replace(store, state)
      const wrote = await this.#initialWrite.catch((cause: unknown) => {
        throw storeFailed('write', cause)
      })
      if (!wrote) throw cursorConflict(name)
      return beginning
    }
    if (position !== undefined) return beginning
    if (from === 'now') {
      const skipped = readableRecord(name, found)
      if (skipped === undefined) return beginning
      // The events since then are left out on purpose, and lie in a gap.
      state.complete = skipped.complete ?? complete
      return { ...beginning, complete: state.complete, isStored: true }
    }
    const record = parseCursor(name, found)
    state.begin({ ...record, complete: record.complete ?? complete })
    return { ...record, isStored: true }
  }

  /** More may be handled than before. */
  advance(): void {
    if (this.#advanced || this.closed) return
    this.#advanced = true
    this.scheduleFlush(false)
  }

  /** Writes soon. @param first - There is a first position. */
  scheduleFlush(first: boolean): void {
    // If writes fail, they keep to their waits.
    if (first && this.#failures === 0) {
      this.#disarm()
      if (this.#writing === undefined) this.#flush()
      else this.#flushImmediately = true
    } else if (this.#writing === undefined) this.#schedule(INTERVAL_MS)
  }

  /**
   * Writes what is pending, within {@link CLOSE_TIMEOUT_MS}.
   *
   * @throws StreamsError `STREAM_STORE_FAILED`, `STREAM_CURSOR_CONFLICT`.
   */
  async close(): Promise<void> {
    const wasClosed = this.closed
    this.closed = true
    this.#disarm()
    if (wasClosed) return
    this.#advanced = true
    let isLate = false
    const write = async (): Promise<void> => {
      await this.#initialWrite?.catch(() => {})
      await this.#writing
      if (!isLate) await this.#writeAll()
    }
    const onTimeout = (): void => {
      isLate = true
    }
    try {
      await withTimeout(this.#options.clock, CLOSE_TIMEOUT_MS, undefined, write, onTimeout)
    } catch (cause) {
      if (cause === this.#conflict) throw cause
      throw storeFailed(
        'write',
        cause,
        isLate ? `did not answer within ${CLOSE_TIMEOUT_MS / 1000} s` : undefined,
      )
    }
  }

  /** Writes every pending cursor, one after the other; the first failure stops the round. */
  async #writeAll(): Promise<void> {
    const { store, onRetry } = this.#options
    // The write before this one may have found it.
    if (this.#conflict !== undefined) throw this.#conflict
    this.#takeProgress()
    for (const [name, state] of this.#states) {
      if (store === undefined || !state.dirty) continue
      state.dirty = false
      const wrote = await replace(store, state).catch((error: unknown) => {
        state.dirty = true
        if (this.#failures === 0) onRetry(name)
        throw error
      })
      if (wrote) continue
      this.#conflict = cursorConflict(name)
      throw this.#conflict
    }
  }

  /** Marks the records that have changed with what was handled. */
  #takeProgress(): void {
    const { complete, identities } = this.#options
    const completeUntil = complete()
    for (const state of this.#states.values()) {
      if (completeUntil !== undefined) state.complete = completeUntil
      if (!state.followsCompleteness) continue
      if (identities !== undefined) state.ids = identities()
      if (this.#advanced && completeUntil !== undefined) state.dirty = true
    }
    this.#advanced = false
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
        if (this.closed || (!this.#advanced && ![...this.#states.values()].some((state) => state.dirty)))
          return
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
 * @returns Whether it wrote; `false` if another writer did in between. Throws what the store throws.
 */
async function replace(store: Store, state: CursorState): Promise<boolean> {
  const { possibleStoredValues } = state
  if (possibleStoredValues.length === 0) possibleStoredValues.push(await store.get(state.key))
  const text = cursorText(state)
  if (possibleStoredValues.length === 1 && possibleStoredValues[0] === text) return true
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

function storeFailed(operation: 'read' | 'write', cause: unknown, failed = 'failed'): StreamsError {
  const what = operation === 'read' ? 'the cursor was read' : 'a cursor was written'
  const text = `the store ${failed} while ${what}`
  return new StreamsError('STREAM_STORE_FAILED', text, { details: { operation }, retryable: true, cause })
}

function cursorConflict(name: string): StreamsError {
  const text = 'another consumer writes the same cursor'
  return new StreamsError('STREAM_CURSOR_CONFLICT', text, { details: { eventType: name } })
}

/** The record of a stored text; `undefined` if it cannot be read. */
function readableRecord(name: string, text: string): CursorRecord | undefined {
  try {
    return parseCursor(name, text)
  } catch {
    return undefined
  }
}
