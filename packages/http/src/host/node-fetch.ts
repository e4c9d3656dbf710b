/**
 * Keeps Node's `fetch` from sending a request twice. It retries a request after status 421 (Fetch standard, "HTTP-network-or-cache
 * fetch"), with the same nonce and signature, and turns status 407 into an error without a response.
 *
 * No option of `fetch` prevents this. So each call gets a separate dispatcher, which sends once and hides
 * both statuses from `fetch`. The dispatcher relies on these internals of undici, the implementation of
 * `fetch` in Node 20, 22, 24 and 26:
 *
 * - the global dispatcher is `globalThis[Symbol.for('undici.globalDispatcher.1')]`, or `.2` for handlers of the newer form
 * - `fetch` accepts the option `dispatcher`, and calls its `dispatch(request, handler)` each time it sends
 *   the request
 * - handlers have `onRequestStart(controller)` and `onResponseStart(controller, status)`, or in the older form
 *   `onConnect(abort)` and `onHeaders(status)`
 * - the text of the function `fetch` contains "undici"
 *
 * A dispatcher that the application has set may retry by itself (undici's `RetryAgent`). `isSentOnce()`
 * cannot detect these retries: it states only what `fetch` did.
 *
 * If an internal changes, a case of `test/node-fetch-cases.ts` fails on that version (`pnpm runtimes --all`).
 * Until this file is adapted, `isSentOnce()` is `false` if the dispatcher is not used or its handlers have
 * other methods. Errors then state that a request may have been sent more than once.
 */
import type { SendControl } from './port.ts'

/** Parts of undici's handlers. */
interface Handler {
  onConnect?(abort: (reason: unknown) => void, ...more: readonly unknown[]): unknown
  onRequestStart?(controller: { abort(reason: unknown): void }, ...more: readonly unknown[]): unknown
  onHeaders?(status: number, ...more: readonly unknown[]): unknown
  onResponseStart?(controller: unknown, status: number, ...more: readonly unknown[]): unknown
}

/** Parts of undici's dispatchers. */
interface Dispatcher {
  readonly isMockActive?: unknown
  dispatch(request: unknown, handler: Handler): unknown
}

interface NodeGlobals {
  readonly Headers?: unknown
  readonly fetch?: unknown
  readonly [dispatcher: symbol]: Dispatcher | undefined
}

const globals = globalThis as unknown as NodeGlobals
const DISPATCHER = Symbol.for('undici.globalDispatcher.1')
const NEWER_DISPATCHER = Symbol.for('undici.globalDispatcher.2')

/**
 * The statuses that `fetch` must not see: after 407 it fails without a response, and after 421 it sends
 * again.
 */
const HIDDEN_STATUSES: ReadonlySet<number> = new Set([407, 421])
/** The status that `fetch` sees instead. Clients treat an unknown 4xx as 400 (RFC 9110, section 15). */
const SHOWN_STATUS = 400

/** Returns Node's own dispatcher, or the one that the application has set. */
function globalDispatcher(handler?: Handler): Dispatcher | undefined {
  const newer = handler?.onResponseStart === undefined ? undefined : globals[NEWER_DISPATCHER]
  return newer ?? globals[DISPATCHER]
}

/** Whether `fetch` sends through a dispatcher. */
export function hasDispatcher(): boolean {
  // Node creates its dispatcher when a global of `fetch` is first used.
  if (globals[DISPATCHER] === undefined) void globals.Headers
  return globalDispatcher() !== undefined
}

let checkedFetch: unknown
let isNative = false

/** Whether `fetch` is Node's own, not a replacement that may send without the dispatcher. */
function isNativeFetch({ fetch }: NodeGlobals): boolean {
  if (fetch !== checkedFetch) {
    checkedFetch = fetch
    isNative = /undici/.test(Function.prototype.toString.call(fetch))
  }
  return isNative
}

/**
 * Creates a controller that aborts a request through the request's handler. Its signal calls no listeners.
 */
function createRequestAborter() {
  let abortRequest: ((reason: unknown) => void) | undefined
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener() {},
    removeEventListener() {},
  }
  const abort = (reason?: unknown): void => {
    signal.aborted = true
    signal.reason = reason
    abortRequest?.(reason)
  }
  /** Receives the function that ends the request as soon as the request has a connection. */
  const onConnected = (abort: (reason: unknown) => void): void => {
    abortRequest = abort
    if (signal.aborted) abort(signal.reason)
  }
  return { controller: { signal, abort }, onConnected }
}

/** Creates the control of one request, with a dispatcher that sends it once. @param isHostFetch - Whether the client calls the global `fetch`. */
export function createDispatcherControl(isHostFetch: boolean): SendControl {
  // A replacement of `fetch` may need the signal. Node's own `fetch` needs none, because the handler can end
  // the request.
  const endsThroughHandler = isHostFetch && isNativeFetch(globals)
  const { controller, onConnected } = createRequestAborter()
  let isDispatched = false
  let isKnownHandler = false
  let hiddenStatus: number | undefined
  const hide = (status: number): number => {
    if (!HIDDEN_STATUSES.has(status)) return status
    hiddenStatus = status
    return SHOWN_STATUS
  }
  const dispatcher: Dispatcher = {
    get isMockActive() {
      return globalDispatcher()?.isMockActive
    },
    dispatch(request, handler) {
      const target = globalDispatcher(handler)
      if (isDispatched || controller.signal.aborted || target === undefined) {
        throw Object.assign(new Error('a request is sent once'), { code: 'RETRY_REFUSED' })
      }
      isDispatched = true
      const { onConnect, onRequestStart, onHeaders, onResponseStart } = handler
      isKnownHandler =
        (onRequestStart ?? onConnect) !== undefined && (onResponseStart ?? onHeaders) !== undefined
      // The methods of the handler itself are replaced. `fetch` creates a handler for each dispatch, and a
      // wrapper for it would take a tenth of the time of a request.
      if (onResponseStart !== undefined) {
        handler.onResponseStart = (hostController, status, ...more) =>
          onResponseStart.call(handler, hostController, hide(status), ...more)
      } else if (onHeaders !== undefined) {
        handler.onHeaders = (status, ...more) => onHeaders.call(handler, hide(status), ...more)
      }
      if (endsThroughHandler && onRequestStart !== undefined) {
        handler.onRequestStart = (hostController, ...more) => {
          const result = onRequestStart.call(handler, hostController, ...more)
          onConnected((reason) => hostController.abort(reason))
          return result
        }
      } else if (endsThroughHandler && onConnect !== undefined) {
        handler.onConnect = (abort, ...more) => {
          const result = onConnect.call(handler, abort, ...more)
          onConnected(abort)
          return result
        }
      }
      return target.dispatch(request, handler)
    },
  }
  return {
    init: { dispatcher: dispatcher as never, ...(endsThroughHandler && { signal: undefined as never }) },
    controller: endsThroughHandler ? controller : undefined,
    isSentOnce: () => isDispatched && isKnownHandler,
    originalStatus: (shown) => (shown === SHOWN_STATUS ? (hiddenStatus ?? shown) : shown),
  }
}
