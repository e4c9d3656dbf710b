/** The error of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'

/** What each code says beside its message. */
export interface SignerErrorDetails {
  /** An option is wrong, or a port of the options (clock, nonce, crypto) gave something unusable. */
  SIGNER_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** Something that was to be signed is wrong. */
  SIGNER_INPUT_INVALID: { readonly field: string; readonly expected: string }
  /** A URL cannot be signed as it stands. */
  SIGNER_URL_INVALID: { readonly expected: string }
  /** A request carries a header that must never be sent. */
  SIGNER_HEADER_FORBIDDEN: { readonly header: string }
  /** The body of a request has more bytes than allowed. */
  SIGNER_BODY_TOO_LARGE: { readonly maxBodyBytes: number }
  /** The body of a request was read before. */
  SIGNER_BODY_USED: { readonly expected: string }
  /** This runtime cannot compute a hash. */
  SIGNER_CRYPTO_UNAVAILABLE: { readonly algorithm: string }
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

/** Makes the error of a wrong option. */
export function optionInvalid(
  option: string,
  expected: string,
  received: string,
): SignerError<'SIGNER_OPTION_INVALID'> {
  return new SignerError('SIGNER_OPTION_INVALID', `${option} must be ${expected}, got ${received}`, {
    details: { option, expected, received },
  })
}

/** Makes the error of a wrong input. */
export function inputInvalid(field: string, expected: string): SignerError<'SIGNER_INPUT_INVALID'> {
  return new SignerError('SIGNER_INPUT_INVALID', `${field} must be ${expected}`, {
    details: { field, expected },
  })
}

/** Makes the error of a URL that cannot be signed. */
export function urlInvalid(expected: string): SignerError<'SIGNER_URL_INVALID'> {
  return new SignerError('SIGNER_URL_INVALID', `url must be ${expected}`, { details: { expected } })
}
