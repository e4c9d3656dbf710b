/** The error of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import type { OptionFailure } from '@brokerwire/core/internal'

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

/**
 * Whether `value` is an error of this package, and of this code where one is given.
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

/** How a check fails: with the usual sentence of this package's messages, the field and what it must be. */
const failure =
  (code: SignerErrorCode = 'SIGNER_OPTION_INVALID'): OptionFailure =>
  (field, expected, _received, message = `${field} must be ${expected}`) =>
    new SignerError(code, message, { details: { field, expected } })

/** About an option. */
export const optionFailure = /* @__PURE__ */ failure()
/** About what is to be signed. */
export const inputFailure = /* @__PURE__ */ failure('SIGNER_INPUT_INVALID')

/**
 * What every check of this package goes through, and the usual sentence of its messages: the field and what it must be,
 * never the value.
 *
 * @param message - Where the usual sentence would need a second reading.
 * @throws SignerError with `code` where `ok` is falsy.
 * @defaultValue code SIGNER_OPTION_INVALID
 */
export function check(
  ok: unknown,
  field: string,
  expected: string,
  code?: SignerErrorCode | undefined,
  message?: string | undefined,
): asserts ok {
  if (!ok) throw failure(code)(field, expected, '', message)
}

/** A {@link check} that an option is a function. */
export function checkFunction(value: unknown, field: string): void {
  check(typeof value === 'function', field, 'a function')
}

/** A {@link check} that a value is one of a few names, those of a table. @returns What the table has under it. */
export function choose<N extends string, T>(
  table: Readonly<Record<N, T>>,
  name: unknown,
  field: string,
  code?: SignerErrorCode,
): T {
  const isName = typeof name === 'string' && Object.hasOwn(table, name)
  check(isName, field, `'${Object.keys(table).join("' or '")}'`, code)
  return table[name as N]
}

/** A {@link check} of a number within bounds, which is shown where it is one. */
export function checkRange(value: unknown, field: string, min: number, max: number): asserts value is number {
  const expected = `a number from ${min} to ${max}`
  const ok = typeof value === 'number' && value >= min && value <= max
  const shown = typeof value === 'number' ? `, not ${value}` : ''
  check(ok, field, expected, undefined, `${field} must be ${expected}${shown}`)
}

/** A {@link check} of a whole number. */
export function checkWhole(value: unknown, field: string, min: number): void {
  checkRange(value, field, min, Number.MAX_SAFE_INTEGER)
  check(Number.isInteger(value), field, 'a whole number')
}
