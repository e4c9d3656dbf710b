/** `#host` in Cloudflare Workers: their `fetch` sends once by itself, and says nothing about a connection that it did not get. */
import type { HostFailure, SingleSend } from './port.ts'

/** What `fetch` needs to be told so that it sends once: nothing. Of a replacement nothing is known. */
export const sendOnce = (_strict: boolean, own: boolean): SingleSend => ({
  isCertain: () => own,
  statusOf: (shown) => shown,
})

/** Nothing tells that a request did not leave. Bundlers leave out calls of what is empty. */
export function unsentBecause(_error: HostFailure): undefined {}

/** There is no limit but the request's. */
export function hostLimit(_reason: string): undefined {}
