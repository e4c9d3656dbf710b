/** `CoreError`, its codes and its guard. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from './error.ts'
import { type OptionFailure, optionMessage } from './options/failure.ts'

/** The details of each error code. */
export interface CoreErrorDetails {
  /** The endpoint table has no such address. `option` is the option that sets the address. */
  ENDPOINT_UNKNOWN: { readonly option: string; readonly region: string; readonly environment: string }
  /** The value of a `Secret` is not a string. */
  SECRET_INVALID: { readonly expected: string; readonly received: string }
  /** An option of the endpoint table is invalid. */
  ENDPOINT_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** An option of the service's clock is invalid. */
  CLOCK_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** An option of `createLease`, `createBrokerage` or a function of `@brokerwire/core/proxy` is invalid. */
  OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /**
   * The clocks of the service and the host differ by more than `maxClockOffsetMs`. Instants are milliseconds since the Unix
   * epoch.
   */
  CLOCK_IMPLAUSIBLE: {
    readonly serverNowMs: number
    readonly hostNowMs: number
    readonly maxClockOffsetMs: number
  }
  /**
   * A proxy responded to CONNECT with another status than 2xx. `proxy` is its address without user and
   * password, `source` is the variable or the option that contains the address, and `target` is `host:port`.
   */
  PROXY_REFUSED: {
    readonly proxy: string
    readonly source: string
    readonly target: string
    readonly status: number
  }
  /**
   * The connection to a proxy failed, or the proxy did not respond to CONNECT. `reason` is a code such as
   * `ECONNREFUSED` or `ETIMEDOUT`.
   */
  PROXY_UNREACHABLE: {
    readonly proxy: string
    readonly source: string
    readonly target: string
    readonly reason: string
  }
}

/** The codes of {@link CoreError}. They are stable across versions. */
export type CoreErrorCode = keyof CoreErrorDetails

/** The error of `@brokerwire/core`. */
export class CoreError<C extends CoreErrorCode = CoreErrorCode> extends BrokerwireError<
  C,
  CoreErrorDetails[C]
> {
  /** Name of the error class. */
  override readonly name = 'CoreError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<CoreErrorDetails[C]>) {
    super('core', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package and, if you pass a code, has that code.
 *
 * @example
 * ```ts
 * import { isCoreError } from '@brokerwire/core'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isCoreError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export const isCoreError = errorGuard<{ [C in CoreErrorCode]: CoreError<C> }>('core')

/** Returns a function that creates the error with this code for an invalid option. */
export function coreOptionFailure(
  code: 'ENDPOINT_INVALID' | 'CLOCK_INVALID' | 'OPTION_INVALID',
): OptionFailure {
  return (option, expected, received, message = optionMessage(option, expected, received)) =>
    new CoreError(code, message, { details: { option, expected, received } })
}
