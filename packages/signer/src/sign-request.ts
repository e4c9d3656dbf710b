/**
 * Signs a `Request` of the host: the request that comes back has the line and the body that were signed.
 *
 * The new request is made by the class of the old one, from the old one, so that method, headers, signal and
 * whatever else the host keeps (Cloudflare's `cf`, for example) go along.
 */
import { describe, type RequestLike } from '@brokerwire/core'
import type { Signature, SignInput } from './signer.ts'
import { failure, optionInvalid } from './signer-error.ts'

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

interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

declare const Blob: new (parts: readonly Uint8Array[]) => { arrayBuffer(): Promise<ArrayBuffer> }

const DEFAULT_MAX_BODY_BYTES = 10_485_760

/** Reads a body, whose length nobody has to state, up to a bound. */
async function readBody(request: RequestLike, maxBodyBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  const take = (chunk: Uint8Array): void => {
    length += chunk.length
    if (length > maxBodyBytes) {
      throw failure('SIGNER_BODY_TOO_LARGE', 'body', `at most maxBodyBytes (${maxBodyBytes})`)
    }
    chunks.push(chunk)
  }
  const stream = request.body as { getReader(): BodyReader } | null | undefined
  if (stream) {
    const reader = stream.getReader()
    try {
      for (let part = await reader.read(); part.value; part = await reader.read()) take(part.value)
    } catch (error) {
      reader.cancel().catch(() => {})
      throw error
    }
  } else if (stream === undefined) {
    // The host has bodies but no streams of them: reading tells.
    take(new Uint8Array(await request.arrayBuffer()))
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** Signs a request with whichever signer. */
export async function signRequestWith<R extends RequestLike>(
  sign: (input: SignInput) => Signature | PromiseLike<Signature>,
  request: R,
  { host, maxBodyBytes = DEFAULT_MAX_BODY_BYTES }: SignRequestOptions = {},
): Promise<R> {
  if (!(maxBodyBytes >= 0)) throw optionInvalid('maxBodyBytes', 'a number of bytes', describe(maxBodyBytes))
  if (request.headers.has('x-app-secret')) {
    throw failure('SIGNER_HEADER_FORBIDDEN', 'x-app-secret', 'no such header: it must never be sent')
  }
  if ((request as { readonly bodyUsed?: boolean }).bodyUsed) {
    throw failure('SIGNER_BODY_USED', 'body', 'one that was not read: pass a clone')
  }
  const body = await readBody(request, maxBodyBytes)
  const { url, headers } = await sign({ url: request.url, host, body })
  const RequestOf = request.constructor as RequestClass<R>
  // A body that was read can only be replaced, and only where a request is made from a request: once to have an
  // unread one again, once for the URL, and once so that it is sent as bytes of known length, not as a stream.
  const init = { body, duplex: 'half' }
  const signed = body.length
    ? new RequestOf(new RequestOf(url, new RequestOf(request, init)), init)
    : new RequestOf(url, request)
  if (signed.url !== url) throw failure('SIGNER_URL_INVALID', 'url', 'one that the host leaves as it is')
  // `fetch` takes the host from the URL; a copied header would overrule it on some runtimes.
  signed.headers.delete('host')
  for (const [name, value] of Object.entries(headers)) signed.headers.set(name, value)
  return signed
}
