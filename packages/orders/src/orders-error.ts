/** The error class of this package. */
import {
  BrokerwireError,
  type BrokerwireErrorOptions,
  errorGuard,
  escapeControlChars,
  isBrokerwireError,
} from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'
import type { EntryState } from './entry.ts'

/** Details of all errors of this package. */
export type OrderDetails = {
  /**
   * Identifier of the order, also if the journal made it. Only errors of `place()` have it. To try again, place
   * the order with this identifier.
   */
  readonly clientOrderId?: string | undefined
}

/** Details of errors that occur before an order was sent by this call. */
export type UnsentDetails = {
  readonly clientOrderId: string
  /**
   * Whether another call with the same id may have sent an order, or may still send it. Then use no other id for
   * the same order.
   */
  readonly mayBeSent: boolean
}

/** Details of errors that can occur before and after an order was sent. */
export type SendingDetails = OrderDetails & {
  /**
   * Whether the order may have been sent, by this call or by an earlier one with the same id. Then place the order
   * with no other id: the same call, or `recover()`, finds its outcome. If `false`, nothing was sent.
   */
  readonly mayBeSent: boolean
  /** The outcome that the store did not record; `undefined` if there is none yet. */
  readonly state: EntryState | undefined
}

/** The `details` of each error code. */
export interface OrdersErrorDetails {
  /**
   * An option, or the input of an order, is wrong. Nothing was sent.
   * @retryable no
   * @remedy Correct the option. If `details.option` is `http`, the client does not await `beforeAttempt`, and the
   *   order may have been sent.
   * @message order.accountId must be that of the journal; received another account
   */
  JOURNAL_OPTION_INVALID: OrderDetails & {
    readonly option: string
    readonly expected: string
    readonly received: string
  }
  /**
   * The store failed.
   * @retryable as in the store's error, else yes
   * @remedy Check the store. If `details.mayBeSent` is true, place the order again with the same identifier, or call
   *   `recover()`.
   * @message reading from the store failed: the store did not respond within 10 s. The order may have been sent
   */
  JOURNAL_STORE_FAILED: SendingDetails & {
    readonly operation: 'get' | 'compareAndSet' | 'lock'
    readonly errorName: string
    readonly errorCode: string | undefined
  }
  /**
   * A stored record cannot be read, and is kept; or another program deleted it while its order was sent.
   * `newer-format`: update this package.
   * @retryable no
   * @remedy For `newer-format`, update this package. If `details.mayBeSent` is true, read the order from the service
   *   before you place another one.
   * @message the stored entry of an order was written by a newer version. Update \@brokerwire/orders
   */
  JOURNAL_RECORD_INVALID: SendingDetails & {
    readonly record: 'entry' | 'index'
    readonly reason: 'malformed' | 'newer-format' | 'deleted'
    /** The damaged field. `undefined` if the record was deleted. */
    readonly field: string | undefined
  }
  /**
   * The entry of the order would be longer than `maxEntryBytes`. Nothing was sent.
   * @retryable no
   * @remedy Raise `maxEntryBytes`, or send a smaller order.
   * @message the entry of the order must have at most 16384 bytes (maxEntryBytes); it would have 16721
   */
  JOURNAL_ENTRY_TOO_LARGE: OrderDetails & { readonly bytes: number; readonly maxEntryBytes: number }
  /**
   * The journal has `maxEntries` entries, and each of them is open or was closed less than `minRetentionMs` ago.
   * Nothing was sent.
   * @retryable no
   * @remedy Call `recover()`, or raise `maxEntries`.
   * @message the journal has 2 entries (maxEntries), and each of them is open or was closed less than 1 h ago
   *   (minRetentionMs). Call recover(), or raise maxEntries
   */
  JOURNAL_FULL: OrderDetails & { readonly maxEntries: number; readonly minRetentionMs: number }
  /**
   * The journal already has another request with this id. `state` is the state of its entry. This call sent
   * nothing. `mayBeSent` is `false` only if the service rejected the other order.
   * @retryable no
   * @remedy Read that order with `get()`. Use a new identifier only for another order.
   * @message the journal has another request with the id o1, which is "accepted". That order may exist; read it with
   *   get(). Use a new id only for another order
   */
  JOURNAL_ID_USED: UnsentDetails & { readonly state: EntryState }
  /**
   * Another process took over the entry before the order was sent. This call sent nothing.
   * @retryable yes
   * @remedy Place the order again with the same identifier.
   * @message another process took over the entry of the order, or may have. This call sent nothing; place the order
   *   again with the same id
   */
  JOURNAL_LEASE_LOST: UnsentDetails
  /**
   * Between preparing and sending, the clock was set, the host was suspended, or the client waited longer than two
   * minutes for a token or a rate limit. This call sent nothing.
   * @retryable yes
   * @remedy Place the order again with the same identifier.
   * @message the clock went from 1767225600000 to 1767225720001 between preparing and sending the order: it was set,
   *   the host was suspended, or the client waited too long for a token or a rate limit. This call sent nothing; place
   *   the order again with the same id
   */
  JOURNAL_CLOCK_JUMPED: UnsentDetails & {
    readonly preparedAtMs: number
    readonly nowMs: number
  }
  /**
   * The journal was closed. An order that was sent before `close()` keeps its open entry.
   * @retryable no
   * @remedy Create a new journal. See the entry of the order if the call began before `close()`.
   * @message the journal is closed
   */
  JOURNAL_CLOSED: OrderDetails
}

/** Stable codes of {@link OrdersError}. */
export type OrdersErrorCode = keyof OrdersErrorDetails

/** The error of `@brokerwire/orders`. */
export class OrdersError<C extends OrdersErrorCode = OrdersErrorCode> extends BrokerwireError<
  C,
  OrdersErrorDetails[C]
> {
  /** Name of the error class. */
  override readonly name = 'OrdersError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<OrdersErrorDetails[C]>) {
    super('orders', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and has the code if you pass one.
 *
 * @example
 * ```ts
 * import { isOrdersError } from '@brokerwire/orders'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isOrdersError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export const isOrdersError = errorGuard<{ [C in OrdersErrorCode]: OrdersError<C> }>('orders')

/** Creates the error for an invalid option. */
export const optionFailure: OptionFailure = (
  option,
  expected,
  received,
  message = optionMessage(option, expected, received),
) => new OrdersError('JOURNAL_OPTION_INVALID', message, { details: { option, expected, received } })

/** Creates the error for a record that cannot be read. */
export function recordInvalid(
  record: 'entry' | 'index',
  reason: OrdersErrorDetails['JOURNAL_RECORD_INVALID']['reason'],
  field?: string | undefined,
): OrdersError<'JOURNAL_RECORD_INVALID'> {
  const subject = record === 'entry' ? 'the stored entry of an order' : 'the stored index of the journal'
  const problem = {
    malformed: `is damaged (${field})`,
    'newer-format': 'was written by a newer version. Update @brokerwire/orders',
    deleted: 'was deleted',
  }[reason]
  return new OrdersError('JOURNAL_RECORD_INVALID', `${subject} ${problem}`, {
    details: { record, reason, field, mayBeSent: false, state: undefined },
  })
}

/** The identifier of an order. */
export interface OrderId {
  readonly clientOrderId: string
  /** Whether an earlier call, or a call of another process, may have the same identifier. */
  readonly isIdGiven: boolean
}

/** Creates the error for an order whose entry another process took over. */
export const leaseLost = ({ clientOrderId, isIdGiven }: OrderId): OrdersError<'JOURNAL_LEASE_LOST'> =>
  new OrdersError(
    'JOURNAL_LEASE_LOST',
    'another process took over the entry of the order, or may have. This call sent nothing; place the order again with the same id',
    { details: { clientOrderId, mayBeSent: isIdGiven }, retryable: true },
  )

/** Creates the error of calls after `close()`. */
export const journalClosed = (): OrdersError<'JOURNAL_CLOSED'> =>
  new OrdersError('JOURNAL_CLOSED', 'the journal is closed', { details: {} })

/**
 * Returns the name and the code of another library's error. The message of that error may contain stored
 * data, so it is not returned.
 */
export function nameOf(error: unknown): {
  readonly errorName: string
  readonly errorCode: string | undefined
} {
  const errorName = error instanceof Error ? escapeControlChars(error.name, 100) : 'no error'
  const code = (error as { readonly code?: unknown } | undefined)?.code
  return { errorName, errorCode: typeof code === 'string' ? escapeControlChars(code, 100) : undefined }
}

type StoreOperation = OrdersErrorDetails['JOURNAL_STORE_FAILED']['operation']

const SUBJECTS: Readonly<Record<StoreOperation, string>> = {
  get: 'reading from the store',
  compareAndSet: 'writing to the store',
  lock: 'locking an entry in the store',
}

/**
 * Creates the error of a store that failed.
 *
 * @param reason - The reason of the failure, if this package knows it.
 */
export function storeFailed(
  operation: StoreOperation,
  error: unknown,
  reason?: string | undefined,
): OrdersError<'JOURNAL_STORE_FAILED'> {
  const { errorName, errorCode } = nameOf(error)
  const own = isBrokerwireError(error)
  const why =
    reason ??
    (own ? escapeControlChars(error.message, 400) : [errorName, errorCode].filter(Boolean).join(' '))
  return new OrdersError('JOURNAL_STORE_FAILED', `${SUBJECTS[operation]} failed: ${why}`, {
    details: { operation, errorName, errorCode, mayBeSent: false, state: undefined },
    retryable: own ? error.retryable : true,
    ...(own && { cause: error }),
  })
}

/**
 * Adds to the error of a store or of a record that the order may have been sent. Returns other errors
 * unchanged.
 *
 * @param state - The outcome that the store did not record.
 */
export function afterSending(error: unknown, state: EntryState | undefined): unknown {
  if (!isOrdersError(error, 'JOURNAL_STORE_FAILED') && !isOrdersError(error, 'JOURNAL_RECORD_INVALID'))
    return error
  const { code, details, retryable, cause } = error
  if (details.mayBeSent) return error
  const message =
    state === undefined
      ? `${error.message}. The order may have been sent`
      : `${error.message}. The order was sent, and its outcome is "${state}"`
  return new OrdersError<'JOURNAL_STORE_FAILED' | 'JOURNAL_RECORD_INVALID'>(code, message, {
    details: { ...details, mayBeSent: true, state },
    retryable,
    cause,
  })
}

/** Adds the identifier of the order to an error of this package. Returns other errors unchanged. */
export function withClientOrderId(error: unknown, clientOrderId: string): unknown {
  if (!isOrdersError(error)) return error
  const { code, message, details, retryable, cause } = error
  return new OrdersError<OrdersErrorCode>(code, message, {
    details: { ...details, clientOrderId } as OrdersErrorDetails[OrdersErrorCode],
    retryable,
    cause,
  })
}
