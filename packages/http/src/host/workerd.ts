/** `#host` in Cloudflare Workers: their `fetch` sends once, and does not report whether a request was sent. */
import type { HostError, SendControl } from './port.ts'

/** The control of one call of `fetch`, which needs no options. A replaced `fetch` may send more than once. */
export const createSendControl = (_mustSendOnce: boolean, isHostFetch: boolean): SendControl => ({
  isSentOnce: () => isHostFetch,
  originalStatus: (shown) => shown,
})

/**
 * Always `undefined`, because no error shows that a request was not sent. Bundlers remove calls of an empty
 * function.
 */
export function unsentCause(_error: HostError): undefined {}

/** Always `undefined`: there is no proxy. */
export function proxyFailure(_error: HostError): undefined {}

/** Always `undefined`: the host has no limit. */
export function hostTimeout(_code: string): undefined {}
