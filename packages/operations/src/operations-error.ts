/** The error class of this package. */
import {
  BrokerwireError,
  type BrokerwireErrorOptions,
  errorGuard,
  type OperationResponseInput,
  type PathFamily,
} from '@brokerwire/core'

/** The `details` of each error code. */
export interface OperationsErrorDetails {
  /**
   * The input does not match the fields of the operation. Nothing was sent.
   * @retryable no
   * @remedy Correct the fields that `details.problems` lists.
   * @message orders.place: newOrders[0].clientOrderId must be 1 to 32 letters, digits, "-" or "_"; received a string
   *   of another form
   */
  OPERATION_INPUT_INVALID: {
    readonly operation: string
    /** Path of the field, such as `newOrders[0].limitPrice`. */
    readonly field: string
    readonly expected: string
    readonly received: string
  }
  /**
   * The input has a field whose existence is only guessed, without the option `allowGuessed: true`. Nothing
   * was sent.
   * @retryable no
   * @remedy Remove the field, or set `allowGuessed: true` if you accept that it may not exist.
   * @message watchlists.list: pageSize is a guess, which no source shows. Set "allowGuessed: true" to send it
   */
  OPERATION_FIELD_GUESSED: { readonly operation: string; readonly field: string }
  /**
   * The path family has no such operation. Nothing was sent.
   * @retryable no
   * @remedy Use the other path family, or another operation.
   * @message orders.list has no path in the path family "openapi"; set pathFamily: "current"
   */
  OPERATION_UNAVAILABLE: { readonly operation: string; readonly pathFamily: PathFamily }
  /**
   * The service answered with a successful status, but its response cannot be decoded. `error.response` is the response.
   * @retryable no
   * @remedy Read `error.response`. If the service has changed, use your own definition of the operation.
   * @message orders.get: the service answered with 200, and its response cannot be decoded: expected JSON; received
   *   an empty body. "error.response" is the response
   */
  OPERATION_RESPONSE_INVALID: {
    readonly operation: string
    readonly status: number
    readonly requestId: string | undefined
    /** The first problems, with their paths and without values. */
    readonly problems: readonly string[]
  }
  /**
   * The service returned the same cursor again, so more pages would repeat earlier ones.
   * @retryable no
   * @remedy Use the pages that you have received, and report it to the service.
   * @message orders.history: the service answered with the same cursor again after 2 pages, so more pages would
   *   repeat earlier ones
   */
  OPERATION_PAGE_REPEATED: { readonly operation: string; readonly pages: number }
  /**
   * The definition of an operation is wrong. `problems` contains all problems, each with the name of the
   * wrong property.
   * @retryable no
   * @remedy Correct the properties that `details.problems` lists.
   * @message the definition of the operation "watchlists.list" is wrong: fields.one.range must have a smallest and a
   *   largest whole number
   */
  OPERATION_DEFINITION_INVALID: { readonly operation: string; readonly problems: readonly string[] }
}

/** Stable codes of {@link OperationsError}. */
export type OperationsErrorCode = keyof OperationsErrorDetails

/**
 * The error of `@brokerwire/operations`. It is never retryable, because the same input or response always
 * fails in the same way.
 */
export class OperationsError<C extends OperationsErrorCode = OperationsErrorCode> extends BrokerwireError<
  C,
  OperationsErrorDetails[C]
> {
  override readonly name = 'OperationsError'
  /**
   * The response of `OPERATION_RESPONSE_INVALID`, so that nothing received is lost. It is not enumerable, because it may contain
   * tokens or account data, which must not reach a log.
   */
  declare readonly response: OperationResponseInput | undefined

  constructor(
    code: C,
    message: string,
    options: BrokerwireErrorOptions<OperationsErrorDetails[C]>,
    response?: OperationResponseInput,
  ) {
    super('operations', code, message, options)
    Object.defineProperty(this, 'response', { value: response, enumerable: false })
  }
}

/**
 * Whether `value` is an error of this package and, if you pass a code, has that code.
 *
 * @example
 * ```ts
 * import { isOperationsError } from '@brokerwire/operations'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isOperationsError(error, 'OPERATION_INPUT_INVALID')) throw error
 *   console.log(error.details.field, error.details.expected)
 * }
 * ```
 */
export const isOperationsError = errorGuard<{ [C in OperationsErrorCode]: OperationsError<C> }>('operations')
