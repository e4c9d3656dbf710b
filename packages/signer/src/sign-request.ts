/**
 * Signs a `Request` of the host: the request that comes back has the line and the body that were signed.
 *
 * The new request is made by the class of the old one, from the old one, so that method, headers, signal and
 * whatever else the host keeps (Cloudflare's `cf`, for example) go along.
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

/** Options of `signRequest`. */
export interface SignRequestOptions {
  /** Signs this host instead of the URL's: for gateways that set their own. */
  readonly host?: string | undefined
  /** Longest body that is read, in bytes. @defaultValue 10485760 (10 MiB) */
  readonly maxBodyBytes?: number | undefined
}

const OPTIONS = {
  host: optional(string()),
  maxBodyBytes: integer({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 10_485_760 }),
} satisfies FieldsOf<SignRequestOptions>

type RequestClass<R> = new (
  input: string | R,
  init: object,
) => R & { readonly headers: { set(name: string, value: string): void; delete(name: string): void } }

/** By its reader: Safari's streams cannot be iterated. */
async function readChunks(reader: ByteReaderLike, add: (chunk: unknown) => void): Promise<void> {
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) add(next.value)
  } catch (error) {
    reader.cancel().catch(() => {})
    throw error
  }
}

/** Reads a body of unknown length, up to a bound. Firefox shows no stream, only what it holds. */
async function readBody(request: RequestLike, maxBodyBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  const add = (chunk: unknown): void => {
    // Hosts hand out `Uint8Array`s, workerd buffers too; what a stream of the caller's own holds may be anything.
    const isBytes = ArrayBuffer.isView(chunk) || chunk instanceof ArrayBuffer
    checkInput(isBytes, chunk, 'body', 'a stream of bytes')
    length += chunk.byteLength
    check(length <= maxBodyBytes, 'body', `at most ${maxBodyBytes} bytes`, 'SIGNER_BODY_TOO_LARGE')
    chunks.push(toBytes(chunk))
  }
  const stream = request.body as { getReader(): ByteReaderLike } | null | undefined
  if (stream) await readChunks(stream.getReader(), add)
  else if (stream === undefined) add(await request.arrayBuffer())
  // A copy also of a single one: who made the stream may write into it again.
  return concatBytes(chunks, length)
}

/** Properties of a host's `Request`, if the host has them. */
interface HostRequestFields {
  readonly bodyUsed: boolean
  readonly keepalive: boolean
  readonly redirect: string
  readonly referrer: string
  readonly referrerPolicy: string
}

/**
 * The same request with another URL and the bytes of its body, for a `fetch` that follows no redirect: it would send the token and
 * the signature to another origin.
 *
 * Each request is made from the one before: with a body that is unread again, with the URL, and with the body as bytes of known length
 * instead of a stream. `keepalive` is set with the last one, because hosts refuse it for a stream. A request that is made from another
 * one loses its referrer unless that is given again.
 */
function copyRequest<R extends RequestLike>(
  RequestConstructor: RequestClass<R>,
  request: R,
  url: string,
  body: Uint8Array | undefined,
): InstanceType<RequestClass<R>> {
  const { keepalive, redirect, referrer, referrerPolicy } = request as Partial<HostRequestFields>
  // Without a prototype, and with a body in any case: `Request` reads its options by name, also those that got into every object.
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
 * Signs a `Request` of the host. The given request's body is read; headers of the signature that it carries are
 * replaced, all others (`x-version`, `x-access-token`) pass through. The new request follows no redirect: `redirect` is `'manual'`, or
 * `'error'` if the given one has that.
 *
 * Rejects like `Signer.sign`, and with SignerError `SIGNER_HEADER_FORBIDDEN`, `SIGNER_BODY_USED` (also where somebody
 * else is reading it), `SIGNER_BODY_TOO_LARGE`.
 *
 * @param signer - Of `createSigner` or `createSyncSigner`.
 * @returns A new request of the same class, with the line and the body that were signed.
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
  // Again: it may have come while the body was read.
  rejectSecretHeader(signed)
  // `fetch` takes the host from the URL; a copied header would overrule it on some runtimes.
  const sent = signed.headers
  sent.delete('host')
  for (const [name, value] of Object.entries(headers)) sent.set(name, value)
  return signed
}
