/**
 * The records of keys in the store, as one relay writes them.
 *
 * A record that names a living relay keeps all others away from the key. So it is not to stand where that relay has not the
 * key, and a request without an answer may have been carried out all the same: what may stand wrongly is owed, and given back
 * at one of the next beats.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'
import { type KeyHolder, type KeyRecord, keyRecordText, readKeyRecord } from './key-record.ts'

export interface RecordKeeperOptions {
  readonly store: Store
  /** The key of a record in the store. */
  readonly pathOf: (key: string) => string
  readonly clock: Clock
  /** For writing a record. */
  readonly limitMs: number
  /** A record could not be written. */
  readonly onFailed: (error: unknown) => void
}

/** A record with its text, by which it is replaced. */
export interface FoundRecord {
  readonly text: string | undefined
  readonly record: KeyRecord | undefined
}

/** A record that may say that this relay has a key, and is to say that it has not. */
interface Debt {
  readonly holder: KeyHolder
  readonly lingering: number
  /** What a taking is to replace: as long as that stands there, the taking may still come about. */
  readonly before?: { readonly text: string | undefined }
}

/** What became of a record that was to be written. */
type Outcome =
  | 'written'
  /** It is of another holder, or was given back. */
  | 'not-ours'
  /** It is to be looked at again. */
  | 'unknown'

/** Reads and writes them, and knows what is owed. */
export class RecordKeeper {
  readonly #options: RecordKeeperOptions
  /** Of each key the latest. */
  readonly #owed = new Map<string, Debt>()

  constructor(options: RecordKeeperOptions) {
    this.#options = options
  }

  async read(key: string): Promise<FoundRecord> {
    const { store, pathOf } = this.#options
    const path = pathOf(key)
    const text = await store.get(path)
    return { text, record: text === undefined ? undefined : readKeyRecord(path, text) }
  }

  /**
   * Takes a key whose record has still that text. Whatever the answer is, and if none comes, it is owed until it is given back
   * or {@link settle}d.
   */
  claim(key: string, text: string | undefined, holder: KeyHolder, lingering: number): Promise<boolean> {
    this.#owe(key, { holder, lingering, before: { text } })
    const { store, pathOf } = this.#options
    return store.compareAndSet(pathOf(key), text, keyRecordText({ holder, state: 'held', lingering }))
  }

  /** The key was taken and runs: its record is right, and that of an earlier taking can no more come about. */
  settle(key: string): void {
    this.#owed.delete(key)
  }

  /** Says how many places linger beside those of the holder. @returns Whether it stands there. */
  async keep(key: string, holder: KeyHolder, lingering: number): Promise<boolean> {
    return (await this.#write(key, 'held', { holder, lingering })) === 'written'
  }

  /** Says that the key may be another's. Where that fails, it is owed. */
  async giveBack(key: string, holder: KeyHolder, lingering: number): Promise<void> {
    const debt = { holder, lingering }
    this.#owe(key, debt)
    await this.#pay(key, debt)
  }

  /** Gives back what is owed of some keys. */
  payWhere(isDue: (key: string) => boolean): void {
    for (const [key, debt] of this.#owed) if (isDue(key)) void this.#pay(key, debt)
  }

  /** A later taking stands for the earlier ones: whichever of them the record is of, it is given back. */
  #owe(key: string, debt: Debt): void {
    const other = this.#owed.get(key)
    if (other === undefined || other.holder.taking <= debt.holder.taking) this.#owed.set(key, debt)
  }

  async #pay(key: string, debt: Debt): Promise<void> {
    const outcome = await this.#write(key, 'released', debt)
    if (outcome !== 'unknown' && this.#owed.get(key) === debt) this.#owed.delete(key)
  }

  /** Writes the record of a key as long as it is of that taking. */
  async #write(key: string, state: KeyRecord['state'], debt: Debt): Promise<Outcome> {
    const { store, pathOf, clock, limitMs, onFailed } = this.#options
    const { holder, lingering, before } = debt
    const write = async (signal: AbortSignalLike): Promise<Outcome> => {
      while (!signal.aborted) {
        const { text, record } = await this.read(key)
        if (record?.state !== 'held' || !isOf(holder, record.holder))
          return before !== undefined && before.text === text ? 'unknown' : 'not-ours'
        if (signal.aborted) break
        // Only this relay writes while it is so: what came between is its own.
        if (await store.compareAndSet(pathOf(key), text, keyRecordText({ holder, state, lingering })))
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
function isOf(holder: KeyHolder, written: KeyHolder): boolean {
  const { name, incarnation, taking } = written
  return name === holder.name && incarnation === holder.incarnation && taking <= holder.taking
}
