/**
 * A function like `fetch` that signs each request. The `Request` of the runtime reads the arguments, so that
 * they mean the same as in `fetch`, and `signRequest` reads the body and signs its bytes.
 */
import type { HeadersLike, RequestLike, SecretInput } from '@brokerwire/core'
import { PATHS_WITHOUT_TOKEN } from '@brokerwire/core/endpoints'
import {
  boolean,
  type FieldsOf,
  func,
  isRecord,
  optional,
  port,
  readOptions,
  readOrigin,
  unchecked,
} from '@brokerwire/core/internal'
import { readToken } from './access-token.ts'
import { fromUrl } from './from-url.ts'
import { MAX_BODY_BYTES, signRequest } from './sign-request.ts'
import type { Signature } from './signature.ts'
import { check, optionFailure, SignerError, targetFailure } from './signer-error.ts'
import type { SignInput } from './unsigned-request.ts'

/** The part of a response that is checked for redirects. */
export interface FetchedResponse {
  /** HTTP status of the response. */
  readonly status: number
}

/** A function with the shape of `fetch`. The types `never` accept the arguments of any runtime's function. */
export type FetchFunction = (input: never, init?: never) => Promise<FetchedResponse>

/** A class with the shape of `Request`. */
export type RequestConstructor = new (input: never, init?: never) => RequestLike

/** Returns the access token of the next request; `undefined` or `null` to send none. */
export type AccessTokenFunction = () =>
  | SecretInput
  | null
  | undefined
  | PromiseLike<SecretInput | null | undefined>

/** Options of {@link createSignedFetch}. */
export interface SignedFetchOptions<Fetch extends FetchFunction = FetchFunction> {
  /** A signer of `createSigner` or `createSyncSigner`. */
  readonly signer: { sign(input: SignInput): Signature | PromiseLike<Signature> }
  /** Sends the signed request: the `fetch` of the runtime, or a function with its arguments. */
  readonly fetch: Fetch
  /**
   * The only origin that requests are sent to, such as `https://api.example.com`. Required with `accessToken`.
   * @defaultValue any origin
   */
  readonly origin?: string | undefined
  /** Allows `http:` in `origin` for hosts that are not loopback. @defaultValue false */
  readonly allowInsecure?: boolean | undefined
  /**
   * The access token, or a function that returns it. It is sent as `x-access-token`, except to the token
   * endpoints, and unless the request has that header.
   * @defaultValue none
   */
  readonly accessToken?: SecretInput | AccessTokenFunction | undefined
  /** Maximum length of a request's body in bytes. @defaultValue 10485760 (10 MiB) */
  readonly maxBodyBytes?: number | undefined
  /** The class `Request` that belongs to `fetch`, if it is not that of the runtime. @defaultValue globalThis.Request */
  readonly Request?: RequestConstructor | undefined
}

/** A function with the arguments and the result of `Fetch`. */
export type SignedFetch<Fetch extends FetchFunction> = (...args: Parameters<Fetch>) => ReturnType<Fetch>

const OPTIONS = {
  signer: port<SignedFetchOptions['signer']>(['sign']),
  fetch: func<FetchFunction>(),
  origin: unchecked<string | undefined>(),
  allowInsecure: boolean(false),
  accessToken: unchecked<SignedFetchOptions['accessToken']>(),
  maxBodyBytes: MAX_BODY_BYTES,
  Request: optional(func<RequestConstructor>()),
} satisfies FieldsOf<SignedFetchOptions>

type SettableRequest = RequestLike & { readonly headers: { set(name: string, value: string): void } }
type RequestClass = new (input: unknown, init: unknown) => SettableRequest

/** Properties of `Response` that only some runtimes have. */
interface HostResponse extends FetchedResponse {
  readonly type?: string
  readonly redirected?: boolean
  readonly body?: { cancel?(): Promise<void> } | null
}

const TOKEN_HEADER = 'x-access-token'
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Creates a function with the arguments of `fetch` that signs each request. A body of any kind is read to
 * bytes, and these bytes are signed and sent. A redirect is an error and is never followed.
 *
 * The created function rejects with the errors of `signRequest` and of `fetch`, and with SignerError
 * `SIGNER_TARGET_INVALID` (another origin than `origin`), `SIGNER_REDIRECTED`, or `SIGNER_OPTION_INVALID` if
 * `accessToken()` returns an invalid token.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { createSigner } from '@brokerwire/signer'
 * import { createSignedFetch } from '@brokerwire/signer/fetch'
 *
 * const signer = createSigner({ appKey: 'my-key', appSecret: 'my-secret' })
 * const signedFetch = createSignedFetch({ signer, fetch, origin: 'https://api.example.com' })
 * const response = await signedFetch('https://api.example.com/openapi/config')
 * ```
 */
export function createSignedFetch<Fetch extends FetchFunction>(
  options: SignedFetchOptions<Fetch>,
): SignedFetch<Fetch> {
  const { signer, fetch, maxBodyBytes, ...read } = readOptions(optionFailure, options, OPTIONS)
  const { allowInsecure, accessToken } = read
  check(
    accessToken === undefined || read.origin !== undefined,
    'origin',
    'set if accessToken is set, so that the token is sent to no other origin',
  )
  const origin =
    read.origin === undefined ? undefined : readOrigin(optionFailure, 'origin', read.origin, allowInsecure)
  if (accessToken !== undefined && typeof accessToken !== 'function')
    readToken(accessToken, 'accessToken', 'a function')

  /** Returns the access token for a request. */
  async function tokenFor(request: RequestLike): Promise<string | undefined> {
    const { path } = fromUrl(request.url)
    if (request.headers.has(TOKEN_HEADER) || PATHS_WITHOUT_TOKEN.includes(path)) return undefined
    const token = typeof accessToken === 'function' ? await accessToken() : accessToken
    return token === undefined || token === null
      ? undefined
      : readToken(token, 'accessToken()', 'undefined or null')
  }

  async function signedFetch(input: unknown, init?: unknown): Promise<FetchedResponse> {
    const RequestOf = requestClassFor(input, read.Request)
    const request = new RequestOf(input, init)
    if (origin !== undefined) {
      const requested = fromUrl(request.url).origin
      if (requested !== origin) throw targetFailure('url', `a URL of ${origin}, the option origin`, requested)
    }
    const token = await tokenFor(request)
    if (token !== undefined) request.headers.set(TOKEN_HEADER, token)
    const signed = await signRequest(signer, request, { maxBodyBytes })
    const send = fetch as unknown as (request: RequestLike, init: object) => Promise<HostResponse>
    const response = await send(signed, hostFields(init, signed))
    await rejectRedirect(response)
    return response
  }
  return signedFetch as unknown as SignedFetch<Fetch>
}

/** Returns the class for a new request: that of a given request, or else the option or the runtime's class. */
function requestClassFor(input: unknown, option: RequestConstructor | undefined): RequestClass {
  const given = Object(input) as { readonly constructor: unknown; readonly headers?: Partial<HeadersLike> }
  const isRequest = typeof given.headers?.has === 'function'
  const found = isRequest ? given.constructor : (option ?? (globalThis as { Request?: unknown }).Request)
  check(typeof found === 'function', 'Request', 'a class: this runtime has none')
  return found as RequestClass
}

/**
 * Returns the fields of `init` that a `Request` does not keep, such as Node's `dispatcher`. The body, method,
 * headers and redirect mode of the signed request stay as they are.
 */
function hostFields(init: unknown, request: RequestLike): object {
  if (!isRecord(init)) return {}
  const fields = Object.entries(init).filter(([name]) => name !== 'body' && !(name in request))
  return Object.fromEntries(fields)
}

async function rejectRedirect({ status, type, redirected, body }: HostResponse): Promise<void> {
  if (type !== 'opaqueredirect' && redirected !== true && !REDIRECTS.includes(status)) return
  await body?.cancel?.().catch(() => {})
  const expected = 'no redirect'
  const received = redirected === true ? 'the response of another URL' : `status ${status}`
  throw new SignerError(
    'SIGNER_REDIRECTED',
    `the response must be ${expected}; received ${received}. Check the URL of the request`,
    { details: { field: 'response', expected, status } },
  )
}
