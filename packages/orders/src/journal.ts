/** The journal of orders: places orders, and resolves the entries of processes that have ended. */
import {
  abortReason,
  closable,
  createAbortController,
  createLinkedController,
} from '@brokerwire/core/internal'
import { entryTransition, isOpen, type OrderEntry } from './entry.ts'
import { acquireEntryLease, type EntryLease } from './entry-lease.ts'
import type { IndexItem } from './entry-record.ts'
import { createJournalStore } from './journal-store.ts'
import { readEntryId, readJournalOptions, readPlaceOptions, readRecoverOptions } from './options.ts'
import { createOrderRequest } from './order-request.ts'
import { isOrdersError, journalClosed, optionFailure, withClientOrderId } from './orders-error.ts'
import { placeUnderLease, requireSameRequest, withUnknownState } from './place-order.ts'
import { type JournalCall, type JournalContext, resolveEntry } from './resolve-entry.ts'
import { createRetention } from './retention.ts'
import type { JournalCallOptions, OrderJournal, OrderJournalOptions, SkippedEntry } from './types.ts'

/**
 * `recover()` waits at least this long for the lease of an entry. Otherwise a slow store would look like a
 * process that works on the entry.
 */
const LEASE_TRY_MS = 1000

/** Maximum number of entries that are read or resolved at the same time. */
const CONCURRENCY = 4

/**
 * Creates a journal of orders.
 *
 * No order is sent without an entry in the store, and none is sent twice, unless you choose `resend: 'once'`.
 * docs/concepts/order-guarantees.md states this guarantee with all its assumptions.
 *
 * @throws OrdersError `JOURNAL_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import type { HttpClient } from '@brokerwire/http'
 * import { createOrderJournal } from '@brokerwire/orders'
 * import { createFileStore } from '@brokerwire/stores/file'
 *
 * declare const http: HttpClient
 *
 * const journal = createOrderJournal({ store: createFileStore({ directory: '.orders' }), http })
 * const { entries } = await journal.recover()
 * for (const entry of entries) console.log(entry.clientOrderId, entry.state)
 * ```
 */
export function createOrderJournal(options: OrderJournalOptions): OrderJournal {
  const settings = readJournalOptions(options)
  const { store, clock, http } = settings
  const entries = createJournalStore(store, clock, http.origin)
  const context: JournalContext = { settings, entries, retention: createRetention(entries, settings) }
  const closing = createAbortController()
  const running = new Set<Promise<unknown>>()

  const requireOpen = (): void => {
    if (closing.signal.aborted) throw journalClosed()
  }

  /** Runs a call. The caller's signal or `close()` aborts it. */
  const run = async <T>(
    { signal, accessToken }: JournalCallOptions,
    work: (call: JournalCall) => Promise<T>,
  ): Promise<T> => {
    requireOpen()
    const { controller, release } = createLinkedController(signal, closing.signal)
    const result = work({ signal: controller.signal, callerSignal: signal, accessToken })
    running.add(result)
    try {
      return await result
    } finally {
      running.delete(result)
      release()
    }
  }

  /** Returns the items of the journal's account, or of all accounts if it has no account, oldest first. */
  const items = async (): Promise<readonly IndexItem[]> => {
    const all = await entries.index()
    return all.filter(({ accountId }) => accountId === (settings.accountId ?? accountId))
  }

  const recoverItem = async (
    item: IndexItem,
    waitMs: number,
    call: JournalCall,
  ): Promise<OrderEntry | SkippedEntry | undefined> => {
    const { accountId, clientOrderId } = item
    const key = entries.entryKey(accountId, clientOrderId)
    try {
      const before = await entries.read(key)
      if (before !== undefined && !isOpen(before.entry)) return undefined
      const lease = await acquireEntryLease(store, key, clock, call.signal, waitMs + LEASE_TRY_MS)
      if (lease === undefined) return { accountId, clientOrderId, reason: 'in-use' }
      try {
        return await recoverUnderLease(key, item, waitMs, lease, call)
      } finally {
        await lease.release()
      }
    } catch (error) {
      if (call.signal.aborted || !isOrdersError(error)) throw error
      return { accountId, clientOrderId, reason: error.code }
    }
  }

  const recoverUnderLease = async (
    key: string,
    item: IndexItem,
    waitMs: number,
    lease: EntryLease,
    call: JournalCall,
  ): Promise<OrderEntry | SkippedEntry | undefined> => {
    const { accountId, clientOrderId, preparedAtMs, placement } = item
    const stored = await entries.read(key)
    if (stored !== undefined && stored.entry.state !== 'prepared')
      return isOpen(stored.entry)
        ? await resolveEntry(context, key, stored.entry, waitMs, call)
        : stored.entry
    // If another process deleted the entry after its retention, its item was deleted before.
    if (stored === undefined && !(await entries.index()).some((each) => each.placement === placement))
      return undefined
    const reason = { code: 'NEVER_SENT' }
    const event = { type: 'not-sent', atMs: clock.now(), reason } as const
    // Without an entry, the process ended after it wrote the item, and before it wrote the entry.
    const prepared: OrderEntry = stored?.entry ?? {
      accountId,
      clientOrderId,
      state: 'prepared',
      placement,
      preparedAtMs,
      path: '',
      body: '',
      looks: [],
    }
    const closed = entryTransition(prepared, event)
    if (lease.isLost()) return { accountId, clientOrderId, reason: 'in-use' }
    // If the process is only slow, its next write fails after this one, so it does not send the order. If its
    // write was faster, this one fails, and the order may have been sent.
    if ((await entries.write(key, stored?.text, closed)) !== undefined) return closed
    return await recoverUnderLease(key, item, waitMs, lease, call)
  }

  const close = async (): Promise<void> => {
    closing.abort(journalClosed())
    await Promise.allSettled(running)
  }

  return {
    async place(order, given) {
      const { resend = settings.resend, ...callOptions } = readPlaceOptions(given)
      requireOpen()
      const request = createOrderRequest(order, settings)
      const { clientOrderId } = request
      const placed = run(callOptions, async (call) => {
        const key = entries.entryKey(request.accountId, clientOrderId)
        const lease = await withUnknownState(request, async () => {
          // Checked before the wait for another process that may work on the entry.
          const before = await entries.read(key)
          if (before !== undefined) requireSameRequest(before.entry, request)
          return await acquireEntryLease(store, key, clock, call.signal)
        })
        if (lease === undefined) throw abortReason(call.signal)
        try {
          return await placeUnderLease(context, request, resend, lease, call)
        } finally {
          await lease.release()
        }
      })
      try {
        return await placed
      } catch (error) {
        throw withClientOrderId(error, clientOrderId)
      }
    },
    async recover(given) {
      const { waitMs, ...callOptions } = readRecoverOptions(given)
      return await run(callOptions, async (call) => {
        await context.retention.pruneExpired()
        const results = await mapConcurrently(await items(), (item) => recoverItem(item, waitMs, call))
        const found = results.filter((result) => result !== undefined)
        return {
          entries: found.filter(isEntry),
          skipped: found.filter(isSkipped),
        }
      })
    },
    async get(id) {
      const { accountId = settings.accountId, clientOrderId } = readEntryId(id)
      requireOpen()
      if (accountId === undefined)
        throw optionFailure(
          'accountId',
          'a non-empty string, because the journal has no account',
          'undefined',
        )
      return (await entries.read(entries.entryKey(accountId, clientOrderId)))?.entry
    },
    async list() {
      requireOpen()
      const read = await mapConcurrently(await items(), ({ accountId, clientOrderId }) =>
        entries.read(entries.entryKey(accountId, clientOrderId)),
      )
      return read.flatMap((stored) => stored?.entry ?? [])
    },
    ...closable(close),
  }
}

const isEntry = (result: OrderEntry | SkippedEntry): result is OrderEntry => 'state' in result
const isSkipped = (result: OrderEntry | SkippedEntry): result is SkippedEntry => !isEntry(result)

/** Calls `work` for several items at a time, and returns the results in the order of the items. */
async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next
      next += 1
      results[index] = await work(items[index] as T)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return results
}
