/** `CoreError`, its codes and its guard. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from './error.ts'
import { type OptionFailure, optionMessage } from './options/failure.ts'

/** The details of each error code. */
export interface CoreErrorDetails {
  /**
   * The endpoint table has no such address. `option` is the option that sets the address.
   * @retryable no
   * @remedy Set the override that `details.option` names.
   * @message the eventsUrl of us production is not taken from the table, because overrides replace another address:
   *   set the option overrides.eventsUrl
   */
  ENDPOINT_UNKNOWN: { readonly option: string; readonly region: string; readonly environment: string }
  /**
   * The value of a `Secret` is not a string.
   * @retryable no
   * @remedy Pass a string. The environment variable that you read may be unset.
   * @message the value of a Secret must be a string; received undefined
   */
  SECRET_INVALID: { readonly expected: string; readonly received: string }
  /**
   * An option of the endpoint table is invalid.
   * @retryable no
   * @remedy Correct the region, the environment or the override: `details.expected` lists the accepted values.
   * @message unknown option "overrides.baseURL". Did you mean "baseUrl"?
   */
  ENDPOINT_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /**
   * An option of the service's clock is invalid.
   * @retryable no
   * @remedy Correct the option: `details.expected` lists the accepted values.
   * @message maxClockOffsetMs must be a whole number from 0 to 9007199254740991; received -1
   */
  CLOCK_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /**
   * An option of `createLease`, `createBrokerage` or a function of `@brokerwire/core/proxy` is invalid.
   * @retryable no
   * @remedy Correct the option: `details.expected` lists the accepted values.
   * @message validMs must be more than 0 milliseconds; received 0
   */
  OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /**
   * The clocks of the service and the host differ by more than `maxClockOffsetMs`. Instants are milliseconds since the Unix
   * epoch.
   * @retryable no
   * @remedy Correct the wrong clock. `details` has both times.
   * @message the service's clock must be within 86400000 ms of this host's 2023-11-14T22:13:20.000Z; received
   *   2099-01-01T00:00:00.000Z. Correct the wrong clock, or raise maxClockOffsetMs
   */
  CLOCK_IMPLAUSIBLE: {
    readonly serverNowMs: number
    readonly hostNowMs: number
    readonly maxClockOffsetMs: number
  }
  /**
   * A proxy responded to CONNECT with another status than 2xx. `proxy` is its address without user and
   * password, `source` is the variable or the option that contains the address, and `target` is `host:port`.
   * @retryable if the status is 408, 429 or 5xx
   * @remedy For 407 or 401, put user and password into the setting that `details.source` names. Otherwise ask the
   *   operator of the proxy to allow `details.target`.
   * @message the proxy http://127.0.0.1:3128 (HTTPS_PROXY) refused the connection to data.example:1883 with status
   *   403. Ask who runs the proxy to allow this host and port, or connect without it
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
   * @retryable yes
   * @remedy Check that the setting that `details.source` names has the address of a running proxy.
   * @message no connection to data.example:1883 through the proxy http://127.0.0.1:3128 (the option "proxy"):
   *   ECONNREFUSED. Check that the option "proxy" is the address of a proxy that runs
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
