/** What a Worker and the object say to each other. One operation, one request, one answer. */

/** A lease runs out by itself, so that a holder whose isolate is gone holds nobody up for longer. */
export const LEASE_MS = 30_000

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
  /** Takes the lease, or prolongs it for who has it. */
  | { readonly op: 'lock'; readonly key: string; readonly token: string }
  | { readonly op: 'unlock'; readonly key: string; readonly token: string }

/** The answer: the text of `get` (`null` for none), or whether the operation took effect. */
export interface Answer {
  readonly value: string | null | boolean
}
