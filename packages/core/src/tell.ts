/** Telling somebody who cannot steer: observers and notifiers. */

/**
 * Calls them. What they throw is dropped, and so is what the promise of an `async` one rejects with: nobody waits for
 * it, and an unhandled rejection would end the process.
 */
export function tell(call: () => unknown): void {
  try {
    Promise.resolve(call()).catch(() => {})
  } catch {
    // A bug in whoever is told must not fail what it is told of.
  }
}
