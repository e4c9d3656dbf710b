/**
 * The differences between runtimes in sending a request: how a host's `fetch` is kept from sending it twice, and
 * how its failures are parsed. `#host` is a subpath import of the package: the condition `workerd` selects the
 * implementation.
 *
 * - `any.ts`: Node, Deno, Bun, browsers, and everything else
 * - `workerd.ts`: Cloudflare Workers
 */
import type { FetchInit } from '@brokerwire/core'
import type { AbortControllerLike } from '@brokerwire/core/internal'

/** Additional options of `fetch`. */
export type HostInit = Pick<FetchInit, 'dispatcher' | 'client' | 'keepalive'> &
  Partial<Pick<FetchInit, 'signal'>>

/** Control over one call of `fetch`. */
export interface SendControl {
  /** Options that are added to those of the request, or replace them. */
  readonly init?: HostInit | undefined
  /** Whether it is known that the host sent the request at most once. */
  isSentOnce(): boolean
  /** Returns the status of the response as the service sent it. @param shown - The status that `fetch` returned. */
  originalStatus(shown: number): number
  /**
   * Aborts the request. It is set only if the host needs no signal for that. On Node a signal with its
   * listener takes more than a tenth of the time of a request.
   */
  readonly controller?: AbortControllerLike | undefined
  /** Releases the resources of this call. */
  readonly release?: (() => void) | undefined
}

/** Why a request was certainly not sent. */
export interface UnsentCause {
  /** The code that is reported if the host's error has no code. */
  readonly code: string
  /** Whether the host rejects the request itself. */
  readonly isPermanent: boolean
}

/** Why a proxy opened no connection. The request was not sent. */
export interface ProxyFailure {
  /** Whether the proxy rejected the connection or was not reached. */
  readonly code: 'PROXY_REFUSED' | 'PROXY_UNREACHABLE'
  /** A message with the reason and what to do. It does not contain the proxy's user and password. */
  readonly text: string
  /** Whether the same connection may succeed later. */
  readonly retryable: boolean
  /** The proxy's address, source and response status. */
  readonly details: ProxyDetails
}

/** A proxy that opened no connection. */
export type ProxyDetails = {
  /** Its address without user and password. `undefined` if the `fetch` does not report it. */
  readonly address: string | undefined
  /** The variable or the option with its address, for example `HTTPS_PROXY`. `undefined` if the `fetch` does not report it. */
  readonly source: string | undefined
  /** The status of its response to CONNECT. `undefined` if there is none. */
  readonly status: number | undefined
}

/** Properties that hosts set in an error. */
export interface HostError {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly message?: unknown
}
