/**
 * The error base of every package.
 *
 * Errors are recognized by a registry symbol, not by `instanceof`: two copies of a package in one process (a
 * common result of version ranges) still recognize each other's errors. `name` is literal, because minifiers
 * rename constructors.
 */

import { ownOptions } from './options/own-options.ts'

/** Present on every error of the toolkit; its value is the package's short name, for example `'signer'`. */
export const ERROR_BRAND: unique symbol = Symbol.for('@brokerwire/error') as never

/** What an error says beside its message. Safe to log: never a secret, never a value that may hold one. */
export type ErrorDetails = Readonly<Record<string, unknown>>

/** The JSON form of an error. `cause` is reduced to its name and code: a foreign message may quote input. */
export interface ErrorJson {
  readonly name: string
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly details: ErrorDetails
  readonly cause?: { readonly name: string; readonly code?: string | undefined } | undefined
}

/** Options of {@link BrokerwireError}. */
export interface BrokerwireErrorOptions<Details extends ErrorDetails> {
  readonly details: Details
  /** Whether the same call may succeed later without a change by the caller. @defaultValue false */
  readonly retryable?: boolean | undefined
  readonly cause?: unknown
}

/** A cause as far as it may be logged. */
const brief = ({ name, code }: Error & { readonly code?: unknown }): ErrorJson['cause'] => ({
  name,
  code: typeof code === 'string' ? code : undefined,
})

/** Base of each package's one error class. */
export abstract class BrokerwireError<
  Code extends string = string,
  Details extends ErrorDetails = ErrorDetails,
> extends Error {
  abstract override readonly name: string
  /** Stable across versions: match on this, never on the message. */
  declare readonly code: Code
  declare readonly retryable: boolean
  declare readonly details: Details
  /** @internal */
  declare readonly [ERROR_BRAND]: string

  protected constructor(
    brand: string,
    code: Code,
    message: string,
    options: BrokerwireErrorOptions<Details>,
  ) {
    // A cause that is nothing is none.
    const { cause, retryable, details } = ownOptions(options)
    super(message, cause ? { cause } : undefined)
    this.code = code
    this.retryable = Boolean(retryable)
    this.details = details
    this[ERROR_BRAND] = brand
  }

  /** Safe to log. */
  toJSON(): ErrorJson {
    const { name, code, message, retryable, details, cause } = this
    return {
      name,
      code,
      message,
      retryable,
      details,
      cause: cause instanceof Error ? brief(cause) : undefined,
    }
  }
}

/**
 * Whether `value` is an error of any package of the toolkit, from whichever copy of it.
 *
 * @example
 * ```ts
 * import { isBrokerwireError } from '@brokerwire/core'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isBrokerwireError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export function isBrokerwireError(value: unknown): value is BrokerwireError {
  return (value as BrokerwireError | null | undefined)?.[ERROR_BRAND] !== undefined
}

/**
 * Makes a package's guard.
 *
 * @param brand - The short name that the package's errors carry.
 * @returns A guard that narrows to the package's error, and to one code of it when that is given.
 *
 * @example
 * ```ts
 * import { type BrokerwireError, errorGuard } from '@brokerwire/core'
 *
 * const isMine = errorGuard<{ MINE_BROKEN: BrokerwireError }>('mine')
 * console.log(isMine(new Error('not mine'))) // false
 * ```
 */
export function errorGuard<ErrorOf extends { readonly [C in string]: BrokerwireError }>(
  brand: string,
): <C extends keyof ErrorOf & string = keyof ErrorOf & string>(
  value: unknown,
  code?: C,
) => value is ErrorOf[C] {
  return <C extends keyof ErrorOf & string>(value: unknown, code?: C): value is ErrorOf[C] =>
    (value as BrokerwireError | null | undefined)?.[ERROR_BRAND] === brand &&
    (code === undefined || (value as BrokerwireError).code === code)
}
