/**
 * The behaviour of every server in this folder, so that the same tests run against each of them.
 *
 * A server checks the signature over the received bytes. If it is wrong, the response is AuthError and status OK. Otherwise:
 *
 * - Trade service: SubscribeSuccess, Ping, three order events, then UNAVAILABLE. Later calls get the next three events and stay
 *   open. The request ids are `r1`, `r2`, ...
 * - Module service: the same with events of the first event type of the request, after the position of the request. The ids are
 *   `m1`, ..., the positions `1`, ...
 * - An account with the name `large:N` gets one order event whose payload has N characters, instead of the three events.
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
