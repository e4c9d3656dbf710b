/** The error of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'

/** What each code says beside its message. */
export interface StoresErrorDetails {
  /** An option, a key or a value is wrong. */
  STORE_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** A file or directory that others could have written or can read. */
  STORE_INSECURE_PERMISSIONS: { readonly path: string; readonly reason: string }
  /** What is stored is not what was written. `path`: of the file; of the entry, in a Durable Object. */
  STORE_CORRUPT: { readonly path: string; readonly reason: string }
  /** A lock that was held was taken over, or could not be prolonged in time. The reason of a lock's `lost`. */
  STORE_LOCK_LOST: { readonly reason: 'taken over' | 'not prolonged' }
  /** The host refused an operation on storage. */
  STORE_IO: { readonly operation: string; readonly reason: string }
  /**
   * A server that others share was not reached, did not answer in time, or cannot write at present. What was asked for may
   * have been done all the same.
   */
  STORE_UNAVAILABLE: { readonly operation: string; readonly reason: string }
  /** A server, bucket or table that would not keep what the store promises, or is not set up. */
  STORE_MISCONFIGURED: { readonly setting: string; readonly expected: string; readonly received: string }
  /** A text could not be sealed, or what is stored could not be opened. */
  STORE_CIPHER_FAILED: {
    readonly reason: 'malformed' | 'not sealed' | 'not opened' | 'not sealed by the cipher'
    readonly keyId: string | undefined
    readonly errorName: string | undefined
  }
}

/** Stable codes of {@link StoresError}. */
export type StoresErrorCode = keyof StoresErrorDetails

/** The error of `@brokerwire/stores`. */
export class StoresError<C extends StoresErrorCode = StoresErrorCode> extends BrokerwireError<
  C,
  StoresErrorDetails[C]
> {
  override readonly name = 'StoresError'

  constructor(code: C, message: string, options: BrokerwireErrorOptions<StoresErrorDetails[C]>) {
    super('stores', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and of this code where one is given.
 *
 * @example
 * ```ts
 * import { isStoresError } from '@brokerwire/stores'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isStoresError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export const isStoresError = errorGuard<{ [C in StoresErrorCode]: StoresError<C> }>('stores')

/** @internal The reason of a lock's `lost`. */
export function lockLost(reason: 'taken over' | 'not prolonged'): StoresError<'STORE_LOCK_LOST'> {
  return new StoresError('STORE_LOCK_LOST', `the lock is lost: it was ${reason}`, {
    details: { reason },
    retryable: true,
  })
}

/** @internal */
export const optionFailure: OptionFailure = (
  option,
  expected,
  received,
  message = optionMessage(option, expected, received),
) => new StoresError('STORE_OPTION_INVALID', message, { details: { option, expected, received } })
