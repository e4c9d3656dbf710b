/** The error class of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { optionMessage } from '@brokerwire/core/internal'
import type { Issue } from './issue.ts'

/** The `details` of each error code. */
export interface PayloadsErrorDetails {
  /**
   * The content type is not JSON, so the payload was not parsed.
   * @retryable no
   * @remedy Keep `raw`.
   * @message payload: expected a JSON content type
   */
  PAYLOAD_CONTENT_TYPE: {
    /** Description of a valid content type. */
    readonly expected: string
  }
  /**
   * The payload is longer than the limit, or nested more deeply than the limit of levels.
   * @retryable no
   * @remedy Raise `maxLength` if you expect longer payloads.
   * @message payload: expected at most 21 characters
   */
  PAYLOAD_TOO_LARGE: {
    /** Description of the exceeded limit. */
    readonly expected: string
  }
  /**
   * The message that contains the payload cannot be decoded.
   * @retryable no
   * @remedy Keep the `bytes` of the item. See `details.reason`.
   * @message the message with the payload cannot be decoded: a string is not UTF-8
   */
  PAYLOAD_UNDECODABLE: {
    /** The reason, as in the item of the stream. */
    readonly reason: 'malformed' | 'compression' | 'too-large'
  }
  /**
   * The text is not JSON.
   * @retryable no
   * @remedy Keep `raw`.
   * @message payload: expected JSON text, received undefined
   */
  PAYLOAD_NOT_JSON: {
    /** Description of the expected text. */
    readonly expected: string
  }
  /**
   * The JSON does not match its definition.
   * @retryable no
   * @remedy Keep `raw`. `details.problems` has up to 100 problems. If the service has changed, register your own
   *   schema.
   * @message account_id: missing, expected a value; request_id: missing, expected a value; client_order_id: missing,
   *   expected a value; and 10 more
   */
  PAYLOAD_INVALID: {
    /** The first 100 problems, with paths. */
    readonly problems: readonly Issue[]
  }
  /**
   * A custom schema threw, or returned a promise or an invalid result.
   * @retryable no
   * @remedy Correct the schema of the module that `details.module` names.
   * @message modules.X must be a schema that does not throw
   */
  PAYLOAD_SCHEMA_FAILED: {
    /** Name under which the schema was registered. */
    readonly module: string
    /** Description of a valid schema. */
    readonly expected: string
  }
  /**
   * A conversion would lose digits, or the runtime has no `Temporal`.
   * @retryable no
   * @remedy Choose a larger scale, take the `text` of the `NumberText`, or pass a `Temporal`.
   * @message value must be a number that a JavaScript number holds. Use its text
   */
  PAYLOAD_NOT_CONVERTIBLE: {
    /** Description of a convertible value. */
    readonly expected: string
  }
  /**
   * An option or a definition is invalid.
   * @retryable no
   * @remedy Correct the option that `details.option` names.
   * @message modules.X must be a Standard Schema; received an object
   */
  PAYLOAD_OPTION_INVALID: {
    /** Name of the invalid option. */
    readonly option: string
    /** Description of a valid value. */
    readonly expected: string
    /** Type of the received value. */
    readonly received: string
  }
}

/** Stable codes of {@link PayloadsError}. */
export type PayloadsErrorCode = keyof PayloadsErrorDetails

/**
 * The error of `@brokerwire/payloads`. It is never retryable, because the same payload fails in the same way.
 */
export class PayloadsError<C extends PayloadsErrorCode = PayloadsErrorCode> extends BrokerwireError<
  C,
  PayloadsErrorDetails[C]
> {
  override readonly name = 'PayloadsError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<PayloadsErrorDetails[C]>) {
    super('payloads', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and has the code if one is given.
 *
 * @example
 * ```ts
 * import { isPayloadsError } from '@brokerwire/payloads'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isPayloadsError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export const isPayloadsError = errorGuard<{ [C in PayloadsErrorCode]: PayloadsError<C> }>('payloads')

/** Creates the error of an invalid option, for the checks of `@brokerwire/core`. */
export function optionInvalid(
  option: string,
  expected: string,
  received: string,
  message = optionMessage(option, expected, received),
): PayloadsError {
  return new PayloadsError('PAYLOAD_OPTION_INVALID', message, { details: { option, expected, received } })
}

/**
 * Creates the error of a conversion that would lose digits.
 *
 * @param hint - End of the message, with the action to take.
 */
export const notConvertible = (subject: string, expected: string, hint: string): PayloadsError =>
  new PayloadsError('PAYLOAD_NOT_CONVERTIBLE', `${subject} must be ${expected}${hint}`, {
    details: { expected },
  })
