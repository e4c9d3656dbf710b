/** The error of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from './error.ts'
import { type OptionFailure, optionMessage } from './options/failure.ts'

/** What each code says beside its message. */
export interface CoreErrorDetails {
  /** No address is known for this entry: the option names where to set one. */
  ENDPOINT_UNKNOWN: { readonly option: string; readonly region: string; readonly environment: string }
  /** A `Secret` was made of something that is no text. */
  SECRET_INVALID: { readonly expected: string; readonly received: string }
  /** An option of the endpoint table is wrong. */
  ENDPOINT_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** An option of the service's clock is wrong. */
  CLOCK_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** An option of `createLease`, or of a `createBrokerage` that no package behind it knows, is wrong. */
  OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** The service's clock and the host's are further apart than either is plausible. In ms since the Unix epoch. */
  CLOCK_IMPLAUSIBLE: {
    readonly serverNowMs: number
    readonly hostNowMs: number
    readonly maxClockOffsetMs: number
  }
  /**
   * A proxy answered CONNECT with another status than 2xx. `proxy` is its address without user and password, `source` the
   * variable or the option that contains it, `target` is `host:port`.
   */
  PROXY_REFUSED: {
    readonly proxy: string
    readonly source: string
    readonly target: string
    readonly status: number
  }
  /** No connection to a proxy, or no response to CONNECT. `reason` is a code such as `ECONNREFUSED` or `ETIMEDOUT`. */
  PROXY_UNREACHABLE: {
    readonly proxy: string
    readonly source: string
    readonly target: string
    readonly reason: string
  }
}

/** Stable codes of {@link CoreError}. */
export type CoreErrorCode = keyof CoreErrorDetails

/** The error of `@brokerwire/core`. */
export class CoreError<C extends CoreErrorCode = CoreErrorCode> extends BrokerwireError<
  C,
  CoreErrorDetails[C]
> {
  override readonly name = 'CoreError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<CoreErrorDetails[C]>) {
    super('core', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and of this code where one is given.
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

/** How a wrong option fails with this code. */
export function coreOptionFailure(
  code: 'ENDPOINT_INVALID' | 'CLOCK_INVALID' | 'OPTION_INVALID',
): OptionFailure {
  return (option, expected, received, message = optionMessage(option, expected, received)) =>
    new CoreError(code, message, { details: { option, expected, received } })
}
