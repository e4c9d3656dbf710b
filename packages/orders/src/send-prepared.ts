/** Sends the order of a prepared entry, and records its outcome. */
import { sleep, throwIfAborted } from '@brokerwire/core/internal'
import {
  type EntryReason,
  entryTransition,
  isClockJump,
  isOpen,
  mayResend,
  type OrderEntry,
  RESEND_WINDOW_MS,
} from './entry.ts'
import type { EntryLease } from './entry-lease.ts'
import { decodeEntry, encodeEntry } from './entry-record.ts'
import type { RepeatableEvent } from './journal-store.ts'
import { lookForOrder } from './looks.ts'
import type { OrderRequest } from './order-request.ts'
import { afterSending, isOrdersError, leaseLost, OrdersError } from './orders-error.ts'
import { codeOf } from './outcome.ts'
import { type JournalCall, type JournalContext, resolveEntry } from './resolve-entry.ts'
import { sendOrder } from './send-order.ts'

/** How long to wait before each retry of writing an outcome. */
const RECORD_DELAYS_MS = [250, 1000]

/**
 * Sends the order of a prepared entry.
 *
 * @param text - The stored entry.
 * @throws OrdersError; the client's error if nothing was sent; the signal's reason.
 */
export async function sendPrepared(
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
  let sentText = ''
  let isWindowOver = false
  let clearWindow = (): void => {}

  const requireMaySend = (markingAtMs: number, nowMs: number): void => {
    throwIfAborted(call.signal)
    if (lease.isLost()) throw leaseLost(order)
    if (isClockJump(preparedAtMs, markingAtMs, nowMs)) throw clockJumped(order, preparedAtMs, nowMs)
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
    // A write that fails may still take effect later.
    sentText = encodeEntry(sent)
    if ((await entries.write(key, text, sent)) === undefined) throw leaseLost(order)
    // The host may have been suspended during the write. The timers of the lease may then be late, so the
    // store shows whether another process has worked on the entry since.
    if ((await entries.read(key))?.text !== sentText) throw leaseLost(order)
    sentAtMs = markingAtMs
    clearWindow = clock.setTimer(() => {
      isWindowOver = true
    }, RESEND_WINDOW_MS)
    requireMaySend(markingAtMs, clock.now())
  }
  /** Writes that nothing was sent, over exactly the entries that this call wrote. */
  const recordNotSent = async (reason: EntryReason): Promise<void> => {
    const event = { type: 'not-sent', atMs: clock.now(), reason } as const
    for (const written of [sentText, text].filter(Boolean)) {
      const closed = entryTransition(decodeEntry(written), event)
      if ((await entries.write(key, written, closed)) !== undefined) return
    }
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
        // An error of the store is ignored here, because the caller needs the error of the client more.
        await recordNotSent({ code: codeOf(first.error) }).catch(() => {})
        throw first.error
      }
      case 'unmarked': {
        // The entry stays open, so that the order is never sent again.
        sentAtMs = clock.now()
        const sent = entryTransition(prepared, { type: 'sent', atMs: sentAtMs })
        const reason = { code: codeOf(first.error) }
        await entries.write(key, text, entryTransition(sent, { type: 'lost', atMs: sentAtMs, reason }))
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
      // A group of which one order was found is never sent again.
      if (round.looks.some(({ result }) => result === 'found'))
        return await resolveEntry(context, key, entry, settleMs, call)
      const second = await sendOrder(http, order, markResent, { ...options, retry: 'never' })
      const lost = { type: 'lost', atMs: clock.now() } as const
      if (second.type === 'aborted' || second.type === 'unmarked') {
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
  { clientOrderId, isIdGiven }: OrderRequest,
  preparedAtMs: number,
  nowMs: number,
): OrdersError<'JOURNAL_CLOCK_JUMPED'> =>
  new OrdersError(
    'JOURNAL_CLOCK_JUMPED',
    `the clock went from ${preparedAtMs} to ${nowMs} between preparing and sending the order: it was set, the host was suspended, or the client waited too long for a token or a rate limit. This call sent nothing; place the order again with the same id`,
    { details: { clientOrderId, mayBeSent: isIdGiven, preparedAtMs, nowMs }, retryable: true },
  )

/** Writes an outcome. Retries after a wait if the store fails. */
async function record(
  { settings: { clock }, entries }: JournalContext,
  key: string,
  placement: string,
  event: RepeatableEvent,
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
