/** Places one order: writes its entry, sends it, and resolves its outcome. */
import type { AbortSignalLike, SecretInput } from '@brokerwire/core'
import { randomHex, sleep, throwIfAborted, utf8Encode } from '@brokerwire/core/internal'
import {
  type EntryEvent,
  entryTransition,
  isClockJump,
  isOpen,
  mayResend,
  type OrderEntry,
  RESEND_WINDOW_MS,
} from './entry.ts'
import type { EntryLease } from './entry-lease.ts'
import { encodeEntry } from './entry-record.ts'
import type { JournalStore } from './journal-store.ts'
import { lookForOrder } from './looks.ts'
import type { JournalSettings } from './options.ts'
import type { OrderRequest } from './order-request.ts'
import { afterSending, isOrdersError, leaseLost, OrdersError } from './orders-error.ts'
import { codeOf } from './outcome.ts'
import type { createRetention } from './retention.ts'
import { sendOrder } from './send-order.ts'

/** Ports and settings of the journal. */
export interface JournalContext {
  readonly settings: JournalSettings
  readonly entries: JournalStore
  readonly retention: ReturnType<typeof createRetention>
}

/** One call of the journal. */
export interface JournalCall {
  /** Aborts with the caller's signal, and when the journal is closed. */
  readonly signal: AbortSignalLike
  /**
   * The caller's signal. Only this signal aborts a request that is being sent; `close()` does not abort it.
   */
  readonly callerSignal: AbortSignalLike | undefined
  readonly accessToken: SecretInput | undefined
}

/** Maximum number of bytes that an entry can grow by later, when looks and a reason are added. */
const GROWTH_BYTES = 8192

const FIRST_LOOK_DELAY_MS = 500
const LONGEST_LOOK_DELAY_MS = 8000

/** How long to wait before each retry of writing an outcome. */
const RECORD_DELAYS_MS = [250, 1000]

/**
 * Looks for an order again and again, until its outcome is known or the time is over.
 *
 * @param waitMs - The longest time between the first and the last look.
 */
export async function resolveEntry(
  { settings, entries }: JournalContext,
  key: string,
  open: OrderEntry,
  waitMs: number,
  { signal, accessToken }: JournalCall,
): Promise<OrderEntry> {
  const { clock, settleMs, timeoutMs } = settings
  let waitedMs = 0
  for (let delayMs = FIRST_LOOK_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_LOOK_DELAY_MS)) {
    const atMs = clock.now()
    const round = await lookForOrder(settings, open, { signal, accessToken })
    const looked = { type: 'looked', atMs, settleMs, timeoutMs, ...round } as const
    const entry = await entries.apply(key, open.placement, looked)
    if (!isOpen(entry) || waitedMs >= waitMs) return entry
    const stepMs = Math.min(delayMs, waitMs - waitedMs)
    await sleep(clock, stepMs, signal)
    waitedMs += stepMs
  }
}

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
  if (text === undefined) throw leaseLost(clientOrderId)
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
  throw new OrdersError(
    'JOURNAL_ID_USED',
    `the journal has another request with the id ${clientOrderId}, which is "${state}". Use a new id for another order`,
    { details: { clientOrderId, state } },
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

async function sendPrepared(
  context: JournalContext,
  order: OrderRequest,
  prepared: OrderEntry,
  text: string,
  resend: 'never' | 'once',
  lease: EntryLease,
  call: JournalCall,
): Promise<OrderEntry> {
  const { settings, entries } = context
  const { http, clock, pathFamily, timeoutMs, settleMs } = settings
  const { clientOrderId, placement, preparedAtMs } = prepared
  const key = entries.entryKey(prepared.accountId, clientOrderId)
  const { accessToken, callerSignal } = call
  const options = { pathFamily, accessToken, timeoutMs, signal: callerSignal }
  let sentAtMs: number | undefined
  let isWindowOver = false
  let clearWindow = (): void => {}

  const requireMaySend = (markingAtMs: number, nowMs: number): void => {
    throwIfAborted(call.signal)
    if (lease.isLost()) throw leaseLost(clientOrderId)
    if (isClockJump(preparedAtMs, markingAtMs, nowMs)) throw clockJumped(clientOrderId, preparedAtMs, nowMs)
  }
  /**
   * Called before each attempt of the first sending. There is a further attempt only if the service did not
   * carry out the one before.
   */
  const markSent = async (): Promise<void> => {
    const markingAtMs = clock.now()
    requireMaySend(markingAtMs, markingAtMs)
    if (sentAtMs !== undefined) return
    const sent = entryTransition(prepared, { type: 'sent', atMs: markingAtMs })
    if ((await entries.write(key, text, sent)) === undefined) throw leaseLost(clientOrderId)
    sentAtMs = markingAtMs
    clearWindow = clock.setTimer(() => {
      isWindowOver = true
    }, RESEND_WINDOW_MS)
    // The host may have been suspended during the write.
    requireMaySend(markingAtMs, clock.now())
  }
  const markResent = async (): Promise<void> => {
    throwIfAborted(call.signal)
    const { state } = await entries.apply(key, placement, { type: 'resent', atMs: clock.now() })
    if (state !== 'sent' || !mayResend(sentAtMs ?? 0, clock.now(), isWindowOver, lease.isLost()))
      throw new Error('the order must not be sent again')
  }

  try {
    const first = await sendOrder(http, order, markSent, { ...options, retry: 'unsent' })
    switch (first.type) {
      case 'accepted':
        return await record(context, key, placement, {
          ...first,
          atMs: clock.now(),
          source: 'response',
        })
      case 'rejected':
        return await record(context, key, placement, { ...first, atMs: clock.now() })
      case 'stopped': {
        const reason = { code: codeOf(first.error) }
        // An error of the store is ignored here, because the caller needs the error of the client more.
        await entries.apply(key, placement, { type: 'not-sent', atMs: clock.now(), reason }).catch(() => {})
        throw first.error
      }
      case 'aborted':
        await entries
          .apply(key, placement, { type: 'lost', atMs: clock.now(), reason: { code: 'ABORTED' } })
          .catch(() => {})
        throw first.error
      default:
    }
    // The response was lost. `repeated-id` counts as lost too: the host or a proxy may have sent the first
    // request twice.
    let entry = await record(context, key, placement, {
      type: 'lost',
      atMs: clock.now(),
      reason: first.reason,
    })
    if (resend === 'once' && mayResend(sentAtMs ?? 0, clock.now(), isWindowOver, lease.isLost())) {
      const atMs = clock.now()
      const round = await lookForOrder(settings, entry, { signal: call.signal, accessToken }, 1)
      // One query does not prove that an order is missing, so with this `settleMs` the entry stays open.
      entry = await entries.apply(key, placement, {
        type: 'looked',
        atMs,
        settleMs: Number.POSITIVE_INFINITY,
        timeoutMs,
        ...round,
      })
      if (!isOpen(entry)) return entry
      const second = await sendOrder(http, order, markResent, { ...options, retry: 'never' })
      const lost = { type: 'lost', atMs: clock.now() } as const
      if (second.type === 'aborted') {
        await entries.apply(key, placement, { ...lost, reason: { code: 'ABORTED' } }).catch(() => {})
        throw second.error
      }
      if (second.type === 'accepted' || second.type === 'repeated-id') {
        const orderId = second.type === 'accepted' ? second.orderId : undefined
        const source = second.type === 'accepted' ? 'response' : 'repeated-id'
        return await record(context, key, placement, {
          type: 'accepted',
          atMs: clock.now(),
          source,
          orderId,
        })
      }
      // The entry stays open even if the second request was not sent or was rejected, because only queries
      // show the outcome of the first one.
      const reason = second.type === 'stopped' ? first.reason : second.reason
      entry = await record(context, key, placement, { ...lost, reason })
    }
    return await resolveEntry(context, key, entry, settleMs, call)
  } catch (error) {
    throw sentAtMs === undefined ? error : afterSending(error, undefined)
  } finally {
    clearWindow()
  }
}

const clockJumped = (
  clientOrderId: string,
  preparedAtMs: number,
  nowMs: number,
): OrdersError<'JOURNAL_CLOCK_JUMPED'> =>
  new OrdersError(
    'JOURNAL_CLOCK_JUMPED',
    `the clock went from ${preparedAtMs} to ${nowMs} between preparing and sending the order: it was set, the host was suspended, or the client waited too long for a token or a rate limit. Nothing was sent; place the order again`,
    { details: { clientOrderId, preparedAtMs, nowMs }, retryable: true },
  )

/** Writes an outcome. Retries after a wait if the store fails. */
async function record(
  { settings: { clock }, entries }: JournalContext,
  key: string,
  placement: string,
  event: EntryEvent,
): Promise<OrderEntry> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await entries.apply(key, placement, event)
    } catch (error) {
      const delayMs = RECORD_DELAYS_MS[attempt]
      const isOutcome = event.type === 'accepted' || event.type === 'rejected'
      if (delayMs === undefined || !isOrdersError(error, 'JOURNAL_STORE_FAILED'))
        throw afterSending(error, isOutcome ? event.type : undefined)
      await sleep(clock, delayMs)
    }
  }
}
