/**
 * `#host` on all runtimes but Cloudflare's: Node, Deno, Bun, browsers, each known by what it has.
 *
 * One request is one request on the wire. A host's `fetch` repeats by itself, whatever the method: Node's and browsers'
 * on status 421 (Fetch standard, HTTP-network-or-cache fetch), Deno's, Bun's and Chromium's where a kept-alive connection
 * ends before the answer. What keeps each of them from it stands here.
 *
 * A body without a source would do for 421 in Node, but it changes the framing to chunked, and is no way for a request
 * without one. So Node's `fetch` gets a dispatcher that sends once and hides the statuses of which it makes something of
 * its own; Deno and Bun get a connection of its own for each request that must not be repeated. Browsers leave no way.
 */
import type { HostFailure, Sending, SingleSend } from './port.ts'

/** The parts of undici's handlers and dispatchers that are used; `onConnect` and `onHeaders` are the older form. */
interface Handler {
  onConnect?(end: (reason: unknown) => void, ...more: readonly unknown[]): unknown
  onRequestStart?(controller: { abort(reason: unknown): void }, ...more: readonly unknown[]): unknown
  onHeaders?(status: number, ...more: readonly unknown[]): unknown
  onResponseStart?(controller: unknown, status: number, ...more: readonly unknown[]): unknown
}
interface Dispatcher {
  readonly isMockActive?: unknown
  dispatch(request: unknown, handler: Handler): unknown
}

interface Host {
  readonly Headers?: unknown
  readonly fetch?: unknown
  readonly Bun?: unknown
  readonly Deno?: {
    createHttpClient?(options: { readonly poolMaxIdlePerHost: number }): { close(): void }
  }
  readonly navigator?: { readonly userAgent?: unknown }
  readonly [dispatcher: symbol]: Dispatcher | undefined
}

const host = globalThis as unknown as Host
const DISPATCHER = Symbol.for('undici.globalDispatcher.1')
const NEWER_DISPATCHER = Symbol.for('undici.globalDispatcher.2')

/** 407: an error of `fetch` without an answer. 421: sent again. */
const HIDDEN: ReadonlySet<number> = new Set([407, 421])
/** What a client takes an unknown 4xx for (RFC 9110, section 15). */
const SHOWN = 400

/** Node's own dispatcher, or the one that the application has set. */
function hostDispatcher(handler?: Handler): Dispatcher | undefined {
  const newer = handler?.onResponseStart === undefined ? undefined : host[NEWER_DISPATCHER]
  return newer ?? host[DISPATCHER]
}

let lookedAt: unknown
let isNodesOwn = false
/** Whether `fetch` is the one that Node brings, and no replacement that may go another way than through the dispatcher. */
function isNodesFetch({ fetch }: Host): boolean {
  if (fetch !== lookedAt) {
    lookedAt = fetch
    isNodesOwn = /undici/.test(Function.prototype.toString.call(fetch))
  }
  return isNodesOwn
}

/** Ends a request through its handler. It is asked whether it was ended, and nobody listens to it. */
function requestEnder() {
  let end: ((reason: unknown) => void) | undefined
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener() {},
    removeEventListener() {},
  }
  const abort = (reason?: unknown): void => {
    signal.aborted = true
    signal.reason = reason
    end?.(reason)
  }
  /** Told how the request is ended as soon as it has a connection. */
  const begin = (ends: (reason: unknown) => void): void => {
    end = ends
    if (signal.aborted) ends(signal.reason)
  }
  return { controller: { signal, abort }, begin }
}

function throughDispatcher(endsItself: boolean): SingleSend {
  const { controller, begin } = requestEnder()
  let sent = false
  let hidden: number | undefined
  const hide = (status: number): number => {
    if (!HIDDEN.has(status)) return status
    hidden = status
    return SHOWN
  }
  const dispatcher: Dispatcher = {
    get isMockActive() {
      return hostDispatcher()?.isMockActive
    },
    dispatch(request, handler) {
      const target = hostDispatcher(handler)
      if (sent || controller.signal.aborted || target === undefined) {
        throw Object.assign(new Error('a request is sent once'), { code: 'REPEAT_REFUSED' })
      }
      sent = true
      const { onConnect, onRequestStart, onHeaders, onResponseStart } = handler
      // In place: `fetch` makes a handler for each dispatch, and a layer over it would cost a tenth of a request.
      if (onResponseStart !== undefined) {
        handler.onResponseStart = (controller, status, ...more) =>
          onResponseStart.call(handler, controller, hide(status), ...more)
      } else if (onHeaders !== undefined) {
        handler.onHeaders = (status, ...more) => onHeaders.call(handler, hide(status), ...more)
      }
      if (endsItself && onRequestStart !== undefined) {
        handler.onRequestStart = (own, ...more) => {
          const result = onRequestStart.call(handler, own, ...more)
          begin((reason) => own.abort(reason))
          return result
        }
      } else if (endsItself && onConnect !== undefined) {
        handler.onConnect = (end, ...more) => {
          const result = onConnect.call(handler, end, ...more)
          begin(end)
          return result
        }
      }
      return target.dispatch(request, handler)
    },
  }
  return {
    init: { dispatcher: dispatcher as never, ...(endsItself && { signal: undefined as never }) },
    controller: endsItself ? controller : undefined,
    isCertain: () => sent,
    statusOf: (shown) => (shown === SHOWN ? (hidden ?? shown) : shown),
  }
}

const plain = (certain: boolean, init?: Sending, release?: () => void): SingleSend => ({
  init,
  isCertain: () => certain,
  statusOf: (shown) => shown,
  release,
})

/**
 * What `fetch` needs to be told so that it sends once.
 *
 * @param strict - Whether a repeat could do harm. Where none could, Deno and Bun keep their connections.
 * @param own - Whether it is the host's own `fetch`: what a replacement does with this is known in Node alone, where
 * the dispatcher sees whether it was asked.
 */
export function sendOnce(strict: boolean, own: boolean): SingleSend {
  // Node makes its dispatcher when something of `fetch` is looked at for the first time.
  if (host[DISPATCHER] === undefined) void host.Headers
  if (host.Bun !== undefined) return strict ? plain(own, { keepalive: false }) : plain(false)
  if (host.Deno !== undefined) {
    const client = strict ? host.Deno.createHttpClient?.({ poolMaxIdlePerHost: 0 }) : undefined
    if (client === undefined) return plain(false)
    return plain(own, { client: client as never }, () => client.close())
  }
  if (hostDispatcher() !== undefined) return throughDispatcher(own && isNodesFetch(host))
  return plain(own && host.navigator?.userAgent === 'Cloudflare-Workers')
}

const BEFORE_SENDING: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  // The host refuses the request itself.
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  // Of the handshake alone. Other alerts may come after the request went out, as TLS 1.3 does not wait, and so may
  // ERR_SSL_WRONG_VERSION_NUMBER, where somebody on the way writes plain text into a connection that stands.
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
  // Bun
  'ConnectionRefused',
])

/** Why a request surely did not leave; `undefined` where a failure does not tell. */
export function unsentBecause(error: HostFailure): string | undefined {
  const { code, syscall, message } = error
  if (message === 'bad port') return 'bad_port'
  // Node's own, for a server that leaves before the handshake is done: no call of the system failed, and the address stands
  // beside it. (A reset in the handshake looks like any other.)
  const isBeforeHandshake =
    code === 'ECONNRESET' && syscall === undefined && 'host' in error && 'localAddress' in error
  return isBeforeHandshake || BEFORE_SENDING.has(code) ? 'connect' : undefined
}

/**
 * Words for a limit of the host's own, where a failure's code tells of one: Node's `fetch` gives up after 300 s without
 * headers, or without another byte, whatever the request's limit is.
 */
export function hostLimit(reason: string): string | undefined {
  return /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(reason) ? `the host's own limit (${reason})` : undefined
}
