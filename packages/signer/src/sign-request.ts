/**
 * Signs a `Request` of the host: the request that comes back has the line and the body that were signed.
 *
 * The new request is made by the class of the old one, from the old one, so that method, headers, signal and
 * whatever else the host keeps (Cloudflare's `cf`, for example) go along.
 */
import type { RequestLike } from '@brokerwire/core'
import type { Signature, SignInput } from './signer.ts'
import { check } from './signer-error.ts'

/** Options of `signRequest`. */
export interface SignRequestOptions {
  /** Signs this host instead of the URL's: for gateways that set their own. */
  readonly host?: string | undefined
  /** Longest body that is read, in bytes. @defaultValue 10485760 (10 MiB) */
  readonly maxBodyBytes?: number | undefined
}

type RequestClass<R> = new (
  input: string | R,
  init: object,
) => R & { readonly headers: { set(name: string, value: string): void; delete(name: string): void } }

declare const Blob: new (parts: readonly Uint8Array[]) => { arrayBuffer(): Promise<ArrayBuffer> }

/** Reads a body, whose length nobody has to state, up to a bound. Leaving the loop cancels the stream. */
async function readBody(request: RequestLike, maxBodyBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    check(length <= maxBodyBytes, 'SIGNER_BODY_TOO_LARGE', 'body', `at most ${maxBodyBytes} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** Signs a request with whichever signer. */
export async function signRequestWith<R extends RequestLike>(
  sign: (input: SignInput) => Signature | PromiseLike<Signature>,
  request: R,
  { host, maxBodyBytes = 10_485_760 }: SignRequestOptions = {},
): Promise<R> {
  check(!request.headers.has('x-app-secret'), 'SIGNER_HEADER_FORBIDDEN', 'x-app-secret', 'never to be sent')
  check(!(request as { readonly bodyUsed?: boolean }).bodyUsed, 'SIGNER_BODY_USED', 'body', 'not yet read')
  const body = await readBody(request, maxBodyBytes)
  const { url, headers } = await sign({ url: request.url, host, body })
  const RequestOf = request.constructor as RequestClass<R>
  // A body that was read can only be replaced, and only where a request is made from a request: once to have an
  // unread one again, once for the URL, and once so that it is sent as bytes of known length, not as a stream.
  const init = { body, duplex: 'half' }
  const signed = request.body
    ? new RequestOf(new RequestOf(url, new RequestOf(request, init)), init)
    : new RequestOf(url, request)
  // `fetch` takes the host from the URL; a copied header would overrule it on some runtimes.
  signed.headers.delete('host')
  for (const [name, value] of Object.entries(headers)) signed.headers.set(name, value)
  return signed
}
