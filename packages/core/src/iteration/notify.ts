/** Notifying observers, which have no say in what they observe. */

/**
 * Calls an observer. What it throws is dropped, and so is what the promise of an `async` one rejects with: nobody waits
 * for it, and an unhandled rejection would end the process.
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
    // A bug in an observer must not fail what it observes.
  }
}
