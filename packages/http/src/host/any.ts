/**
 * `#host` on Node, Deno, Bun and in browsers, which are recognized by their globals.
 *
 * One request must be one request on the wire, because a retry by the host reuses nonce and signature. Hosts retry
 * by themselves, whatever the method: Node and browsers after status 421, Deno, Bun and Chromium when a kept-alive
 * connection ends before the response.
 *
 * Each host is kept from that in another way:
 *
 * - Node: by a dispatcher that sends once, see `node-fetch.ts`
 * - Deno, Bun: by a separate connection for each request that must not be sent twice
 * - browsers: their retries cannot be prevented, so `isSentOnce()` is `false`
 */
import { isCoreError } from '@brokerwire/core'
import { notify } from '@brokerwire/core/internal'
import { createDispatcherControl, hasDispatcher } from './node-fetch.ts'
import type { HostError, HostInit, ProxyFailure, SendControl, UnsentCause } from './port.ts'

interface HostGlobals {
  readonly Bun?: unknown
  readonly Deno?: {
    createHttpClient?(options: { readonly poolMaxIdlePerHost: number }): { close(): void }
  }
  readonly navigator?: { readonly userAgent?: unknown }
}

const globals = globalThis as unknown as HostGlobals

const hostControl = (isSentOnce: boolean, init?: HostInit, release?: () => void): SendControl => ({
  init,
  isSentOnce: () => isSentOnce,
  originalStatus: (shown) => shown,
  release,
})

/**
 * Creates the control of one call of `fetch`.
 *
 * @param mustSendOnce - Whether a retry by the host could do harm. If `false`, Deno and Bun reuse
 * connections. On Node the value has no effect.
 * @param isHostFetch - Whether the client calls the host's `fetch` and not a replacement. Only Node's
 * dispatcher shows how often a replacement sends a request.
 */
export function createSendControl(mustSendOnce: boolean, isHostFetch: boolean): SendControl {
  if (globals.Bun !== undefined)
    return mustSendOnce ? hostControl(isHostFetch, { keepalive: false }) : hostControl(false)
  if (globals.Deno !== undefined) {
    const client = mustSendOnce ? createDenoClient() : undefined
    if (client === undefined) return hostControl(false)
    return hostControl(isHostFetch, { client: client as never }, () => notify(() => client.close()))
  }
  if (hasDispatcher()) return createDispatcherControl(isHostFetch)
  // Workers use this file only in a bundle that was built without the condition `workerd`. Their `fetch`
  // sends once.
  return hostControl(isHostFetch && globals.navigator?.userAgent === 'Cloudflare-Workers')
}

/**
 * Creates a client of Deno that keeps no connections. Returns `undefined` if this version of Deno cannot
 * create one.
 */
function createDenoClient() {
  try {
    return globals.Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 })
  } catch {
    return undefined
  }
}

/** Codes of errors that precede the first byte of the request. */
const UNSENT_CODES: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  // Only TLS alerts that end the handshake are listed. Other alerts may arrive after the request was sent,
  // because a TLS 1.3 client does not wait for them. ERR_SSL_WRONG_VERSION_NUMBER may also arrive after that,
  // if plain text is injected into an open connection.
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
  // Bun
  'ConnectionRefused',
])

/** Codes of errors by which a host rejects the request itself. */
const REJECTED_CODES: ReadonlySet<unknown> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'])

/** Returns why a request was certainly not sent; `undefined` if the error does not show that. */
export function unsentCause(error: HostError): UnsentCause | undefined {
  const { code, syscall, message } = error
  if (message === 'bad port') return { code: 'bad_port', isPermanent: true }
  if (REJECTED_CODES.has(code)) return { code: 'rejected', isPermanent: true }
  // Recognizes Node's error for a server that closes the connection before the TLS handshake is complete. The
  // error has no `syscall`, because no system call failed, and it has the address. A reset during the
  // handshake looks like any other reset, so it is not recognized.
  const isBeforeHandshake =
    code === 'ECONNRESET' && syscall === undefined && 'host' in error && 'localAddress' in error
  return isBeforeHandshake || UNSENT_CODES.has(code) ? { code: 'connect', isPermanent: false } : undefined
}

/** The message of undici's error after a proxy rejected CONNECT. undici has no error code for this. */
const UNDICI_REFUSAL = /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/

/**
 * Recognizes a proxy that opened no connection, in errors of the `fetch` of `@brokerwire/core/proxy` and of undici's `ProxyAgent`,
 * which is also what Node uses with `NODE_USE_ENV_PROXY`.
 */
export function proxyFailure(error: HostError): ProxyFailure | undefined {
  if (isCoreError(error, 'PROXY_REFUSED') || isCoreError(error, 'PROXY_UNREACHABLE')) {
    const { code, message, retryable, details } = error
    const { proxy, source, status } = { status: undefined, ...details }
    return { code, text: message, retryable, details: { address: proxy, source, status } }
  }
  const [, digits] = UNDICI_REFUSAL.exec(String(error.message)) ?? []
  if (error.code !== 'UND_ERR_ABORTED' || digits === undefined) return undefined
  const status = Number(digits)
  return {
    code: 'PROXY_REFUSED',
    text: `the proxy rejected the connection with status ${status}`,
    retryable: status >= 500 || status === 408 || status === 429,
    details: { address: undefined, source: undefined, status },
  }
}

/**
 * Returns a description of the host's own time limit, if `code` shows that this limit ended the request.
 * Node's `fetch` fails after 300 s without headers, or without another byte, even if the request has a longer
 * limit.
 */
export function hostTimeout(code: string): string | undefined {
  return /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code) ? `the host's own limit (${code})` : undefined
}
