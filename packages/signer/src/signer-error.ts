/** The error of this package. Every code says the same three things, which keeps the code for Workers small. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'

/** What an error says beside its message. Never a value: it may hold a secret. */
export type SignerErrorDetail = {
  /** The option, input or part of the request at fault, for example `'appSecret'` or `'body'`. */
  readonly field: string
  readonly expected: string
  /** What kind of thing was there instead, where that says more. */
  readonly received?: string | undefined
}

/** What each code says beside its message. */
export interface SignerErrorDetails {
  /** An option is wrong, or a port of the options (clock, nonce) gave something unusable. */
  SIGNER_OPTION_INVALID: SignerErrorDetail
  /** Something that was to be signed or compared is wrong. */
  SIGNER_INPUT_INVALID: SignerErrorDetail
  /** A URL cannot be signed as it stands. */
  SIGNER_URL_INVALID: SignerErrorDetail
  /** A request carries a header that must never be sent. */
  SIGNER_HEADER_FORBIDDEN: SignerErrorDetail
  /** The body of a request was read before. */
  SIGNER_BODY_USED: SignerErrorDetail
  /** The body of a request has more bytes than allowed. */
  SIGNER_BODY_TOO_LARGE: SignerErrorDetail
  /** This runtime has no WebCrypto here. */
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

/** Whether `value` is an error of this package, and of this code where one is given. */
export const isSignerError = /* @__PURE__ */ errorGuard<{ [C in SignerErrorCode]: SignerError<C> }>('signer')

/** Makes an error: its message says what the details say. */
export function failure<C extends SignerErrorCode>(
  code: C,
  field: string,
  expected: string,
  received?: string,
): SignerError<C> {
  const got = received === undefined ? '' : `, got ${received}`
  return new SignerError(code, `${field}: expected ${expected}${got}`, {
    details: { field, expected, received },
  })
}

/** Makes the error of a wrong option. */
export const optionInvalid = (field: string, expected: string, received: string): SignerError =>
  failure('SIGNER_OPTION_INVALID', field, expected, received)
