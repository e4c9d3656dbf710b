/**
 * Values of the host are assignable to the structural types. This file is compiled, but not run, once with
 * each library: the DOM's, @types/node's and @cloudflare/workers-types' (tsconfig.types.*.json).
 */
import type {
  AbortSignalLike,
  ByteReaderLike,
  BytesLike,
  FetchLike,
  HeadersLike,
  RequestLike,
  ResponseLike,
} from './structural.ts'

declare const request: Request
declare const response: Response
declare const controller: AbortController

export const signal: AbortSignalLike = controller.signal
export const timeout: AbortSignalLike = AbortSignal.timeout(1)
export const headers: HeadersLike = new Headers({ 'x-version': 'v2' })
export const requestLike: RequestLike = request
export const requestHeaders: HeadersLike = request.headers
export const responseLike: ResponseLike = response
export const reader: ByteReaderLike | undefined = response.body?.getReader()
export const hostFetch: FetchLike = fetch
export const wrappedFetch: FetchLike = (url, init) => fetch(url, init)
export const bytes: readonly BytesLike[] = [
  new Uint8Array(1),
  new ArrayBuffer(1),
  new DataView(new ArrayBuffer(1)),
  new Float64Array(1),
]
export const sharedBytes: BytesLike = new Uint8Array(new SharedArrayBuffer(1))

// @ts-expect-error a string is not bytes: its encoding is missing
export const textIsNoBytes: BytesLike = 'text'
// @ts-expect-error an event target alone cannot say whether it has aborted
export const targetIsNoSignal: AbortSignalLike = new EventTarget()
// @ts-expect-error a plain record of headers is not looked up without regard to case
export const recordIsNoHeaders: HeadersLike = { 'x-version': 'v2' }
