/**
 * Reads and writes the progress records of a stream in a store: one for each event type of a module stream, one for any other
 * stream.
 *
 * - Writes are coalesced: at most one for each record in a second, and one at the end.
 * - The first record and the first position are written at once. Until then a restarted process has nothing to continue from.
 * - A failed write is retried with exponential backoff. The stream continues meanwhile, because an old record
 *   only causes duplicates and wider gaps after a restart, and no loss.
 * - The stream ends with an error if another consumer writes the same record.
 */
import type { Clock, Store } from '@brokerwire/core'
import { getMigrated, withTimeout } from '@brokerwire/core/internal'
import type { StoredCompleteness } from '../completeness/completeness.ts'
import type { StreamsError } from '../streams-error.ts'
import {
  decodeRecord,
  encodeRecord,
  MAX_STORED_IDS,
  newestIds,
  type ProgressRecord,
  tryDecodeRecord,
} from './progress-record.ts'
import type { RecordKeys } from './record-keys.ts'
import { cursorConflict, storeFailed } from './store-errors.ts'

/** The store of a {@link ProgressStore}, and the functions that it calls. */
export interface ProgressStoreOptions {
  /** `undefined` if progress is not stored, but only kept until the stream ends. */
  readonly store: Store | undefined
  readonly clock: Clock
  /** Keys of the records. Required with `store`. */
  readonly keys: RecordKeys | undefined
  /** Where to begin: at the stored positions, now, or at these positions by event type. */
  readonly from: 'cursor' | 'now' | Readonly<Record<string, string>>
  /** Returns the instant up to which everything was handled, or `undefined` before the first subscription. */
  readonly handledUntil: () => StoredCompleteness | undefined
  /** Returns the ids to store, if they are not the ids of the commits. */
  readonly identities?: (() => readonly string[]) | undefined
  /**
   * Called when a write failed and will be retried. Not called for further failures until a write succeeds.
   */
  readonly onRetry: (name: string) => void
  /** Called if another consumer writes the same record. */
  readonly onConflict: (error: StreamsError) => void
}

/** The start of a subscription. */
export interface ProgressStart extends ProgressRecord {
  /** Whether the subscription continues from a stored record. */
  readonly isStored: boolean
}

/** Commits within this time are coalesced into one write. */
const INTERVAL_MS = 1000
const MAX_RETRY_MS = 30_000
/** Time limit of the writes at the end of a stream. */
export const CLOSE_TIMEOUT_MS = 5000
/**
 * The most values in {@link RecordState.possibleStoredValues}. It bounds the memory if writes keep failing without a definite
 * result: each value has up to {@link MAX_STORED_IDS} ids.
 */
const MAX_POSSIBLE_VALUES = 8

/** The committed progress of a record, and the values that the store may have. */
class RecordState implements ProgressRecord {
  /**
   * The values that the store may have, in order: the value that was read, then the values of writes without
   * a definite result, such as after a lost connection. Empty if the stored value is not known: the next
   * write reads it first.
   */
  possibleStoredValues: (string | undefined)[] = [undefined]
  position: string | undefined
  ids: readonly string[] = []
  complete: StoredCompleteness | undefined
  /**
   * Whether the record is also written when only `complete` advances. True until the record has a position.
   */
  followsCompleteness = false
  dirty = false
  readonly key: string
  readonly #store: ProgressStore
  #commits: string[] = []

  constructor(store: ProgressStore, key: string) {
    this.#store = store
    this.key = key
  }

  /** Continues from a stored record. */
  begin({ position, ids, complete }: ProgressRecord): void {
    this.position = position
    this.ids = ids
    this.#commits = [...ids]
    this.complete = complete
    this.followsCompleteness = position === undefined
  }

  /** Discards the position, so that the next write removes it from the store. */
  discardPosition(): void {
    this.position = undefined
    this.followsCompleteness = true
  }

  /** Commits an event. Ignored after `close()`. */
  commit(id: string, position: string): void {
    if (this.#store.closed) return
    if (id !== '') {
      this.#commits.push(id)
      // Trimming copies all ids, so it is done once for many commits.
      if (this.#commits.length >= 2 * MAX_STORED_IDS) this.#commits = newestIds(this.#commits)
      this.ids = this.#commits
    }
    // Without a position, the record is not written yet. The id is written with the next position.
    if (position === '') return
    const first = this.position === undefined
    this.position = position
    this.followsCompleteness = false
    if (this.dirty && !first) return
    this.dirty = true
    this.#store.scheduleFlush(first)
  }
}

/** The records of one stream. */
export class ProgressStore {
  readonly #options: ProgressStoreOptions
  readonly #states = new Map<string, RecordState>()
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> | undefined
  /** The write that the last `start()` waits for. `close()` waits for it too. */
  #initialWrite: Promise<boolean> | undefined
  #failures = 0
  /** Whether a first position waits for the write in progress. */
  #flushImmediately = false
  /** Whether more may have been handled since the last write. */
  #advanced = false
  #conflict: StreamsError | undefined
  /** Whether commits are ignored: after `close()`, and always without a store. */
  closed: boolean

  constructor(options: ProgressStoreOptions) {
    this.#options = options
    this.closed = options.store === undefined
  }

  /** Returns the state of a record, for commits. @param name - The event type, or the name of the trade stream. */
  recordFor(name: string): RecordState {
    const state = this.#states.get(name) ?? new RecordState(this, this.#options.keys?.keyFor(name) ?? '')
    this.#states.set(name, state)
    return state
  }

  /**
   * Reads a record. If there is none, writes one that has the time of the start.
   *
   * @param nowMs - Time of the first `next()` by this host's clock, in milliseconds since the Unix epoch.
   * @throws StreamsError `STREAM_STORE_FAILED`, `STREAM_CURSOR_INVALID`, `STREAM_CURSOR_CONFLICT`.
   */
  async start(name: string, nowMs: number, signal: AbortSignal): Promise<ProgressStart> {
    const { store, from } = this.#options
    const position = typeof from === 'object' ? from[name] : undefined
    const complete = { serviceMs: undefined, hostMs: nowMs, offsetMs: undefined }
    const beginning: ProgressStart = { position, ids: [], complete, isStored: false }
    if (store === undefined) return beginning
    // With a position or `'now'` the stored position is not used, so the stream also starts if the record cannot be read.
    const ignored = from === 'now' || position !== undefined
    const state = this.recordFor(name)
    state.complete = complete
    // With `'now'`, the stored position is replaced as soon as something was handled, even if no event is received.
    state.followsCompleteness = from === 'now'
    try {
      state.possibleStoredValues = [
        await getMigrated(store, state.key, this.#options.keys?.oldKeyFor?.(name)),
      ]
    } catch (cause) {
      if (!ignored) throw storeFailed('read', cause)
      // The stored value is unknown, so it is read before the first write.
      state.possibleStoredValues = []
      return beginning
    }
    // If the stream was closed meanwhile, its owner may have closed the store, so the store is not used.
    signal.throwIfAborted()
    const [found] = state.possibleStoredValues
    if (found === undefined) {
      // The record is written before the first request, so that a restart can report a gap from this start.
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
      const decoded = tryDecodeRecord(found)
      if (!decoded.ok) return beginning
      // The events since the stored instant are skipped, so the first gap begins at that instant.
      state.complete = decoded.record.complete ?? complete
      return { ...beginning, complete: state.complete, isStored: true }
    }
    const record = decodeRecord(name, found)
    state.begin({ ...record, complete: record.complete ?? complete })
    return { ...record, isStored: true }
  }

  /** Schedules a write, because more may have been handled. */
  advance(): void {
    if (this.#advanced || this.closed) return
    this.#advanced = true
    this.scheduleFlush(false)
  }

  /** Schedules a write. @param first - Whether a record has its first position, which is written at once. */
  scheduleFlush(first: boolean): void {
    // After a failed write, the backoff decides when to write again.
    if (first && this.#failures === 0) {
      this.#clearTimer()
      if (this.#writing === undefined) this.#flush()
      else this.#flushImmediately = true
    } else if (this.#writing === undefined) this.#schedule(INTERVAL_MS)
  }

  /**
   * Writes the progress that is not stored yet, within {@link CLOSE_TIMEOUT_MS}.
   *
   * @throws StreamsError `STREAM_STORE_FAILED`, `STREAM_CURSOR_CONFLICT`.
   */
  async close(): Promise<void> {
    const wasClosed = this.closed
    this.closed = true
    this.#clearTimer()
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
        isLate ? `no response within ${CLOSE_TIMEOUT_MS / 1000} s` : undefined,
      )
    }
  }

  /** Writes the changed records one after the other. Stops at the first failure. */
  async #writeAll(): Promise<void> {
    const { store, onRetry } = this.#options
    // The previous write may have found a conflict.
    if (this.#conflict !== undefined) throw this.#conflict
    this.#updateStates()
    for (const [name, state] of this.#states) {
      if (store === undefined || !state.dirty) continue
      state.dirty = false
      const wrote = await replace(store, state).catch((error: unknown) => {
        state.dirty = true
        if (this.#failures === 0 && !this.closed) onRetry(name)
        throw error
      })
      if (wrote) continue
      this.#conflict = cursorConflict(name)
      throw this.#conflict
    }
  }

  /** Updates the records with what was handled since the last write. */
  #updateStates(): void {
    const { handledUntil, identities } = this.#options
    const complete = handledUntil()
    for (const state of this.#states.values()) {
      if (complete !== undefined) state.complete = complete
      if (!state.followsCompleteness) continue
      if (identities !== undefined) state.ids = identities()
      if (this.#advanced && complete !== undefined) state.dirty = true
    }
    this.#advanced = false
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer ??= this.#options.clock.setTimer(() => {
      this.#cancelTimer = undefined
      this.#flush()
    }, delayMs)
  }

  #clearTimer(): void {
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
 * Writes a record with compare-and-set.
 *
 * @returns `false` if another consumer wrote the record. Throws the store's error.
 */
async function replace(store: Store, state: RecordState): Promise<boolean> {
  const { possibleStoredValues } = state
  if (possibleStoredValues.length === 0) possibleStoredValues.push(await store.get(state.key))
  const json = encodeRecord(state)
  if (possibleStoredValues.length === 1 && possibleStoredValues[0] === json) return true
  if (possibleStoredValues.length > 2)
    possibleStoredValues.splice(0, Math.max(0, possibleStoredValues.indexOf(await store.get(state.key))))
  // The values are tried in the order in which they were sent, because an earlier write may still arrive
  // between two tries. A later value must not be replaced by an earlier one.
  const expected = [...possibleStoredValues]
  if (possibleStoredValues.at(-1) !== json) possibleStoredValues.push(json)
  if (possibleStoredValues.length > MAX_POSSIBLE_VALUES) possibleStoredValues.splice(1, 1)
  let wrote = false
  for (const before of expected) wrote ||= await store.compareAndSet(state.key, before, json)
  wrote ||= (await store.get(state.key)) === json
  if (wrote) state.possibleStoredValues = [json]
  return wrote
}
