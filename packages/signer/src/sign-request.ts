/**
 * Signing of a runtime's `Request`. The signed request is created from the given request, with the same
 * class. Therefore it keeps the method, headers, signal and properties of the runtime, such as Cloudflare's
 * `cf`.
 */
import type { ByteReaderLike, RequestLike } from '@brokerwire/core'
import {
  concatBytes,
  type FieldsOf,
  integer,
  optional,
  readOptions,
  string,
  toBytes,
} from '@brokerwire/core/internal'
import { fromUrl } from './from-url.ts'
import type { Signature } from './signature.ts'
import { check, checkInput, optionFailure } from './signer-error.ts'
import type { SignInput } from './unsigned-request.ts'

/** Options of the function `signRequest`. */
export interface SignRequestOptions {
  /** Host to sign, if a gateway replaces the host of the URL. @defaultValue the URL's host */
  readonly host?: string | undefined
  /** Maximum length of the body in bytes. @defaultValue 10485760 (10 MiB) */
  readonly maxBodyBytes?: number | undefined
}

export const MAX_BODY_BYTES = /* @__PURE__ */ integer({
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  default: 10_485_760,
})

const OPTIONS = {
  host: optional(string()),
  maxBodyBytes: MAX_BODY_BYTES,
} satisfies FieldsOf<SignRequestOptions>

type RequestClass<R> = new (
  input: string | R,
  init: object,
) => R & { readonly headers: { set(name: string, value: string): void; delete(name: string): void } }

/** Reads a stream with its reader, because Safari's streams are not iterable. */
async function readChunks(reader: ByteReaderLike, add: (chunk: unknown) => void): Promise<void> {
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) add(next.value)
  } catch (error) {
    reader.cancel().catch(() => {})
    throw error
  }
}

/**
 * Reads a body up to a limit. In Firefox a request has no `body`, so the body is read with `arrayBuffer()`.
 */
async function readBody(request: RequestLike, maxBodyBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  const add = (chunk: unknown): void => {
    // Runtimes produce `Uint8Array`s, and workerd also `ArrayBuffer`s. A stream of the caller may produce any
    // value.
    const isBytes = ArrayBuffer.isView(chunk) || chunk instanceof ArrayBuffer
    checkInput(isBytes, chunk, 'body', 'a stream of bytes')
    length += chunk.byteLength
    check(length <= maxBodyBytes, 'body', `at most ${maxBodyBytes} bytes`, 'SIGNER_BODY_TOO_LARGE')
    chunks.push(toBytes(chunk))
  }
  const stream = request.body as { getReader(): ByteReaderLike } | null | undefined
  if (stream) await readChunks(stream.getReader(), add)
  else if (stream === undefined) add(await request.arrayBuffer())
  // A single chunk is copied too, because the producer of the stream may reuse its memory.
  return concatBytes(chunks, length)
}

/** Properties of `Request` that only some runtimes have. */
interface HostRequestFields {
  readonly bodyUsed: boolean
  readonly keepalive: boolean
  readonly redirect: string
  readonly referrer: string
  readonly referrerPolicy: string
}

/**
 * Copies a request with another URL and a body of bytes. The copy follows no redirect, because `fetch` would
 * send the token and the signature to another origin.
 *
 * A request with a body is copied three times: first with an unread body, then with the URL, and then with
 * bytes of known length, because the second copy has a stream. `keepalive` is set in the last copy, because
 * runtimes reject it for a stream. The referrer is passed each time, because a copy does not keep it.
 */
function copyRequest<R extends RequestLike>(
  RequestConstructor: RequestClass<R>,
  request: R,
  url: string,
  body: Uint8Array | undefined,
): InstanceType<RequestClass<R>> {
  const { keepalive, redirect, referrer, referrerPolicy } = request as Partial<HostRequestFields>
  // The object has no prototype and always a body, because `Request` also reads inherited options, which a
  // polluted `Object.prototype` could set.
  const init = {
    __proto__: null,
    body: body ?? null,
    redirect: redirect === 'error' ? 'error' : 'manual',
    referrer,
    referrerPolicy,
  }
  if (body === undefined) return new RequestConstructor(new RequestConstructor(url, request), init)
  const withBody = { ...init, __proto__: null, duplex: 'half', keepalive: false }
  const unread = new RequestConstructor(request, withBody)
  const moved = new RequestConstructor(url, unread)
  return new RequestConstructor(moved, { ...withBody, __proto__: null, keepalive })
}

function rejectSecretHeader({ headers }: RequestLike): void {
  const name = 'x-app-secret'
  const message = `${name} must not be sent: remove the header`
  check(!headers.has(name), name, 'absent', 'SIGNER_HEADER_FORBIDDEN', message)
}

/**
 * Signs a `Request` of the runtime. It reads the body of the given request. Headers of an earlier signature
 * are replaced, and `host` is removed. All other headers, such as `x-version` and `x-access-token`, stay. The
 * new request follows no redirect: its `redirect` is `'manual'`, or `'error'` if the given request has
 * `'error'`. Fields that a `Request` does not keep cannot be copied: pass Node's `dispatcher` to `fetch` itself, as
 * `fetch(signed, { dispatcher })`.
 *
 * Rejects with the errors of `Signer.sign`, and with SignerError `SIGNER_HEADER_FORBIDDEN`,
 * `SIGNER_BODY_USED` (the body was read, or another reader has locked it) or `SIGNER_BODY_TOO_LARGE`.
 *
 * @param signer - A signer of `createSigner` or `createSyncSigner`.
 * @returns A new request of the same class, with the signed URL and body.
 *
 * @example
 * ```ts
 * import { type Signer, signRequest } from '@brokerwire/signer'
 *
 * declare const signer: Signer
 *
 * const response = await fetch(await signRequest(signer, new Request('https://api.example.com/orders')))
 * ```
 */
export async function signRequest<R extends RequestLike>(
  signer: { sign(input: SignInput): Signature | PromiseLike<Signature> },
  request: R,
  options: SignRequestOptions = {},
): Promise<R> {
  checkInput(typeof signer?.sign === 'function', signer, 'signer', 'the first argument, a signer')
  const isRequest = typeof request?.url === 'string' && typeof request.headers?.has === 'function'
  checkInput(isRequest, request, 'request', 'the second argument, a Request')
  const { host, maxBodyBytes } = readOptions(optionFailure, options, OPTIONS)
  const { body: stream } = request
  const isRead =
    (request as Partial<HostRequestFields>).bodyUsed ||
    (stream as { readonly locked?: boolean } | null | undefined)?.locked
  rejectSecretHeader(request)
  check(!isRead, 'body', 'unread: sign a clone of the request', 'SIGNER_BODY_USED')
  const body = stream === null ? undefined : await readBody(request, maxBodyBytes)
  const { url, headers } = await signer.sign({ ...fromUrl(request.url, host), body })
  const RequestOf = request.constructor as RequestClass<R>
  const signed = copyRequest(RequestOf, request, url, stream || body?.length ? body : undefined)
  // The header is checked again, because the caller may have added it while the body was read.
  rejectSecretHeader(signed)
  // The `host` header is removed: `fetch` uses the host of the URL, and on some runtimes the header would
  // override it.
  const sent = signed.headers
  sent.delete('host')
  for (const [name, value] of Object.entries(headers)) sent.set(name, value)
  return signed
}
