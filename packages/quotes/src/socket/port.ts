/** A connection that carries bytes, as a port: TCP, TLS and WebSocket look alike behind it. */
import type { ProxyOption } from '@brokerwire/core'
import type { MqttAddress } from './address.ts'

/** A connection that is opened or open. */
export interface QuotesSocket {
  /** Sends bytes, in order. What is sent before it is open, or after it is closed, is dropped. */
  send(bytes: Uint8Array): void
  /** Sends what was handed over, and closes. */
  end(): void
  /** Closes at once. */
  destroy(): void
}

/** What a socket says. Nothing after `closed`. */
export interface QuotesSocketEvents {
  opened(): void
  /** The bytes are read before this returns. */
  received(bytes: Uint8Array): void
  /**
   * Once, also where it never was open.
   *
   * @param systemCode - `ECONNREFUSED`, `CERT_HAS_EXPIRED`, ..., where the host gives one.
   * @param message - A sentence for the notice, free of secrets.
   */
  closed(systemCode?: string | undefined, message?: string | undefined): void
}

/** Opens a socket. Throws nothing: what fails is `closed`. */
export type QuotesSocketOpener = (address: MqttAddress, events: QuotesSocketEvents) => QuotesSocket

/**
 * What may wait for a broker that does not read: acknowledgements are all that goes out without an end, and one that is alive
 * takes them at once. Beyond it a connection is given up with the code `ENOBUFS`.
 */
export const MAX_UNSENT_BYTES = 64 * 1024

/** What TLS connections over TCP trust. */
export interface QuotesTlsOptions {
  /** Certificates in PEM, in place of the host's own. Where the host lets nobody choose (Workers, WebSocket) it is refused. */
  readonly ca?: string | readonly string[] | undefined
}

/** What connections over TCP need to know. */
export interface TcpOptions extends QuotesTlsOptions {
  readonly proxy?: ProxyOption | undefined
}

/** Makes an opener for TCP; `undefined` where there is no TCP. @param maxUnsentBytes - See {@link MAX_UNSENT_BYTES}. */
export type TcpSockets = ((options: TcpOptions, maxUnsentBytes: number) => QuotesSocketOpener) | undefined
