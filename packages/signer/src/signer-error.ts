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
  /**
   * An option is invalid, or a function among the options (`now`, `nonce`, `secretFor`) returned an invalid value.
   * @retryable no
   * @remedy Correct the option that `details.field` names.
   * @message nameOrder must be "code-point" or "utf-16"; received "zz"
   */
  SIGNER_OPTION_INVALID: SignerErrorDetail
  /**
   * The input to sign, verify or compare is invalid.
   * @retryable no
   * @remedy Pass a string or a `Uint8Array` as the body, and query values without a lone surrogate. `details.field`
   *   names the wrong one.
   * @message query must be a record, pairs or a URLSearchParams of strings without lone surrogates; received a number
   *   as a value
   */
  SIGNER_INPUT_INVALID: SignerErrorDetail
  /**
   * A URL, or a host and path, cannot be signed as given.
   * @retryable no
   * @remedy Pass an absolute, percent-encoded URL without a user name.
   * @message url must be an absolute http: or https: URL, percent-encoded, without a user name
   */
  SIGNER_TARGET_INVALID: SignerErrorDetail
  /**
   * A request has a header that must never be sent.
   * @retryable no
   * @remedy Remove the header `x-app-secret`.
   * @message x-app-secret must not be sent: remove the header
   */
  SIGNER_HEADER_FORBIDDEN: SignerErrorDetail
  /**
   * The body of a request was read before, or another reader has locked it.
   * @retryable no
   * @remedy Pass a clone of the request.
   * @message body must be unread: sign a clone of the request
   */
  SIGNER_BODY_USED: SignerErrorDetail
  /**
   * The body of a request is longer than `maxBodyBytes`.
   * @retryable no
   * @remedy Raise `maxBodyBytes`, or sign bytes with `sign`.
   * @message body must be at most 3 bytes
   */
  SIGNER_BODY_TOO_LARGE: SignerErrorDetail
  /**
   * The service responded to a request of `createSignedFetch` with a redirect, which was not followed.
   * @retryable no
   * @remedy Request the URL that the service redirects to, if you trust it.
   * @message the response must be no redirect; received status 302. Check the URL of the request
   */
  SIGNER_REDIRECTED: SignerErrorDetail & {
    /** HTTP status of the response; 0 in browsers, which do not show it. */
    readonly status: number
  }
  /**
   * A gRPC request that cannot be signed: its method streams requests, or it is not in the binary format.
   * @retryable no
   * @remedy Sign unary and server-streaming methods only, in the binary format.
   * @message the method must be unary or server streaming, because a signature covers one message; received /a.B/C
   */
  SIGNER_METHOD_UNSUPPORTED: SignerErrorDetail
  /**
   * The caller changed the message of a gRPC request while it was signed.
   * @retryable no
   * @remedy Pass a copy of the message.
   * @message the message must not change while it is signed: pass a copy
   */
  SIGNER_MESSAGE_CHANGED: SignerErrorDetail
  /**
   * The runtime has no WebCrypto, as on a page without HTTPS.
   * @retryable no
   * @remedy Use HTTPS, or pass the option `crypto`.
   * @message crypto.subtle must be available: on a page use HTTPS, elsewhere pass hash functions as the option
   *   "crypto"
   */
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
