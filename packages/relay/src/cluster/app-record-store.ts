/**
 * Reads and writes the records of apps in the store, for one relay.
 *
 * A record that names a live relay keeps the other relays from acquiring the app. A write without a response may have succeeded. So
 * a record that may name this relay by mistake is a pending release, which each heartbeat retries.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'
import { type AppHolder, type AppRecord, parseAppRecord, serializeAppRecord } from './app-record.ts'

export interface AppRecordStoreOptions {
  readonly store: Store
  /** Returns the store key of a record. */
  readonly getStoreKey: (app: string) => string
  readonly clock: Clock
  /** Time limit of a write, milliseconds. */
  readonly limitMs: number
  /** A record could not be written. */
  readonly onFailed: (error: unknown) => void
}

/** A record, and its text for compare-and-set. */
export interface FoundAppRecord {
  readonly text: string | undefined
  readonly record: AppRecord | undefined
}

/** A record that may name this relay as the holder, and must not. */
interface PendingRelease {
  readonly holder: AppHolder
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

export class AppRecordStore {
  readonly #options: AppRecordStoreOptions
  /** The latest pending release of each app. */
  readonly #pendingReleases = new Map<string, PendingRelease>()

  constructor(options: AppRecordStoreOptions) {
    this.#options = options
  }

  async read(app: string): Promise<FoundAppRecord> {
    const { store, getStoreKey } = this.#options
    const storeKey = getStoreKey(app)
    const text = await store.get(storeKey)
    return { text, record: text === undefined ? undefined : parseAppRecord(storeKey, text) }
  }

  /**
   * Claims an app if its record still has that text. The claim is a pending release until {@link release} or {@link confirmClaim},
   * whatever the response is.
   */
  claim(app: string, text: string | undefined, holder: AppHolder, lingering: number): Promise<boolean> {
    this.#enqueueRelease(app, { holder, lingering, before: { text } })
    const { store, getStoreKey } = this.#options
    return store.compareAndSet(
      getStoreKey(app),
      text,
      serializeAppRecord({ holder, state: 'held', lingering }),
    )
  }

  /** The app runs: its record is right, and a claim before it can no longer be written. */
  confirmClaim(app: string): void {
    this.#pendingReleases.delete(app)
  }

  /** Writes the number of lingering connections. @returns Whether the store has it. */
  async updateLingering(app: string, holder: AppHolder, lingering: number): Promise<boolean> {
    return (await this.#write(app, 'held', { holder, lingering })) === 'written'
  }

  /** Releases an app. If the write fails, it becomes a pending release. */
  async release(app: string, holder: AppHolder, lingering: number): Promise<void> {
    const release = { holder, lingering }
    this.#enqueueRelease(app, release)
    await this.#flushRelease(app, release)
  }

  /** Retries the pending releases of some apps. */
  flushReleases(isDue: (app: string) => boolean): void {
    for (const [app, release] of this.#pendingReleases) if (isDue(app)) void this.#flushRelease(app, release)
  }

  /** The release of a later claim also covers the earlier claims of an app. */
  #enqueueRelease(app: string, release: PendingRelease): void {
    const other = this.#pendingReleases.get(app)
    if (other === undefined || other.holder.acquisition <= release.holder.acquisition)
      this.#pendingReleases.set(app, release)
  }

  async #flushRelease(app: string, release: PendingRelease): Promise<void> {
    const result = await this.#write(app, 'released', release)
    if (result !== 'unknown' && this.#pendingReleases.get(app) === release) this.#pendingReleases.delete(app)
  }

  /** Writes the record of an app if the store's record is of that claim. */
  async #write(app: string, state: AppRecord['state'], release: PendingRelease): Promise<WriteResult> {
    const { store, getStoreKey, clock, limitMs, onFailed } = this.#options
    const { holder, lingering, before } = release
    const write = async (signal: AbortSignalLike): Promise<WriteResult> => {
      while (!signal.aborted) {
        const { text, record } = await this.read(app)
        if (record?.state !== 'held' || !isSameHolder(holder, record.holder))
          return before !== undefined && before.text === text ? 'unknown' : 'other-holder'
        if (signal.aborted) break
        // Only this relay writes such a record, so a write in between is its own: read again.
        if (
          await store.compareAndSet(getStoreKey(app), text, serializeAppRecord({ holder, state, lingering }))
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
function isSameHolder(holder: AppHolder, written: AppHolder): boolean {
  const { name, incarnation, acquisition } = written
  return name === holder.name && incarnation === holder.incarnation && acquisition <= holder.acquisition
}
