/** The error class of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type OptionFailure, optionMessage, typeName, wrongText } from '@brokerwire/core/internal'

/** The `details` of an error. They never contain the received value, which may be a secret. */
export type SignerErrorDetail = {
  /** Name of the invalid option, input or header, for example `'appSecret'` or `'body'`. */
  readonly field: string
  /** Description of a valid value, for people. */
  readonly expected: string
}

/** The `details` of each error code. */
export interface SignerErrorDetails {
  /** An option is invalid, or a function among the options (`now`, `nonce`, `secretFor`) returned an invalid value. */
  SIGNER_OPTION_INVALID: SignerErrorDetail
  /** The input to sign, verify or compare is invalid. */
  SIGNER_INPUT_INVALID: SignerErrorDetail
  /** A URL, or a host and path, cannot be signed as given. */
  SIGNER_TARGET_INVALID: SignerErrorDetail
  /** A request has a header that must never be sent. */
  SIGNER_HEADER_FORBIDDEN: SignerErrorDetail
  /** The body of a request was read before, or another reader has locked it. */
  SIGNER_BODY_USED: SignerErrorDetail
  /** The body of a request is longer than `maxBodyBytes`. */
  SIGNER_BODY_TOO_LARGE: SignerErrorDetail
  /** The service responded to a request of `createSignedFetch` with a redirect, which was not followed. */
  SIGNER_REDIRECTED: SignerErrorDetail & {
    /** HTTP status of the response; 0 in browsers, which do not show it. */
    readonly status: number
  }
  /** A gRPC request that cannot be signed: its method streams requests, or it is not in the binary format. */
  SIGNER_METHOD_UNSUPPORTED: SignerErrorDetail
  /** The caller changed the message of a gRPC request while it was signed. */
  SIGNER_MESSAGE_CHANGED: SignerErrorDetail
  /** The runtime has no WebCrypto, as on a page without HTTPS. */
  SIGNER_CRYPTO_UNAVAILABLE: SignerErrorDetail
}

/** Stable codes of {@link SignerError}. */
export type SignerErrorCode = keyof SignerErrorDetails

/** The error of `@brokerwire/signer`. */
export class SignerError<C extends SignerErrorCode = SignerErrorCode> extends BrokerwireError<
  C,
  SignerErrorDetails[C]
> {
  override readonly name = 'SignerError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<SignerErrorDetails[C]>) {
    super('signer', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and has the code if one is given.
 *
 * @example
 * ```ts
 * import { isSignerError } from '@brokerwire/signer'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isSignerError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export const isSignerError = /* @__PURE__ */ errorGuard<{ [C in SignerErrorCode]: SignerError<C> }>('signer')

/** Returns a function that creates errors with a code. */
const failure =
  (code: SignerErrorCode): OptionFailure =>
  (field, expected, received, message = optionMessage(field, expected, received)) =>
    new SignerError(code, message, { details: { field, expected } })

/** Creates errors for options. */
export const optionFailure = /* @__PURE__ */ failure('SIGNER_OPTION_INVALID')
/** Creates errors for input that is signed, verified or compared. */
export const inputFailure = /* @__PURE__ */ failure('SIGNER_INPUT_INVALID')
/** Creates errors for the parts of a URL. */
export const targetFailure = /* @__PURE__ */ failure('SIGNER_TARGET_INVALID')

/**
 * Checks a condition. The message has the name of the field and the expected value, never the actual value.
 *
 * @param code - Code of the error. Default: `SIGNER_OPTION_INVALID`.
 * @param message - Message of the error. Default: `<field> must be <expected>`.
 * @throws SignerError with `code` if `ok` is falsy.
 */
export function check(
  ok: unknown,
  field: string,
  expected: string,
  code: SignerErrorCode = 'SIGNER_OPTION_INVALID',
  message = `${field} must be ${expected}`,
): asserts ok {
  if (!ok) throw failure(code)(field, expected, '', message)
}

/**
 * Checks an input. The message also contains the type of `value`.
 * @throws SignerError `SIGNER_INPUT_INVALID`
 */
export function checkInput(ok: unknown, value: unknown, field: string, expected: string): asserts ok {
  if (!ok) throw inputFailure(field, expected, typeName(value))
}

/**
 * Checks a part of a URL. If `value` is not a string, the message contains its type.
 * @throws SignerError `SIGNER_TARGET_INVALID`
 */
export function checkTarget(ok: unknown, value: unknown, field: string, expected: string): asserts ok {
  if (!ok) throw wrongText(targetFailure, field, expected, value)
}
