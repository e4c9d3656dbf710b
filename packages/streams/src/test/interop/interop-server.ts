/**
 * The behaviour of every server in this folder, so that the same tests run against each of them.
 *
 * A server checks the signature over the received bytes. It answers a wrong one with AuthError and status OK. Otherwise:
 *
 * - trade service: SubscribeSuccess, Ping, three order events, then UNAVAILABLE; requests after the first go on with
 *   the next three events and stay open. Request ids: `r1`, `r2`, ...
 * - module service: the same with events of the first event type asked for, beginning after the position that the
 *   request names. Ids `m1`, ...; positions `1`, ...
 * - an account named `large:N` gets one order event whose payload has N characters, instead of the three.
 */

/** A running server. */
export interface InteropServer {
  readonly url: string
  close(): Promise<void>
}

/** Credentials that the server accepts. */
export interface InteropCredentials {
  readonly appKey: string
  readonly appSecret: string
}

/** Pattern of an account name that has the payload size of its one event. */
export const LARGE_ACCOUNT = /^large:(\d+)$/
