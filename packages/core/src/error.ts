/**
 * The base class of all errors. Errors are recognized by a registered symbol instead of `instanceof`.
 * Therefore two copies of a package in one process, which version ranges often cause, recognize each other's
 * errors. `name` is a literal, because minifiers rename classes.
 */

import { ownOptions } from './options/own-options.ts'

/** A property of all errors of these packages. Its value is the package's short name, for example `'signer'`. */
export const ERROR_BRAND: unique symbol = Symbol.for('@brokerwire/error') as never

/** Address of the page with all error codes. The domain is a placeholder until the site has an address. */
export const ERRORS_PAGE = 'https://brokerwire.example/reference/errors'

/**
 * The details of an error. They are safe to log: they contain no secret and no value that may contain one.
 */
export type ErrorDetails = Readonly<Record<string, unknown>>

/**
 * The JSON form of an error. `cause` contains only the name and the code of the cause, because messages of other
 * libraries may quote input.
 */
export interface ErrorJson {
  /** Name of the error class, for example `'CoreError'`. */
  readonly name: string
  /** Error code, stable across versions. */
  readonly code: string
  /** Message for people. It may change between versions. */
  readonly message: string
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean
  /** Details of the error code, safe to log. */
  readonly details: ErrorDetails
  /** Name and code of the cause, if it is an error. */
  readonly cause?: { readonly name: string; readonly code?: string | undefined } | undefined
}

/** Options of {@link BrokerwireError}. */
export interface BrokerwireErrorOptions<Details extends ErrorDetails> {
  /** Details of the error code. They must be safe to log. */
  readonly details: Details
  /** Whether the same call may succeed later without a change. @defaultValue false */
  readonly retryable?: boolean | undefined
  /** The error that caused this one. @defaultValue none */
  readonly cause?: unknown
}

/** Returns the part of a cause that may be logged. */
const brief = ({ name, code }: Error & { readonly code?: unknown }): ErrorJson['cause'] => ({
  name,
  code: typeof code === 'string' ? code : undefined,
})

/**
 * The base class. Each package has one error class, and a guard created by {@link errorGuard}. Match errors with the guard, never
 * by `instanceof` or by the message: it also recognizes errors of a second installed copy.
 *
 * @example
 * ```ts
 * import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
 *
 * interface MyErrorDetails {
 *   MY_LIMIT_REACHED: { readonly limit: number }
 * }
 *
 * export class MyError<C extends keyof MyErrorDetails = keyof MyErrorDetails> extends BrokerwireError<C, MyErrorDetails[C]> {
 *   override readonly name = 'MyError'
 *
 *   constructor(code: C, message: string, options: BrokerwireErrorOptions<MyErrorDetails[C]>) {
 *     super('my-package', code, message, options)
 *   }
 * }
 *
 * export const isMyError = errorGuard<{ [C in keyof MyErrorDetails]: MyError<C> }>('my-package')
 * ```
 */
export abstract class BrokerwireError<
  Code extends string = string,
  Details extends ErrorDetails = ErrorDetails,
> extends Error {
  /** Name of the error class, for example `'CoreError'`. */
  abstract override readonly name: string
  /** Error code, stable across versions. Compare the code, never the message. */
  declare readonly code: Code
  /** Whether the same call may succeed later without a change. */
  declare readonly retryable: boolean
  /** Details of the error code, safe to log. */
  declare readonly details: Details
  /** @internal */
  declare readonly [ERROR_BRAND]: string

  protected constructor(
    brand: string,
    code: Code,
    message: string,
    options: BrokerwireErrorOptions<Details>,
  ) {
    // `cause` must not be a property if there is no cause.
    const { cause, retryable, details } = ownOptions(options)
    super(message, cause ? { cause } : undefined)
    this.code = code
    this.retryable = Boolean(retryable)
    this.details = details
    this[ERROR_BRAND] = brand
  }

  /** Address of the description of the code. It is not in the JSON form, because it follows from the code. */
  get help(): string {
    return `${ERRORS_PAGE}#${this.code.toLowerCase()}`
  }

  /** Returns the JSON form, which is safe to log. */
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
 * Whether `value` is an error of one of these packages, from any copy of the package.
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
 * Creates the guard of a package's error class.
 *
 * @param brand - The package's short name, the value of {@link ERROR_BRAND}.
 * @returns A guard that narrows to the package's error, and to one code if you pass it.
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
