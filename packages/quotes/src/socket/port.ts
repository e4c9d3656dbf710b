/** The port of byte connections, implemented for TCP, TLS and WebSocket. */
import type { ProxyOption } from '@brokerwire/core'
import type { MqttAddress } from './address.ts'

/** A byte connection that is opening or open. */
export interface QuotesSocket {
  /** Sends bytes, in order. Bytes before `opened` or after `closed` are discarded. */
  send(bytes: Uint8Array): void
  /** Sends pending bytes, then closes. */
  end(): void
  /** Closes at once, and discards pending bytes. */
  destroy(): void
}

/** Events of a socket. `closed` is the last one. */
export interface QuotesSocketEvents {
  /** The connection is open. */
  opened(): void
  /**
   * Bytes were received. The bytes are read before this function returns, so the caller may reuse the buffer.
   */
  received(bytes: Uint8Array): void
  /**
   * The connection was closed, or could not be opened. Called once.
   *
   * @param systemCode - The system error code, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`, if the host
   * provides one.
   * @param message - A sentence for the notice, without secrets.
   */
  closed(systemCode?: string | undefined, message?: string | undefined): void
}

/** Opens a socket. Does not throw: a failure is reported by `closed`. */
export type QuotesSocketOpener = (address: MqttAddress, events: QuotesSocketEvents) => QuotesSocket

/**
 * Most bytes that wait to be sent. Only acknowledgements can accumulate, if the broker does not read them. Beyond the limit
 * the connection is closed with the code `ENOBUFS`.
 */
export const MAX_UNSENT_BYTES = 64 * 1024

/** TLS options of TCP connections. */
export interface QuotesTlsOptions {
  /** Certificate authorities in PEM, instead of the host's. Workers and WebSocket reject this option. @defaultValue the host's */
  readonly ca?: string | readonly string[] | undefined
}

/** Options of TCP connections. */
export interface TcpOptions extends QuotesTlsOptions {
  readonly proxy?: ProxyOption | undefined
}

/** Creates an opener for TCP; `undefined` if the host has no TCP. @param maxUnsentBytes - See {@link MAX_UNSENT_BYTES}. */
export type TcpSockets = ((options: TcpOptions, maxUnsentBytes: number) => QuotesSocketOpener) | undefined
