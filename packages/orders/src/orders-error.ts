/** The error class of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'

/** The `details` of each error code. */
export interface OrdersErrorDetails {
  /** An option is wrong. Nothing was sent. */
  JOURNAL_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
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
