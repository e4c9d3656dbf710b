/** The error of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'

/** What an error says beside its message. Never a value: it may hold a secret. */
export type SignerErrorDetail = {
  /** The option, input or header at fault, for example `'appSecret'` or `'body'`. */
  readonly field: string
  readonly expected: string
}

/** What each code says beside its message. */
export interface SignerErrorDetails {
  /** An option is wrong, or a port of the options (clock, nonce) gave something unusable. */
  SIGNER_OPTION_INVALID: SignerErrorDetail
  /** What was to be signed, verified or compared is wrong. */
  SIGNER_INPUT_INVALID: SignerErrorDetail
  /** A URL, or a host and path, cannot be signed as it stands. */
  SIGNER_TARGET_INVALID: SignerErrorDetail
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

/**
 * What every check of this package goes through, and the one shape of all messages: the field and what was expected,
 * never the value. Small on purpose: the code for Workers is counted in bytes.
 *
 * @throws SignerError with `code` where `ok` is falsy.
 * @defaultValue code SIGNER_OPTION_INVALID
 */
export function check(
  ok: unknown,
  field: string,
  expected: string,
  code: SignerErrorCode = 'SIGNER_OPTION_INVALID',
): asserts ok {
  if (!ok) throw new SignerError(code, `${field}: expected ${expected}`, { details: { field, expected } })
}

/** A {@link check} of an option that is one of a few names, those of a table. @returns The name. */
export function checkName<N extends string>(name: unknown, table: Record<N, unknown>, field: string): N {
  check(Object.hasOwn(table, name as N), field, `${Object.keys(table)}`)
  return name as N
}
