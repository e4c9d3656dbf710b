/** Places one order: writes its entry and sends it, or resolves the entry that it has already. */
import { randomHex, utf8Encode } from '@brokerwire/core/internal'
import { isOpen, type OrderEntry } from './entry.ts'
import type { EntryLease } from './entry-lease.ts'
import { encodeEntry } from './entry-record.ts'
import type { OrderRequest } from './order-request.ts'
import { afterSending, leaseLost, OrdersError } from './orders-error.ts'
import { type JournalCall, type JournalContext, resolveEntry } from './resolve-entry.ts'
import { sendPrepared } from './send-prepared.ts'

/** Maximum number of bytes that an entry can grow by later, when looks and a reason are added. */
const GROWTH_BYTES = 8192

/**
 * Places an order under the lease of its entry.
 *
 * @throws OrdersError; the client's error if nothing was sent; the signal's reason.
 */
export async function placeUnderLease(
  context: JournalContext,
  order: OrderRequest,
  resend: 'never' | 'once',
  lease: EntryLease,
  call: JournalCall,
): Promise<OrderEntry> {
  const { settings, entries, retention } = context
  const { accountId, clientOrderId, body, request } = order
  const key = entries.entryKey(accountId, clientOrderId)
  const stored = await withUnknownState(order, () => entries.read(key))
  if (stored !== undefined && stored.entry.state !== 'not-sent') {
    requireSameRequest(stored.entry, order)
    // If the entry is prepared, its process has ended and never sent the order, so it is prepared again
    // below.
    if (stored.entry.state !== 'prepared')
      return isOpen(stored.entry) ? await resolveKnown(context, key, stored.entry, call) : stored.entry
  }
  const entry: OrderEntry = {
    accountId,
    clientOrderId,
    state: 'prepared',
    path: request.path,
    body,
    placement: randomHex(8),
    preparedAtMs: settings.clock.now(),
    looks: [],
  }
  requireSize(entry, settings.maxEntryBytes)
  await retention.add(entry)
  const text = await entries.write(key, stored?.text, entry)
  if (text === undefined) throw leaseLost(order)
  return await sendPrepared(context, order, entry, text, resend, lease, call)
}

/** Looks for an order that an earlier call sent, until its outcome must be known. */
async function resolveKnown(
  context: JournalContext,
  key: string,
  open: OrderEntry,
  call: JournalCall,
): Promise<OrderEntry> {
  const { settleMs, timeoutMs } = context.settings
  const waitMs = open.lostAtMs === undefined ? settleMs + timeoutMs : settleMs
  try {
    return await resolveEntry(context, key, open, waitMs, call)
  } catch (error) {
    throw afterSending(error, undefined)
  }
}

/**
 * Runs a step of a call that does not know the state of its entry yet. If the caller chose the identifier, an
 * earlier call may have sent the order.
 */
export async function withUnknownState<T>({ isIdGiven }: OrderRequest, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw isIdGiven ? afterSending(error, undefined) : error
  }
}

/**
 * Checks that the entry has the same request as the order, or was not sent.
 *
 * @throws OrdersError `JOURNAL_ID_USED` if the entry has another request.
 */
export function requireSameRequest({ state, body }: OrderEntry, order: OrderRequest): void {
  if (state === 'not-sent' || body === order.body) return
  const { clientOrderId } = order
  const mayBeSent = state !== 'rejected'
  const advice = mayBeSent ? 'That order may exist; read it with get(). ' : ''
  throw new OrdersError(
    'JOURNAL_ID_USED',
    `the journal has another request with the id ${clientOrderId}, which is "${state}". ${advice}Use a new id only for another order`,
    { details: { clientOrderId, state, mayBeSent } },
  )
}

function requireSize(entry: OrderEntry, maxEntryBytes: number): void {
  const bytes = utf8Encode(encodeEntry(entry)).length + GROWTH_BYTES
  if (bytes <= maxEntryBytes) return
  throw new OrdersError(
    'JOURNAL_ENTRY_TOO_LARGE',
    `the entry of the order must have at most ${maxEntryBytes} bytes (maxEntryBytes); it would have ${bytes}`,
    { details: { bytes, maxEntryBytes } },
  )
}
