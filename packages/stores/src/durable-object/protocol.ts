/** The messages between a Worker and the object: one request and one response for each operation. */

/** Duration of a lease. The lease expires by itself if its holder's isolate is gone. */
export const LEASE_MS = 30_000
/**
 * Maximum length of a key and its value together, in UTF-16 code units. The platform's limit for objects on
 * SQLite is 2 MB, and a text needs two bytes for each unit if any unit is beyond Latin-1.
 */
export const MAX_TEXT_LENGTH = 1_000_000

/** An operation on the object. */
export type Operation =
  | { readonly op: 'get'; readonly key: string }
  | {
      readonly op: 'compareAndSet'
      readonly key: string
      /** `null` for no value. */
      readonly expected: string | null
      readonly next: string | null
    }
  /** Acquires the lease; a second request of the same holder starts its duration again. */
  | { readonly op: 'lock'; readonly key: string; readonly token: string }
  /** Extends the lease for its holder only; a released lease is not restored. */
  | { readonly op: 'extend'; readonly key: string; readonly token: string }
  | { readonly op: 'unlock'; readonly key: string; readonly token: string }

/** The response: the text of `get` (`null` for none), or whether the operation took effect. */
export type Answer =
  | { readonly value: string | null | boolean }
  /** The stored value is not a text. */
  | { readonly corrupt: true }
