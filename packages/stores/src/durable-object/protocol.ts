/** What a Worker and the object say to each other. One operation, one request, one answer. */

/** A lease runs out by itself, so that a holder whose isolate is gone holds nobody up for longer. */
export const LEASE_MS = 30_000
/**
 * The most that a key and its value take together, in UTF-16 code units: the platform's bound for objects on SQLite is
 * 2 MB, and a text takes two bytes for each unit where one of them is beyond Latin-1.
 */
export const MAX_TEXT_LENGTH = 1_000_000

/** An operation on the object. */
export type Operation =
  | { readonly op: 'get'; readonly key: string }
  | {
      readonly op: 'compareAndSet'
      readonly key: string
      /** `null` where nothing is expected, or nothing is left. */
      readonly expected: string | null
      readonly next: string | null
    }
  /** Takes the lease; asked again by its holder, it begins anew. */
  | { readonly op: 'lock'; readonly key: string; readonly token: string }
  /** Prolongs the lease for its holder, and for nobody else: one that was given back does not return. */
  | { readonly op: 'prolong'; readonly key: string; readonly token: string }
  | { readonly op: 'unlock'; readonly key: string; readonly token: string }

/** The answer: the text of `get` (`null` for none), or whether the operation took effect. */
export type Answer =
  | { readonly value: string | null | boolean }
  /** What is stored under the key is no text. */
  | { readonly corrupt: true }
