/**
 * Signatures of requests and of event streams. One body of code for promises and for answers at once: what a hash
 * gives is used at once where it is a text, and chained where it is a promise.
 */
import { revealSecret, type SecretInput, utf8Encode } from '@brokerwire/core'
import { ALGORITHMS, digestName, macHash, SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import { assemble, SIGNED_HEADERS } from './assemble.ts'
import { COLLISIONS, type HeaderCollision } from './collision.ts'
import type { RuntimeCrypto, SignerCrypto } from './crypto/port.ts'
import { encodeCanonical } from './encode.ts'
import { createNonces } from './nonce.ts'
import { compareCodePoints, compareUtf16, type NameOrder, ORDERS } from './order.ts'
import { check, checkOption } from './signer-error.ts'
import { type TargetInput, targetReader } from './target.ts'
import { timestampText } from './timestamp.ts'

/** Options of `createSigner`. Read once: changing the object later changes nothing. */
export interface SignerOptions {
  /** Sent as `x-app-key`. */
  readonly appKey: string
  /** Turned into a key at once and never kept as text. */
  readonly appSecret: SecretInput
  /** Of HTTP requests. Some hosts take one, some the other: docs/facts.md, "Hosts". @defaultValue 'HMAC-SHA1' */
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

const VISIBLE = /^[!-~]+$/
const NONCE = /^[\da-f]{32}$/

const chain = <T>(value: Maybe<string>, next: (text: string) => Maybe<T>): Maybe<T> =>
  typeof value === 'string' ? next(value) : value.then(next)

type OptionName = 'algorithm' | 'streamAlgorithm' | 'headerCollision' | 'nameOrder' | 'now' | 'nonce'

/** Reads the options that have defaults: one of a few texts, or a function. */
const optionReader =
  (options: SignerOptions) =>
  <K extends OptionName, V extends NonNullable<SignerOptions[K]>>(
    field: K,
    fallback: NonNullable<SignerOptions[K]>,
    allowed?: readonly V[],
  ): NonNullable<SignerOptions[K]> => {
    const value = options[field] ?? fallback
    checkOption(
      allowed ? allowed.includes(value as V) : typeof value === 'function',
      field,
      `${allowed ?? 'a function'}`,
    )
    return value
  }

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
  const { appKey, appSecret, crypto = runtime } = { ...options }
  const secret = revealSecret(appSecret)
  checkOption(typeof appKey === 'string' && VISIBLE.test(appKey), 'appKey', 'visible ASCII')
  checkOption(secret, 'appSecret', 'a text or Secret')
  checkOption(typeof crypto?.digest === 'function', 'crypto', 'digest and hmac')
  checkOption(typeof crypto.hmac === 'function', 'crypto', 'digest and hmac')
  const read = optionReader(options)
  const algorithm = read('algorithm', 'HMAC-SHA1', ALGORITHMS)
  const streamAlgorithm = read('streamAlgorithm', 'HMAC-SHA256', ALGORITHMS)
  const collision = read('headerCollision', 'sorted', COLLISIONS)
  const compare = read('nameOrder', 'code-point', ORDERS) === 'utf-16' ? compareUtf16 : compareCodePoints
  const now = read('now', Date.now)
  const pooled = createNonces(runtime.randomHex)
  const drawNonce = read('nonce', pooled)
  const readTarget = targetReader()
  const key = utf8Encode(`${secret}&`)
  const mac = crypto.hmac(macHash(algorithm), key)
  const streamMac = crypto.hmac(macHash(streamAlgorithm), key)

  let second: number | undefined
  let timestamp: string
  const known: string[] = []
  const entries: string[] = []
  let lastPath: string
  let encodedPath: string

  /** Values of the signed headers for one signature. The timestamp is made once a second. */
  const freshValues = (name: SignatureAlgorithm, host = ''): readonly string[] => {
    const atMs = now()
    const current = Math.floor(atMs / 1000)
    if (current !== second) {
      const text = timestampText(atMs)
      checkOption(text, 'now()', 'milliseconds since 1970')
      timestamp = text
      second = current
    }
    const nonce = drawNonce()
    if (drawNonce !== pooled) checkOption(NONCE.test(nonce), 'nonce()', '32 lower-case hex')
    const values = [host, appKey, name, nonce, SIGNATURE_VERSION, timestamp]
    for (let i = 0; i < 6; i += 1) {
      const value = values[i] as string
      // Only what changed since the last signature is encoded again; a nonce is as it is.
      if (value !== known[i]) {
        known[i] = value
        entries[i] = `%26${SIGNED_HEADERS[i]}%3D${i === 3 ? value : encodeCanonical(value)}`
      }
    }
    return values
  }

  /** The last steps: digest where there are bytes, signature, headers. A stream has no URL. */
  const seal = (
    values: readonly string[],
    sign: (message: string) => Maybe<string>,
    text: string,
    bytes: Uint8Array | undefined,
    url?: string,
  ): Maybe<Signed> => {
    const finish = (digest: string): Maybe<Signed> => {
      const message = text + digest
      return chain(
        sign(message),
        (signature) =>
          new Signed(
            {
              'x-app-key': appKey,
              'x-timestamp': values[5] as string,
              'x-signature-version': SIGNATURE_VERSION,
              'x-signature-algorithm': values[2] as string,
              'x-signature-nonce': values[3] as string,
              'x-signature': signature,
            },
            message,
            url,
          ),
      )
    }
    return bytes
      ? chain(crypto.digest(digestName(values[2] as SignatureAlgorithm), bytes), (hex) =>
          finish(`%26${url ? hex.toUpperCase() : hex}`),
        )
      : finish('')
  }

  return {
    appKey,
    algorithm,
    streamAlgorithm,
    sign(input) {
      const { origin, host, path, query } = readTarget(input)
      const { body } = input
      const bytes = typeof body === 'string' ? utf8Encode(body) : body
      check(!bytes || ArrayBuffer.isView(bytes), 'SIGNER_INPUT_INVALID', 'body', 'text or bytes')
      const values = freshValues(algorithm, host)
      let line: ReturnType<typeof assemble> | undefined
      try {
        if (path !== lastPath) encodedPath = encodeCanonical(path)
        lastPath = path
        line = assemble(encodedPath, query, values, entries, compare, collision)
      } catch {
        // Lone surrogates, and what is no pair of texts.
      }
      check(line, 'SIGNER_INPUT_INVALID', 'query', 'pairs of well-formed text')
      const [text, search] = line
      return seal(values, mac, text, bytes?.byteLength ? bytes : undefined, origin + path + search)
    },
    signStream(requestBytes) {
      check(ArrayBuffer.isView(requestBytes), 'SIGNER_INPUT_INVALID', 'requestBytes', 'bytes')
      const values = freshValues(streamAlgorithm)
      // Without a path and a host before them, the entries are joined with `=`: `%3D` instead of each `%26`.
      const text = entries
        .slice(1)
        .map((entry) => entry.slice(3))
        .join('%3D')
      return seal(values, streamMac, text, requestBytes)
    },
  }
}
