/**
 * Signs a `Request` of the host: the request that comes back has the line and the body that were signed.
 *
 * The new request is made by the class of the old one, from the old one, so that method, headers, signal and
 * whatever else the host keeps (Cloudflare's `cf`, for example) go along.
 */
import { type RequestLike, readInteger } from '@brokerwire/core'
import type { Signature, SignInput } from './signer.ts'
import { optionInvalid, SignerError, urlInvalid } from './signer-error.ts'

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

const DEFAULT_MAX_BODY_BYTES = 10 * 1024 * 1024

async function readBody(request: RequestLike, maxBodyBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = (): Error =>
    new SignerError('SIGNER_BODY_TOO_LARGE', `the body has more than maxBodyBytes (${maxBodyBytes})`, {
      details: { maxBodyBytes },
    })
  const stream = request.body as { getReader(): BodyReader } | null | undefined
  if (!stream) {
    // `undefined` where the host has bodies but no streams of them: reading tells.
    const whole = stream === null ? new Uint8Array() : new Uint8Array(await request.arrayBuffer())
    if (whole.length > maxBodyBytes) throw tooLarge()
    return whole
  }
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const chunk = part.value as Uint8Array
    length += chunk.length
    if (length > maxBodyBytes) {
      await reader.cancel()
      throw tooLarge()
    }
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** Signs a request with whichever signer. @see `Signer.signRequest` */
export async function signRequestWith<R extends RequestLike>(
  sign: (input: SignInput) => Signature | PromiseLike<Signature>,
  request: R,
  options: SignRequestOptions = {},
): Promise<R> {
  const maxBodyBytes = readInteger(optionInvalid, 'maxBodyBytes', options.maxBodyBytes, {
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    fallback: DEFAULT_MAX_BODY_BYTES,
  })
  if (request.headers.has('x-app-secret')) {
    throw new SignerError('SIGNER_HEADER_FORBIDDEN', 'x-app-secret must never be sent', {
      details: { header: 'x-app-secret' },
    })
  }
  if ((request as { readonly bodyUsed?: boolean }).bodyUsed) {
    throw new SignerError('SIGNER_BODY_USED', 'the body was read before: pass a clone', {
      details: { expected: 'a request whose body was not read' },
    })
  }
  const body = await readBody(request, maxBodyBytes)
  const { url, headers } = await sign({ url: request.url, host: options.host, body })
  const RequestOf = request.constructor as RequestClass<R>
  // A body that was read can only be replaced, and only where a request is made from a request: once to have an
  // unread one again, once for the URL, and once so that it is sent as bytes of known length, not as a stream.
  const init = { body, duplex: 'half' }
  const signed =
    body.length > 0
      ? new RequestOf(new RequestOf(url, new RequestOf(request, init)), init)
      : new RequestOf(url, request)
  if (signed.url !== url) throw urlInvalid('one that the host leaves as it stands')
  // `fetch` takes the host from the URL; a copied header would overrule it on some runtimes.
  signed.headers.delete('host')
  for (const [name, value] of Object.entries(headers)) signed.headers.set(name, value)
  return signed
}
