/**
 * The records of keys in the store, as one relay writes them.
 *
 * A record that names a living relay keeps all others away from the key. So it is not to stand where that relay has not the
 * key, and a request without an answer may have been carried out all the same: what may stand wrongly is owed, and given back
 * at one of the next beats.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'
import { type KeyHolder, type KeyRecord, parseKeyRecord, serializeKeyRecord } from './key-record.ts'

export interface KeyRecordStoreOptions {
  readonly store: Store
  /** The key of a record in the store. */
  readonly getStoreKey: (key: string) => string
  readonly clock: Clock
  /** For writing a record. */
  readonly limitMs: number
  /** A record could not be written. */
  readonly onFailed: (error: unknown) => void
}

/** A record with its text, by which it is replaced. */
export interface FoundKeyRecord {
  readonly text: string | undefined
  readonly record: KeyRecord | undefined
}

/** A record that may say that this relay has a key, and is to say that it has not. */
interface PendingRelease {
  readonly holder: KeyHolder
  readonly lingering: number
  /** What a taking is to replace: as long as that stands there, the taking may still come about. */
  readonly before?: { readonly text: string | undefined }
}

/** What became of a record that was to be written. */
type WriteResult =
  | 'written'
  /** It is of another holder, or was given back. */
  | 'other-holder'
  /** It is to be looked at again. */
  | 'unknown'

/** Reads and writes them, and knows what is owed. */
export class KeyRecordStore {
  readonly #options: KeyRecordStoreOptions
  /** Of each key the latest. */
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
   * Takes a key whose record has still that text. Whatever the answer is, and if none comes, it is owed until it is given back
   * or {@link confirmClaim}d.
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

  /** The key was taken and runs: its record is right, and that of an earlier taking can no more come about. */
  confirmClaim(key: string): void {
    this.#pendingReleases.delete(key)
  }

  /** Says how many places linger beside those of the holder. @returns Whether it stands there. */
  async updateLingering(key: string, holder: KeyHolder, lingering: number): Promise<boolean> {
    return (await this.#write(key, 'held', { holder, lingering })) === 'written'
  }

  /** Says that the key may be another's. Where that fails, it is owed. */
  async release(key: string, holder: KeyHolder, lingering: number): Promise<void> {
    const release = { holder, lingering }
    this.#enqueueRelease(key, release)
    await this.#flushRelease(key, release)
  }

  /** Gives back what is owed of some keys. */
  flushReleases(isDue: (key: string) => boolean): void {
    for (const [key, release] of this.#pendingReleases) if (isDue(key)) void this.#flushRelease(key, release)
  }

  /** A later taking stands for the earlier ones: whichever of them the record is of, it is given back. */
  #enqueueRelease(key: string, release: PendingRelease): void {
    const other = this.#pendingReleases.get(key)
    if (other === undefined || other.holder.taking <= release.holder.taking)
      this.#pendingReleases.set(key, release)
  }

  async #flushRelease(key: string, release: PendingRelease): Promise<void> {
    const result = await this.#write(key, 'released', release)
    if (result !== 'unknown' && this.#pendingReleases.get(key) === release) this.#pendingReleases.delete(key)
  }

  /** Writes the record of a key as long as it is of that taking. */
  async #write(key: string, state: KeyRecord['state'], release: PendingRelease): Promise<WriteResult> {
    const { store, getStoreKey, clock, limitMs, onFailed } = this.#options
    const { holder, lingering, before } = release
    const write = async (signal: AbortSignalLike): Promise<WriteResult> => {
      while (!signal.aborted) {
        const { text, record } = await this.read(key)
        if (record?.state !== 'held' || !isSameHolder(holder, record.holder))
          return before !== undefined && before.text === text ? 'unknown' : 'other-holder'
        if (signal.aborted) break
        // Only this relay writes while it is so: what came between is its own.
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

/** Whether a record is of that taking, or of an earlier one, which is over since the later one began. */
function isSameHolder(holder: KeyHolder, written: KeyHolder): boolean {
  const { name, incarnation, taking } = written
  return name === holder.name && incarnation === holder.incarnation && taking <= holder.taking
}
