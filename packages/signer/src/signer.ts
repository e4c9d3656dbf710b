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
import { assemble, encodedEntry } from './assemble.ts'
import type { HeaderCollision } from './canonical.ts'
import type { SignerCrypto } from './crypto/port.ts'
import { createNonces } from './nonce.ts'
import { compareCodePoints, compareUtf16, type NameOrder } from './order.ts'
import { inputInvalid, optionInvalid } from './signer-error.ts'
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
export interface Signature {
  /** To add to the request. Never `host`: the client sends that. */
  readonly headers: SignatureHeaders
  /** The URL to send: the path as given, the query as RFC 3986 in the signed order. */
  readonly url: string
  /** What was signed, before percent-encoding. Made when it is read. */
  readonly canonical: string
}

type Maybe<T> = T | PromiseLike<T>

/** What both signers are made of. */
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

/**
 * Makes a signer over a runtime's hash functions.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function signerCore(options: SignerOptions, runtime: SignerCrypto): SignerCore {
  const appKey = requireText(optionInvalid, 'appKey', options?.appKey)
  if (!HEADER_VALUE.test(appKey)) {
    throw optionInvalid('appKey', 'visible ASCII', 'other characters')
  }
  const key = utf8Encode(`${requireSecret(optionInvalid, 'appSecret', options.appSecret)}&`)
  const algorithm = readOneOf(optionInvalid, 'algorithm', options.algorithm, ALGORITHMS, 'HMAC-SHA1')
  const streamAlgorithm = readOneOf(
    optionInvalid,
    'streamAlgorithm',
    options.streamAlgorithm,
    ALGORITHMS,
    'HMAC-SHA256',
  )
  const order = {
    headerCollision: readOneOf(
      optionInvalid,
      'headerCollision',
      options.headerCollision,
      ['sorted', 'header-first'],
      'sorted',
    ),
    compare:
      readOneOf(optionInvalid, 'nameOrder', options.nameOrder, ['code-point', 'utf-16'], 'code-point') ===
      'utf-16'
        ? compareUtf16
        : compareCodePoints,
  }
  const now = readFunction(optionInvalid, 'now', options.now, Date.now)
  const drawNonce = readFunction(optionInvalid, 'nonce', options.nonce, createNonces())
  const crypto = options.crypto ?? runtime
  readFunction(optionInvalid, 'crypto.digest', crypto.digest, runtime.digest)
  readFunction(optionInvalid, 'crypto.hmac', crypto.hmac, runtime.hmac)

  /** What differs between requests and streams is which algorithm and how entries are joined. */
  const scheme = (name: SignatureAlgorithm) => ({
    name,
    digest: digestName(name),
    mac: crypto.hmac(macHash(name), key),
  })
  const http = scheme(algorithm)
  const stream = scheme(streamAlgorithm)

  const keyEntry = encodedEntry('x-app-key', appKey)
  const versionEntry = encodedEntry('x-signature-version', SIGNATURE_VERSION)
  const algorithmEntry = encodedEntry('x-signature-algorithm', algorithm)
  let second = -1
  let timestamp = ''
  let timestampEntry = ''
  let lastHost = ''
  let hostEntry = ''

  const tick = (): void => {
    const current = Math.floor(now() / 1000)
    if (current === second) return
    timestamp = timestampText(current)
    timestampEntry = encodedEntry('x-timestamp', timestamp)
    second = current
  }
  const takeNonce = (): string => {
    const nonce = drawNonce()
    if (NONCE.test(nonce)) return nonce
    throw optionInvalid('nonce()', '32 lower-case hex characters', 'something else')
  }
  const headersOf = (
    name: SignatureAlgorithm,
    nonce: string,
    time: string,
    signature: string,
  ): SignatureHeaders => ({
    'x-app-key': appKey,
    'x-timestamp': time,
    'x-signature-version': SIGNATURE_VERSION,
    'x-signature-algorithm': name,
    'x-signature-nonce': nonce,
    'x-signature': signature,
  })

  return {
    appKey,
    algorithm,
    streamAlgorithm,
    sign(input) {
      const target = readTarget(input)
      const { body } = input
      const bytes = typeof body === 'string' ? utf8Encode(body) : body
      if (bytes !== undefined && !ArrayBuffer.isView(bytes)) {
        throw inputInvalid('body', 'text, a Uint8Array or undefined')
      }
      tick()
      const nonce = takeNonce()
      const time = timestamp
      if (target.host !== lastHost) {
        lastHost = target.host
        hostEntry = encodedEntry('host', lastHost)
      }
      const { text, search } = assemble(
        target.path,
        target.query,
        [target.host, appKey, algorithm, nonce, SIGNATURE_VERSION, time],
        [
          hostEntry,
          keyEntry,
          algorithmEntry,
          `%26x-signature-nonce%3D${nonce}`,
          versionEntry,
          timestampEntry,
        ],
        order,
      )
      const url = `${target.origin}${target.path}${search && `?${search}`}`
      const finish = (message: string): Maybe<Signature> =>
        chain(http.mac(message), (signature) => ({
          headers: headersOf(algorithm, nonce, time, signature),
          url,
          get canonical() {
            return decodeURIComponent(message)
          },
        }))
      if (!bytes?.byteLength) return finish(text)
      return chain(crypto.digest(http.digest, bytes), (hex) => finish(`${text}%26${hex.toUpperCase()}`))
    },
    signStream(requestBytes) {
      if (!ArrayBuffer.isView(requestBytes)) throw inputInvalid('requestBytes', 'a Uint8Array')
      tick()
      const nonce = takeNonce()
      const time = timestamp
      const entries = [
        keyEntry,
        encodedEntry('x-signature-algorithm', streamAlgorithm),
        `%26x-signature-nonce%3D${nonce}`,
        versionEntry,
        timestampEntry,
      ]
      // Without a path before them, the entries are joined with `=`.
      const text = entries.map((entry) => entry.slice(3)).join('%3D')
      return chain(crypto.digest(stream.digest, requestBytes), (hex) => {
        const message = `${text}%26${hex}`
        return chain(stream.mac(message), (signature) => ({
          headers: headersOf(streamAlgorithm, nonce, time, signature),
          get canonical() {
            return decodeURIComponent(message)
          },
        }))
      })
    },
  }
}
