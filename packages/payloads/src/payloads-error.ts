/** The error class of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { optionMessage } from '@brokerwire/core/internal'
import type { Issue } from './issue.ts'

/** The `details` of each error code. */
export interface PayloadsErrorDetails {
  /** The content type is not JSON, so the payload was not parsed. */
  PAYLOAD_CONTENT_TYPE: { readonly expected: string }
  /** Longer than the limit, or nested deeper. */
  PAYLOAD_TOO_LARGE: { readonly expected: string }
  /** The message that has the payload cannot be decoded. `reason` is that of the item. */
  PAYLOAD_UNDECODABLE: { readonly reason: 'malformed' | 'compression' | 'too-large' }
  /** The text is not JSON. */
  PAYLOAD_NOT_JSON: { readonly expected: string }
  /** JSON that does not match its definition: the first 100 problems, with paths. */
  PAYLOAD_INVALID: { readonly problems: readonly Issue[] }
  /** A custom schema threw, or returned a promise or an invalid result. */
  PAYLOAD_SCHEMA_FAILED: { readonly module: string; readonly expected: string }
  /** A conversion would lose digits, or the host lacks what it needs. */
  PAYLOAD_NOT_CONVERTIBLE: { readonly expected: string }
  /** An option or a definition is wrong. */
  PAYLOAD_OPTION_INVALID: {
    readonly option: string
    readonly expected: string
    readonly received: string
  }
}

/** Stable codes of {@link PayloadsError}. */
export type PayloadsErrorCode = keyof PayloadsErrorDetails

/** The error of `@brokerwire/payloads`. Never retryable: the same payload fails the same way. */
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

/** How the checks of `@brokerwire/core` fail here. */
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
 * @param hint - End of the message: what to do.
 */
export const notConvertible = (subject: string, expected: string, hint: string): PayloadsError =>
  new PayloadsError('PAYLOAD_NOT_CONVERTIBLE', `${subject} must be ${expected}${hint}`, {
    details: { expected },
  })
