/** The error of this package. */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'

/** The details of each error code. */
export interface StoresErrorDetails {
  /**
   * An option, a key or a value is wrong.
   * @retryable no
   * @remedy Correct the option that `details.option` names.
   * @message key must be a non-empty string; received an empty string
   */
  STORE_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /**
   * Other users can read the file or directory, or could have written it.
   * @retryable no
   * @remedy Change the mode or the owner of `details.path`: `details.reason` states what is wrong.
   * @message /var/lib/app/store/7e9a.lock: expected no access for group and others; received mode 644
   */
  STORE_INSECURE_PERMISSIONS: { readonly path: string; readonly reason: string }
  /**
   * The stored data is not what was written. `path` names the file, the entry, the table or the response.
   * @retryable no
   * @remedy Restore or remove the data that `details.path` names.
   * @message /var/lib/app/store/7e9a.json: format version must be 1 or 2; received 3 of a newer \@brokerwire/stores.
   *   Update it here
   */
  STORE_CORRUPT: { readonly path: string; readonly reason: string }
  /**
   * Another process has acquired the lock, or the lock could not be extended in time. It is the reason of a lock's
   * `lost` signal.
   * @retryable yes
   * @remedy Stop the work that the lock guards, and acquire the lock again.
   * @message the lock is lost: it was not extended
   */
  STORE_LOCK_LOST: { readonly reason: 'taken over' | 'not extended' }
  /**
   * The host rejected an operation on storage.
   * @retryable in a Durable Object; on a server never; for files if the reason is `ENOSPC`, `EDQUOT`, `EMFILE`,
   *   `ENFILE`, `EAGAIN` or `EBUSY`
   * @remedy See `details.reason`.
   * @message compareAndSet: the server rejected it: PermissionViolationError
   */
  STORE_IO: { readonly operation: string; readonly reason: string }
  /**
   * The server was not reached, did not respond in time, or cannot write now. The operation may have taken effect.
   * @retryable yes
   * @remedy Read the value again, then continue from what is stored.
   * @message compareAndSet: the server is not available: no response within 800 ms
   */
  STORE_UNAVAILABLE: { readonly operation: string; readonly reason: string }
  /**
   * The server, bucket or table could lose data or is not set up.
   * @retryable no
   * @remedy Change the setting that `details.setting` names to `details.expected`.
   * @message storage must be file; received memory. Change the bucket, or set requireDurable: false if this store may
   *   forget what it acknowledged
   */
  STORE_MISCONFIGURED: { readonly setting: string; readonly expected: string; readonly received: string }
  /**
   * A text could not be encrypted or decrypted.
   * @retryable as in the cipher's error, else no
   * @remedy Check the keys: `details.reason` and `details.keyId` name the problem. For `newer format`, update this
   *   package.
   * @message the cipher could not decrypt the stored text with the key "key 1" (OperationError). Give the cipher that
   *   key, or delete the text
   */
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
