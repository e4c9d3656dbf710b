/**
 * What every server in this folder serves, so that one test can run against each of them.
 *
 * Each checks the signature over the bytes that it received. A wrong one gets AuthError and a clean end. Otherwise:
 *
 * - trade service: SubscribeSuccess, Ping, three order events, then UNAVAILABLE; requests after the first go on with
 *   the next three events and stay open. Request ids: `r1`, `r2`, ...
 * - module service: the same with events of the first event type asked for, beginning after the position that the
 *   request names. Ids `m1`, ...; positions `1`, ...
 * - an account named `large:N` gets one order event whose payload has N characters, instead of the three.
 */

/** A server under the test's hand. */
export interface InteropServer {
  readonly url: string
  close(): Promise<void>
}

/** Credentials that the server accepts. */
export interface InteropCredentials {
  readonly appKey: string
  readonly appSecret: string
}

/** A letter from an account name: how large its one event is. */
export const LARGE_ACCOUNT = /^large:(\d+)$/
