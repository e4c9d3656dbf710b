/** Adds entries to the index, and deletes closed entries. An open entry is never deleted. */
import type { Clock } from '@brokerwire/core'
import { durationText } from '@brokerwire/core/internal'
import { isOpen } from './entry.ts'
import type { IndexItem } from './entry-record.ts'
import type { JournalStore, StoredEntry } from './journal-store.ts'
import { isOrdersError, OrdersError } from './orders-error.ts'

/** Limits of a journal. */
interface RetentionLimits {
  readonly clock: Clock
  readonly retentionMs: number
  readonly minRetentionMs: number
  readonly maxEntries: number
}

const isSameOrder = (left: IndexItem, right: IndexItem): boolean =>
  left.accountId === right.accountId && left.clientOrderId === right.clientOrderId

/** Creates the retention of a journal. */
export function createRetention(
  entries: JournalStore,
  { clock, retentionMs, minRetentionMs, maxEntries }: RetentionLimits,
) {
  /**
   * Returns the entry of an item if it may be deleted. An open entry may not. An item without an entry is kept,
   * because its process may still write the entry.
   *
   * @param closedBeforeMs - Only an entry that was closed before this instant may be deleted.
   * @param isFull - Whether the entry of an order that was not sent may be deleted at any age, because its
   * identifier may be used again.
   */
  const readDeletable = async (
    key: string,
    closedBeforeMs: number,
    isFull: boolean,
  ): Promise<StoredEntry | undefined> => {
    try {
      const stored = await entries.read(key)
      if (stored === undefined || isOpen(stored.entry)) return undefined
      const { state, closedAtMs = 0 } = stored.entry
      return closedAtMs < closedBeforeMs || (isFull && state === 'not-sent') ? stored : undefined
    } catch (error) {
      if (isOrdersError(error, 'JOURNAL_RECORD_INVALID')) return undefined
      throw error
    }
  }

  /** Deletes the oldest closed entries, at most `count`. @returns The number of deleted entries. */
  const prune = async (closedBeforeMs: number, count: number, isFull: boolean): Promise<number> => {
    const removed = new Set<string>()
    const afterIndex: (() => Promise<unknown>)[] = []
    for (const { accountId, clientOrderId, preparedAtMs, placement } of await entries.index()) {
      // Items are in the order in which they were prepared, and an entry is closed after that. So no later
      // item was closed before the limit.
      if (removed.size >= count || (!isFull && preparedAtMs >= closedBeforeMs)) break
      const key = entries.entryKey(accountId, clientOrderId)
      const stored = await readDeletable(key, closedBeforeMs, isFull)
      if (stored === undefined) continue
      const remove = () => entries.remove(key, stored.text)
      // The item goes first, because an item without an entry is an order that was not sent. If the order was
      // not sent, the entry goes first, because a call with the same identifier may just write a new one.
      if (stored.entry.state !== 'not-sent') afterIndex.push(remove)
      else if (!(await remove())) continue
      removed.add(placement)
    }
    if (removed.size > 0)
      await entries.updateIndex((items) => items.filter(({ placement }) => !removed.has(placement)))
    for (const remove of afterIndex) await remove()
    return removed.size
  }

  return {
    /** Deletes the closed entries whose retention has ended. */
    pruneExpired: (): Promise<number> => prune(clock.now() - retentionMs, maxEntries, false),
    /**
     * Adds an item, and removes an earlier item of the same order. If the journal is full, its oldest closed
     * entries are deleted first, up to a tenth of `maxEntries`, except those of the last `minRetentionMs`.
     *
     * @throws OrdersError `JOURNAL_FULL`, `JOURNAL_STORE_FAILED`.
     */
    async add(item: IndexItem): Promise<void> {
      for (;;) {
        let isFull = false
        await entries.updateIndex((items) => {
          const others = items.filter((each) => !isSameOrder(each, item))
          isFull = others.length >= maxEntries
          return isFull ? items : [...others, item]
        })
        if (!isFull) return
        const closedBeforeMs = clock.now() - Math.min(minRetentionMs, retentionMs)
        if ((await prune(closedBeforeMs, Math.ceil(maxEntries / 10), true)) > 0) continue
        throw new OrdersError(
          'JOURNAL_FULL',
          `the journal has ${maxEntries} entries (maxEntries), and each of them is open or was closed less than ${durationText(minRetentionMs)} ago (minRetentionMs). Call recover(), or raise maxEntries`,
          { details: { maxEntries, minRetentionMs } },
        )
      }
    },
  }
}
