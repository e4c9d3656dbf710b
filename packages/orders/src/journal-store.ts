/** Reads and writes the records of a journal by compare-and-set. */
import type { Clock, Store } from '@brokerwire/core'
import { limitStore } from '@brokerwire/core/internal'
import { type EntryEvent, entryTransition, type OrderEntry } from './entry.ts'
import { decodeEntry, decodeIndex, encodeEntry, encodeIndex, type IndexItem } from './entry-record.ts'
import { recordInvalid, storeFailed } from './orders-error.ts'

/** Time limit of one read or write. A write that exceeds it may still have taken effect. */
const STORE_OPERATION_LIMIT_MS = 10_000

/** After this many lost compare-and-set races in a row, the store is assumed to break its contract. */
const MAX_ATTEMPTS = 100

/** Returns the reads and writes of a store with the time limit and the errors of this package. */
export const limitStoreTime = (store: Store, clock: Clock): Pick<Store, 'get' | 'compareAndSet'> =>
  limitStore(store, clock, STORE_OPERATION_LIMIT_MS, storeFailed)

/** A stored entry. */
export interface StoredEntry {
  readonly text: string
  readonly entry: OrderEntry
}

/** An event that may be applied to an entry that was written since it was read. */
export type RepeatableEvent = Exclude<EntryEvent, { readonly type: 'sent' | 'not-sent' }>

/** The access to the records. */
export type JournalStore = ReturnType<typeof createJournalStore>

/**
 * Creates the access to the records of a journal.
 *
 * @param origin - Origin of the service. It is part of each key, so entries of two services are never mixed.
 */
export function createJournalStore(store: Store, clock: Clock, origin: string) {
  const keyOf = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join('/')
  const indexKey = keyOf('order-journal', origin)
  const entryKey = (accountId: string, clientOrderId: string): string =>
    keyOf('order-entry', origin, accountId, clientOrderId)

  const { get, compareAndSet } = limitStoreTime(store, clock)

  const read = async (key: string): Promise<StoredEntry | undefined> => {
    const text = await get(key)
    return text === undefined ? undefined : { text, entry: decodeEntry(text) }
  }

  return {
    entryKey,
    read,
    /**
     * Writes an entry if the stored text is `expected`.
     *
     * @returns The stored text; `undefined` if another text is stored.
     */
    async write(key: string, expected: string | undefined, entry: OrderEntry): Promise<string | undefined> {
      const text = encodeEntry(entry)
      return (await compareAndSet(key, expected, text)) ? text : undefined
    },
    /** Deletes an entry if the stored text is `expected`. */
    remove: (key: string, expected: string): Promise<boolean> => compareAndSet(key, expected, undefined),
    /**
     * Applies an event to the stored entry. Tries again if another process wrote the entry in between. The
     * events `sent` and `not-sent` are missing, because they are true only of the entry that was read: use
     * `write` for them.
     *
     * @param placement - The placement that the event belongs to. An entry of another placement is not
     * changed.
     * @returns The entry that is stored now.
     */
    async apply(key: string, placement: string, event: RepeatableEvent): Promise<OrderEntry> {
      for (let round = 0; round < MAX_ATTEMPTS; round += 1) {
        const stored = await read(key)
        if (stored === undefined) throw recordInvalid('entry', 'deleted')
        if (stored.entry.placement !== placement) return stored.entry
        const next = entryTransition(stored.entry, event)
        if (next === stored.entry || (await compareAndSet(key, stored.text, encodeEntry(next)))) return next
      }
      throw storeFailed('compareAndSet', new Error(), 'the entry changes again and again')
    },
    /** Returns the items of the index, oldest first. */
    index: async (): Promise<readonly IndexItem[]> => decodeIndex(await get(indexKey)),
    /**
     * Changes the index by compare-and-set.
     *
     * @param change - Called for each attempt; it may throw.
     */
    async updateIndex(change: (items: readonly IndexItem[]) => readonly IndexItem[]): Promise<void> {
      for (let round = 0; round < MAX_ATTEMPTS; round += 1) {
        const text = await get(indexKey)
        const items = decodeIndex(text)
        const next = change(items)
        if (next === items || (await compareAndSet(indexKey, text, encodeIndex(next)))) return
      }
      throw storeFailed('compareAndSet', new Error(), 'the index of the journal changes again and again')
    },
  }
}
