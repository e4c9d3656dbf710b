/** The error of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'

/** The details of each error code. */
export interface StoresErrorDetails {
  /** An option, a key or a value is wrong. */
  STORE_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** Other users can read the file or directory, or could have written it. */
  STORE_INSECURE_PERMISSIONS: { readonly path: string; readonly reason: string }
  /** The stored data is not what was written. `path` names the file, the entry, the table or the response. */
  STORE_CORRUPT: { readonly path: string; readonly reason: string }
  /**
   * Another process has acquired the lock, or the lock could not be extended in time. It is the reason of a lock's
   * `lost` signal.
   */
  STORE_LOCK_LOST: { readonly reason: 'taken over' | 'not extended' }
  /** The host rejected an operation on storage. */
  STORE_IO: { readonly operation: string; readonly reason: string }
  /**
   * The server was not reached, did not respond in time, or cannot write now. The operation may have taken effect.
   */
  STORE_UNAVAILABLE: { readonly operation: string; readonly reason: string }
  /** The server, bucket or table could lose data or is not set up. */
  STORE_MISCONFIGURED: { readonly setting: string; readonly expected: string; readonly received: string }
  /** A text could not be encrypted or decrypted. */
  STORE_CIPHER_FAILED: {
    readonly reason: 'malformed' | 'newer format' | 'not sealed' | 'not opened' | 'not sealed by the cipher'
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
 * Whether `value` is an error of this package, and has this code if one is given.
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
export function lockLost(reason: 'taken over' | 'not extended'): StoresError<'STORE_LOCK_LOST'> {
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
