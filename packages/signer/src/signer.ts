/**
 * Signatures of requests and of event streams. One body of code for promises and for answers at once: what a hash
 * gives is used at once where it is a text, and chained where it is a promise.
 */
import {
  readFunction,
  readOneOf,
  requireSecret,
  requireText,
  type SecretInput,
  utf8Encode,
} from '@brokerwire/core'
import { ALGORITHMS, digestName, macHash, SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import { assemble } from './assemble.ts'
import type { HeaderCollision } from './canonical.ts'
import type { RuntimeCrypto, SignerCrypto } from './crypto/port.ts'
import { encodeCanonical } from './encode.ts'
import { createNonces } from './nonce.ts'
import { compareCodePoints, compareUtf16, type NameOrder } from './order.ts'
import { failure, optionInvalid } from './signer-error.ts'
import { readTarget, type TargetInput } from './target.ts'
import { timestampText } from './timestamp.ts'

/** Options of `createSigner`. Read once: changing the object later changes nothing. */
export interface SignerOptions {
  /** Sent as `x-app-key`. */
  readonly appKey: string
  /** Turned into a key at once and never kept as text. */
  readonly appSecret: SecretInput
  /** Of HTTP requests. Some hosts take one, some the other: facts.md, "Hosts". @defaultValue 'HMAC-SHA1' */
  readonly algorithm?: SignatureAlgorithm | undefined
  /** Of event streams. @defaultValue 'HMAC-SHA256' */
  readonly streamAlgorithm?: SignatureAlgorithm | undefined
  /** Where a query name equals a signed header. @defaultValue 'sorted' */
  readonly headerCollision?: HeaderCollision | undefined
  /** How names and values sort. @defaultValue 'code-point' */
  readonly nameOrder?: NameOrder | undefined
  /** Milliseconds since the Unix epoch. @defaultValue Date.now */
  readonly now?: (() => number) | undefined
  /** 32 lower-case hex characters, never the same twice. @defaultValue 128 random bits */
  readonly nonce?: (() => string) | undefined
  /** Hash functions to use instead of the runtime's. */
  readonly crypto?: SignerCrypto | undefined
}

/** What is signed: where it goes, and the exact bytes of its body. A text is sent as UTF-8; an empty body is none. */
export type SignInput = TargetInput & { readonly body?: string | Uint8Array | undefined }

/** The headers that carry a signature. */
export type SignatureHeaders = Readonly<
  Record<
    | 'x-app-key'
    | 'x-timestamp'
    | 'x-signature-version'
    | 'x-signature-algorithm'
    | 'x-signature-nonce'
    | 'x-signature',
    string
  >
>

/** A stream's signature. */
export interface StreamSignature {
  /** To send as gRPC metadata. */
  readonly headers: SignatureHeaders
  /** What was signed, before percent-encoding. Made when it is read. */
  readonly canonical: string
}

/** A request's signature. */
export interface Signature extends StreamSignature {
  /** To add to the request. Never `host`: the client sends that. */
  readonly headers: SignatureHeaders
  /** The URL to send: the path as given, the query as RFC 3986 in the signed order. */
  readonly url: string
}

type Maybe<T> = T | PromiseLike<T>

/** What the promising and the synchronous signer are made of. */
export interface SignerCore {
  readonly appKey: string
  readonly algorithm: SignatureAlgorithm
  readonly streamAlgorithm: SignatureAlgorithm
  sign(input: SignInput): Maybe<Signature>
  signStream(requestBytes: Uint8Array): Maybe<StreamSignature>
}

const HEADER_VALUE = /^[!-~]+$/
const NONCE = /^[\da-f]{32}$/

const chain = <T>(value: Maybe<string>, next: (text: string) => Maybe<T>): Maybe<T> =>
  typeof value === 'string' ? next(value) : value.then(next)

const entry = (name: string, value: string): string => `%26${name}%3D${encodeCanonical(value)}`

/** A class for its getter: on an object literal, one would be made anew for every signature. */
class Signed implements Signature {
  readonly headers: SignatureHeaders
  readonly #message: string
  declare readonly url: string

  constructor(headers: SignatureHeaders, message: string, url: string | undefined) {
    this.headers = headers
    this.#message = message
    if (url) this.url = url
  }

  get canonical(): string {
    return decodeURIComponent(this.#message)
  }
}

/**
 * Makes a signer over a runtime's hash functions.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function signerCore(options: SignerOptions, runtime: RuntimeCrypto): SignerCore {
  const fail = optionInvalid
  const appKey = requireText(fail, 'appKey', options?.appKey)
  if (!HEADER_VALUE.test(appKey)) throw fail('appKey', 'visible ASCII', 'other characters')
  const key = utf8Encode(`${requireSecret(fail, 'appSecret', options.appSecret)}&`)
  const algorithm = readOneOf(fail, 'algorithm', options.algorithm, ALGORITHMS, 'HMAC-SHA1')
  const streamAlgorithm = readOneOf(
    fail,
    'streamAlgorithm',
    options.streamAlgorithm,
    ALGORITHMS,
    'HMAC-SHA256',
  )
  const collision = readOneOf(
    fail,
    'headerCollision',
    options.headerCollision,
    ['sorted', 'header-first'],
    'sorted',
  )
  const order = readOneOf(fail, 'nameOrder', options.nameOrder, ['code-point', 'utf-16'], 'code-point')
  const compare = order === 'utf-16' ? compareUtf16 : compareCodePoints
  const now = readFunction(fail, 'now', options.now, Date.now)
  const drawNonce = readFunction(fail, 'nonce', options.nonce, createNonces(runtime.randomHex))
  const crypto = options.crypto ?? runtime
  const mac = crypto.hmac(macHash(algorithm), key)
  const streamMac = crypto.hmac(macHash(streamAlgorithm), key)

  const keyEntry = entry('x-app-key', appKey)
  const algorithmEntry = entry('x-signature-algorithm', algorithm)
  const versionEntry = entry('x-signature-version', SIGNATURE_VERSION)
  let second: number | undefined
  let timestamp = ''
  let timestampEntry = ''
  let lastHost: string | undefined
  let hostEntry = ''

  /** What every signature needs anew: a nonce, and once a second a timestamp. */
  const freshNonce = (): string => {
    const atMs = now()
    const current = Math.floor(atMs / 1000)
    if (current !== second) {
      timestamp = timestampText(atMs) ?? ''
      if (!timestamp) throw fail('now()', 'milliseconds since the Unix epoch', 'none of the years 0 to 9999')
      timestampEntry = entry('x-timestamp', timestamp)
      second = current
    }
    const nonce = drawNonce()
    if (!NONCE.test(nonce)) throw fail('nonce()', '32 lower-case hex characters', 'something else')
    return nonce
  }

  /** The last steps: digest where there are bytes, signature, headers. A stream has no URL. */
  const seal = (
    name: SignatureAlgorithm,
    sign: (message: string) => Maybe<string>,
    nonce: string,
    text: string,
    bytes: Uint8Array | undefined,
    url?: string,
  ): Maybe<Signed> => {
    const time = timestamp
    const finish = (digest: string): Maybe<Signed> => {
      const message = text + digest
      return chain(
        sign(message),
        (signature) =>
          new Signed(
            {
              'x-app-key': appKey,
              'x-timestamp': time,
              'x-signature-version': SIGNATURE_VERSION,
              'x-signature-algorithm': name,
              'x-signature-nonce': nonce,
              'x-signature': signature,
            },
            message,
            url,
          ),
      )
    }
    if (!bytes) return finish('')
    return chain(crypto.digest(digestName(name), bytes), (hex) =>
      finish(`%26${url ? hex.toUpperCase() : hex}`),
    )
  }

  return {
    appKey,
    algorithm,
    streamAlgorithm,
    sign(input) {
      const { origin, host, path, query } = readTarget(input)
      const { body } = input
      const bytes = typeof body === 'string' ? utf8Encode(body) : body
      if (bytes && !ArrayBuffer.isView(bytes)) {
        throw failure('SIGNER_INPUT_INVALID', 'body', 'a string or a Uint8Array')
      }
      const nonce = freshNonce()
      if (host !== lastHost) {
        hostEntry = entry('host', host)
        lastHost = host
      }
      let text: string
      let search: string
      try {
        ;[text, search] = assemble(
          path,
          query,
          [host, appKey, algorithm, nonce, SIGNATURE_VERSION, timestamp],
          [
            hostEntry,
            keyEntry,
            algorithmEntry,
            `%26x-signature-nonce%3D${nonce}`,
            versionEntry,
            timestampEntry,
          ],
          compare,
          collision,
        )
      } catch {
        throw failure('SIGNER_INPUT_INVALID', 'path and query', 'well-formed text, in [name, value] pairs')
      }
      return seal(algorithm, mac, nonce, text, bytes?.byteLength ? bytes : undefined, origin + path + search)
    },
    signStream(requestBytes) {
      if (!ArrayBuffer.isView(requestBytes)) {
        throw failure('SIGNER_INPUT_INVALID', 'requestBytes', 'a Uint8Array')
      }
      const nonce = freshNonce()
      const entries = [
        keyEntry,
        entry('x-signature-algorithm', streamAlgorithm),
        entry('x-signature-nonce', nonce),
        versionEntry,
        timestampEntry,
      ]
      // Without a path before them, the entries are joined with `=`: `%3D` instead of each `%26`.
      const text = entries.map((part) => part.slice(3)).join('%3D')
      return seal(streamAlgorithm, streamMac, nonce, text, requestBytes)
    },
  }
}
