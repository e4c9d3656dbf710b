/** Calls to observers, whose errors are ignored. */

/**
 * Calls an observer and ignores its errors. The rejection of an `async` observer is handled too, because an unhandled rejection
 * would end the process.
 *
 * @example
 * ```ts
 * import { notify } from '@brokerwire/core/internal'
 *
 * declare const observer: { onAttempt?(attempt: { readonly number: number }): void }
 *
 * notify(() => observer.onAttempt?.({ number: 1 }))
 * ```
 */
export function notify(call: () => unknown): void {
  try {
    Promise.resolve(call()).catch(() => {})
  } catch {
    // A bug in an observer must not affect the caller.
  }
}
