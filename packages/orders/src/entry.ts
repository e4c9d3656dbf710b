/**
 * The entry of an order, and its transitions as a pure function.
 *
 * | State | Open | The order |
 * |---|---|---|
 * | `prepared` | yes | was not sent yet |
 * | `sent` | yes | may have been sent; its response is not known |
 * | `unknown` | yes | may have been sent; `reason` states why its outcome is unknown |
 * | `accepted` | no | exists at the service |
 * | `rejected` | no | was rejected by the service |
 * | `not-sent` | no | was certainly not sent; the same id may be used again |
 * | `not-found` | no | was in no query, at least `settleMs` after the wait for its response ended |
 */
import { escapeControlChars } from '@brokerwire/core'
import { unreachable } from '@brokerwire/core/internal'

/**
 * State of an entry. Open: `prepared`, `sent`, `unknown`. Closed: `accepted` (the service has the order), `rejected` (by the
 * service, its identifier is used up), `not-found` (no query has it) and `not-sent` (you may place it again with the same
 * identifier).
 */
export type EntryState = 'prepared' | 'sent' | 'unknown' | 'accepted' | 'rejected' | 'not-sent' | 'not-found'

/** A query that looked for the order. */
export interface OrderLook {
  /** When the query began, by this host's clock. Milliseconds since the Unix epoch. */
  readonly atMs: number
  /** Name of the operation. */
  readonly operation: 'orders.get' | 'orders.open' | 'orders.history'
  /** `incomplete`: the list has more pages than the journal reads. `failed`: see `code`. */
  readonly result: 'found' | 'not-found' | 'incomplete' | 'failed'
  /** Code of the error, if the query failed. */
  readonly code?: string | undefined
}

/** The reason why an entry is in its state. */
export interface EntryReason {
  /**
   * The service's code without its prefix, or the code of an error, such as `HTTP_TIMEOUT`, or one of these:
   *
   * - `QUERIES_MAY_LAG`: no query had the order, but less than `settleMs` has passed since no process waits for
   *   its response any more
   * - `LOOK_FAILED`: a query failed, or did not read the whole list
   * - `CLOCK_JUMPED`: this host's clock shows an earlier time than when the order was sent or looked for
   * - `ABORTED`: the call ended before the response
   * - `ORDER_ID_MISSING`, `OTHER_ORDER`: a successful response did not have the identifiers of the order
   * - `NEVER_SENT`: the process ended before it sent the order
   */
  readonly code: string
  /** The service's message, at most 200 characters. */
  readonly message?: string | undefined
}

/**
 * The source of the outcome. `repeated-id`: the service rejected the second sending, because it already had
 * the order from the first one.
 */
export type OutcomeSource = 'response' | 'repeated-id' | OrderLook['operation']

/** An entry of the journal. Instants are milliseconds since the Unix epoch, by the clock of the host that wrote them. */
export interface OrderEntry {
  /** The account of the order. */
  readonly accountId: string
  /** The identifier of the order. For a group, the identifier of its first order. */
  readonly clientOrderId: string
  /** State of the entry at present. */
  readonly state: EntryState
  /** Path of the request. */
  readonly path: string
  /** The exact body of the request. */
  readonly body: string
  /** Identifies the call that wrote the entry. */
  readonly placement: string
  /** When the entry was written for the first time. */
  readonly preparedAtMs: number
  /** When the order was sent, or may have been sent. */
  readonly sentAtMs?: number | undefined
  /** When the same bytes were sent again, or may have been sent again. */
  readonly resentAtMs?: number | undefined
  /**
   * From when on no process waits for the response any more. If the process that sent the order did not write
   * this, it is the time limit of a sending after another process first looked for the order.
   */
  readonly lostAtMs?: number | undefined
  /** When the entry was closed. */
  readonly closedAtMs?: number | undefined
  /** Source of the outcome. */
  readonly source?: OutcomeSource | undefined
  /** The service's identifier of the order. */
  readonly orderId?: string | undefined
  /** Status of the order in the query that found it. */
  readonly orderStatus?: string | undefined
  /** Reason of the state, if the state has one. */
  readonly reason?: EntryReason | undefined
  /** The last queries that looked for the order, oldest first. */
  readonly looks: readonly OrderLook[]
}

/** The status of an order that the service received, and rejected afterwards. */
export const FAILED = 'FAILED'

/** An order that a query found. */
export interface FoundOrder {
  readonly source: OrderLook['operation']
  readonly orderId: string | undefined
  readonly orderStatus: string
  /** Whether the service rejected the order, or all orders of the group, without a fill. */
  readonly isRejected: boolean
}

/** Whether a query read all that it was to read. */
export const isComplete = ({ result }: OrderLook): boolean => result === 'found' || result === 'not-found'

/** An event that may change an entry. The transition reads no clock: it uses `atMs`. */
export type EntryEvent =
  | { readonly type: 'sent'; readonly atMs: number }
  | { readonly type: 'resent'; readonly atMs: number }
  | { readonly type: 'not-sent'; readonly atMs: number; readonly reason: EntryReason }
  | { readonly type: 'lost'; readonly atMs: number; readonly reason: EntryReason }
  | {
      readonly type: 'accepted'
      readonly atMs: number
      readonly source: OutcomeSource
      readonly orderId: string | undefined
    }
  | { readonly type: 'rejected'; readonly atMs: number; readonly reason: EntryReason }
  /** Queries looked for the order. `atMs` is when the first of them began. */
  | {
      readonly type: 'looked'
      readonly atMs: number
      readonly settleMs: number
      /** Time limit of a sending. */
      readonly timeoutMs: number
      readonly looks: readonly OrderLook[]
      readonly found: FoundOrder | undefined
    }

/** The events that change an entry in each state. An event that arrives too late is ignored. */
export const ENTRY_EVENTS: Readonly<Record<EntryState, readonly EntryEvent['type'][]>> = {
  prepared: ['sent', 'not-sent'],
  sent: ['resent', 'not-sent', 'lost', 'accepted', 'rejected', 'looked'],
  unknown: ['resent', 'lost', 'accepted', 'rejected', 'looked'],
  // A response or a query may arrive after another process did not find the order.
  'not-found': ['accepted', 'looked'],
  accepted: [],
  rejected: [],
  'not-sent': [],
}

/** The most looks that an entry keeps. */
export const MAX_LOOKS = 30

const OPEN: readonly EntryState[] = ['prepared', 'sent', 'unknown']

/** Whether the outcome of an entry is not known yet. */
export const isOpen = ({ state }: Pick<OrderEntry, 'state'>): boolean => OPEN.includes(state)

/** Returns the entry after an event; the same object if the event changes nothing. */
export function entryTransition(entry: OrderEntry, event: EntryEvent): OrderEntry {
  if (!ENTRY_EVENTS[entry.state].includes(event.type)) return entry
  switch (event.type) {
    case 'sent':
      return { ...entry, state: 'sent', sentAtMs: event.atMs }
    case 'resent':
      return { ...entry, state: 'sent', resentAtMs: event.atMs, lostAtMs: undefined, reason: undefined }
    case 'not-sent':
      // A second request that was not sent does not show the outcome of the first one. Only queries do.
      if (entry.resentAtMs !== undefined) return entry
      return { ...entry, state: 'not-sent', closedAtMs: event.atMs, reason: event.reason }
    case 'lost':
      return { ...entry, state: 'unknown', lostAtMs: event.atMs, reason: event.reason }
    case 'accepted': {
      const { atMs, source, orderId } = event
      return {
        ...entry,
        state: 'accepted',
        closedAtMs: atMs,
        source,
        orderId: bounded(orderId),
        reason: undefined,
      }
    }
    case 'rejected':
      if (entry.resentAtMs !== undefined) return entry
      return { ...entry, state: 'rejected', closedAtMs: event.atMs, source: 'response', reason: event.reason }
    case 'looked':
      return afterLooks(entry, event)
    default:
      return unreachable(event)
  }
}

/**
 * Returns an identifier of the service. If it is longer than any known one, returns `undefined`, so that the
 * size of an entry is bounded.
 */
const bounded = (id: string | undefined): string | undefined =>
  id !== undefined && id.length <= 200 ? id : undefined

function afterLooks(entry: OrderEntry, event: EntryEvent & { readonly type: 'looked' }): OrderEntry {
  const { atMs, timeoutMs, found } = event
  // Without `lostAtMs`, the process that sent the order has ended or has lost its lease. It may have sent the
  // order until these queries began, and may wait for the response until its time limit.
  const { lostAtMs = atMs + timeoutMs } = entry
  const looks = [...entry.looks, ...event.looks].slice(-MAX_LOOKS)
  if (found === undefined) {
    if (entry.state === 'not-found') return { ...entry, looks }
    const reason = reasonNotToClose(lostAtMs, event)
    if (reason !== undefined) return { ...entry, state: 'unknown', lostAtMs, reason, looks }
    return { ...entry, state: 'not-found', lostAtMs, closedAtMs: atMs, reason: undefined, looks }
  }
  return {
    ...entry,
    source: found.source,
    orderId: bounded(found.orderId),
    orderStatus: escapeControlChars(found.orderStatus, 100),
    state: found.isRejected ? 'rejected' : 'accepted',
    closedAtMs: atMs,
    reason: found.isRejected ? { code: FAILED } : undefined,
    looks,
  }
}

/** Returns why an order may exist although no query had it; `undefined` if the entry can be closed. */
function reasonNotToClose(
  lostAtMs: number,
  { atMs, settleMs, timeoutMs, looks }: EntryEvent & { readonly type: 'looked' },
): EntryReason | undefined {
  const failed = looks.find((look) => !isComplete(look))
  if (failed !== undefined)
    return { code: 'LOOK_FAILED', message: `${failed.operation}: ${failed.code ?? failed.result}` }
  if (atMs < lostAtMs - timeoutMs) return { code: 'CLOCK_JUMPED' }
  return atMs - lostAtMs < settleMs ? { code: 'QUERIES_MAY_LAG' } : undefined
}

/** The same bytes may be sent again for this long after the first sending. */
export const RESEND_WINDOW_MS = 10_000

/**
 * Decides whether an order may be sent again.
 *
 * @param nowMs - The only reading of the clock in this decision.
 * @param isWindowOver - Whether the timer of {@link RESEND_WINDOW_MS} has fired. The timer is right even if
 * the clock is set.
 * @param isLeaseLost - Whether another process may work on the entry.
 */
export function mayResend(
  firstSentMs: number,
  nowMs: number,
  isWindowOver: boolean,
  isLeaseLost: boolean,
): boolean {
  const sinceMs = nowMs - firstSentMs
  return !isWindowOver && !isLeaseLost && sinceMs >= 0 && sinceMs <= RESEND_WINDOW_MS
}

/** The longest time between preparing and sending, including the waits for a token and a rate limit. */
const MAX_PREPARED_MS = 120_000

/** The longest time for which the entry is marked as sent, including the write to the store. */
const MAX_MARKING_MS = 10_000

/** Whether `nowMs` is not between `fromMs` and `maxMs` later: the clock was set, or the host was suspended. */
const isOutside = (fromMs: number, nowMs: number, maxMs: number): boolean =>
  !(nowMs >= fromMs && nowMs - fromMs <= maxMs)

/**
 * Whether the clock was set, or the host was suspended, before an order is sent. An order must not be sent
 * long after the caller placed it, and its entry must be marked as sent just before.
 *
 * @param markingAtMs - The reading of the clock when the marking of the entry began.
 * @param nowMs - The only other reading of the clock in this decision.
 */
export const isClockJump = (preparedAtMs: number, markingAtMs: number, nowMs: number): boolean =>
  isOutside(preparedAtMs, nowMs, MAX_PREPARED_MS) || isOutside(markingAtMs, nowMs, MAX_MARKING_MS)
