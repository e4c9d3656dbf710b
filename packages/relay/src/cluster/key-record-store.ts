/**
 * Reads and writes the records of keys in the store, for one relay.
 *
 * A record that names a live relay keeps the other relays from acquiring the key. A write without a response may have succeeded. So
 * a record that may name this relay by mistake is a pending release, which each beat retries.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'
import { type KeyHolder, type KeyRecord, parseKeyRecord, serializeKeyRecord } from './key-record.ts'

export interface KeyRecordStoreOptions {
  readonly store: Store
  /** Returns the store key of a record. */
  readonly getStoreKey: (key: string) => string
  readonly clock: Clock
  /** Time limit of a write, milliseconds. */
  readonly limitMs: number
  /** A record could not be written. */
  readonly onFailed: (error: unknown) => void
}

/** A record, and its text for compare-and-set. */
export interface FoundKeyRecord {
  readonly text: string | undefined
  readonly record: KeyRecord | undefined
}

/** A record that may name this relay as the holder, and must not. */
interface PendingRelease {
  readonly holder: KeyHolder
  readonly lingering: number
  /** The text that a claim replaces. While the store has it, the claim may still be written. */
  readonly before?: { readonly text: string | undefined }
}

/** The result of a write. */
type WriteResult =
  | 'written'
  /** The record has another holder, or was released. */
  | 'other-holder'
  /** The write must be retried. */
  | 'unknown'

export class KeyRecordStore {
  readonly #options: KeyRecordStoreOptions
  /** The latest pending release of each key. */
  readonly #pendingReleases = new Map<string, PendingRelease>()

  constructor(options: KeyRecordStoreOptions) {
    this.#options = options
  }

  async read(key: string): Promise<FoundKeyRecord> {
    const { store, getStoreKey } = this.#options
    const storeKey = getStoreKey(key)
    const text = await store.get(storeKey)
    return { text, record: text === undefined ? undefined : parseKeyRecord(storeKey, text) }
  }

  /**
   * Claims a key if its record still has that text. The claim is a pending release until {@link release} or {@link confirmClaim},
   * whatever the response is.
   */
  claim(key: string, text: string | undefined, holder: KeyHolder, lingering: number): Promise<boolean> {
    this.#enqueueRelease(key, { holder, lingering, before: { text } })
    const { store, getStoreKey } = this.#options
    return store.compareAndSet(
      getStoreKey(key),
      text,
      serializeKeyRecord({ holder, state: 'held', lingering }),
    )
  }

  /** The key runs: its record is right, and a claim before it can no longer be written. */
  confirmClaim(key: string): void {
    this.#pendingReleases.delete(key)
  }

  /** Writes the number of lingering connections. @returns Whether the store has it. */
  async updateLingering(key: string, holder: KeyHolder, lingering: number): Promise<boolean> {
    return (await this.#write(key, 'held', { holder, lingering })) === 'written'
  }

  /** Releases a key. If the write fails, it becomes a pending release. */
  async release(key: string, holder: KeyHolder, lingering: number): Promise<void> {
    const release = { holder, lingering }
    this.#enqueueRelease(key, release)
    await this.#flushRelease(key, release)
  }

  /** Retries the pending releases of some keys. */
  flushReleases(isDue: (key: string) => boolean): void {
    for (const [key, release] of this.#pendingReleases) if (isDue(key)) void this.#flushRelease(key, release)
  }

  /** The release of a later claim also covers the earlier claims of a key. */
  #enqueueRelease(key: string, release: PendingRelease): void {
    const other = this.#pendingReleases.get(key)
    if (other === undefined || other.holder.taking <= release.holder.taking)
      this.#pendingReleases.set(key, release)
  }

  async #flushRelease(key: string, release: PendingRelease): Promise<void> {
    const result = await this.#write(key, 'released', release)
    if (result !== 'unknown' && this.#pendingReleases.get(key) === release) this.#pendingReleases.delete(key)
  }

  /** Writes the record of a key if the store's record is of that claim. */
  async #write(key: string, state: KeyRecord['state'], release: PendingRelease): Promise<WriteResult> {
    const { store, getStoreKey, clock, limitMs, onFailed } = this.#options
    const { holder, lingering, before } = release
    const write = async (signal: AbortSignalLike): Promise<WriteResult> => {
      while (!signal.aborted) {
        const { text, record } = await this.read(key)
        if (record?.state !== 'held' || !isSameHolder(holder, record.holder))
          return before !== undefined && before.text === text ? 'unknown' : 'other-holder'
        if (signal.aborted) break
        // Only this relay writes such a record, so a write in between is its own: read again.
        if (
          await store.compareAndSet(getStoreKey(key), text, serializeKeyRecord({ holder, state, lingering }))
        )
          return 'written'
      }
      return 'unknown'
    }
    return await withTimeout(clock, limitMs, undefined, write, () => {}).catch((error: unknown) => {
      onFailed(error)
      return 'unknown'
    })
  }
}

/** Whether a record is of that claim, or of an earlier one of the same incarnation. */
function isSameHolder(holder: KeyHolder, written: KeyHolder): boolean {
  const { name, incarnation, taking } = written
  return name === holder.name && incarnation === holder.incarnation && taking <= holder.taking
}
