/**
 * Reads and writes the records of apps in the store, for one relay.
 *
 * A record that names a live relay keeps the other relays from acquiring the app. A write without a response
 * may have succeeded. So if a record may name this relay by mistake, its release is pending, and each
 * heartbeat retries it.
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
  /** Called when a record could not be written. */
  readonly onFailed: (error: unknown) => void
}

/** A record that was read, and its text for compare-and-set. */
export interface FoundAppRecord {
  readonly text: string | undefined
  readonly record: AppRecord | undefined
}

/** A record that may name this relay as the holder, and must not. */
interface PendingRelease {
  readonly holder: AppHolder
  readonly lingering: number
  /** The text that a claim replaces. While the store has this text, the claim may still be written. */
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
   * Claims an app if the text of its record is still `text`. Whatever the store responds, the claim is also a
   * pending release until {@link release} or {@link confirmClaim}.
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

  /**
   * Called when the app runs. Its record is right, and an earlier claim can no longer be written, so no
   * release is pending.
   */
  confirmClaim(app: string): void {
    this.#pendingReleases.delete(app)
  }

  /** Writes the number of lingering connections. @returns Whether the store has this number. */
  async updateLingering(app: string, holder: AppHolder, lingering: number): Promise<boolean> {
    return (await this.#write(app, 'held', { holder, lingering })) === 'written'
  }

  /** Releases an app. If the write fails, the release stays pending. */
  async release(app: string, holder: AppHolder, lingering: number): Promise<void> {
    // The claim of this holder may still be written.
    const pending = this.#pendingReleases.get(app)
    const before = pending?.holder.acquisition === holder.acquisition ? pending.before : undefined
    const release: PendingRelease =
      before === undefined ? { holder, lingering } : { holder, lingering, before }
    this.#enqueueRelease(app, release)
    await this.#flushRelease(app, release)
  }

  /** Retries the pending releases of the apps for which `isDue` returns `true`. */
  flushReleases(isDue: (app: string) => boolean): void {
    for (const [app, release] of this.#pendingReleases) if (isDue(app)) void this.#flushRelease(app, release)
  }

  /** Keeps the release of the latest claim of an app, because it also covers the earlier claims. */
  #enqueueRelease(app: string, release: PendingRelease): void {
    const other = this.#pendingReleases.get(app)
    if (other === undefined || other.holder.acquisition <= release.holder.acquisition)
      this.#pendingReleases.set(app, release)
  }

  async #flushRelease(app: string, release: PendingRelease): Promise<void> {
    const result = await this.#write(app, 'released', release)
    if (result !== 'unknown' && this.#pendingReleases.get(app) === release) this.#pendingReleases.delete(app)
  }

  /**
   * Writes the record of an app if the record in the store is of the same claim, or of an earlier one of the
   * same incarnation.
   */
  async #write(app: string, state: AppRecord['state'], release: PendingRelease): Promise<WriteResult> {
    const { store, getStoreKey, clock, limitMs, onFailed } = this.#options
    const { holder, lingering, before } = release
    const write = async (signal: AbortSignalLike): Promise<WriteResult> => {
      while (!signal.aborted) {
        const { text, record } = await this.read(app)
        if (record?.state !== 'held' || !isSameHolder(holder, record.holder))
          return before !== undefined && before.text === text ? 'unknown' : 'other-holder'
        if (signal.aborted) break
        // Only this relay writes a record of its claim. If it changed in between, this relay has written it:
        // read it again.
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

/** Whether a written holder is of the same claim, or of an earlier one of the same incarnation. */
function isSameHolder(holder: AppHolder, written: AppHolder): boolean {
  const { name, incarnation, acquisition } = written
  return name === holder.name && incarnation === holder.incarnation && acquisition <= holder.acquisition
}
