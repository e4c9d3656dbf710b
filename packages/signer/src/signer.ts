/**
 * Signatures of requests and of event streams. One body of code for promises and for answers at once: what a hash
 * gives is used at once where it is a text, and chained where it is a promise.
 */
import { ownOptions, revealSecret, type SecretInput, utf8Encode } from '@brokerwire/core'
import { ALGORITHMS, SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import { assemble, entryOf } from './assemble.ts'
import { COLLISIONS, type HeaderCollision } from './collision.ts'
import type { RuntimeCrypto, SignerCrypto } from './crypto/port.ts'
import { encodeCanonical } from './encode.ts'
import { createNonces } from './nonce.ts'
import { type NameOrder, ORDERS } from './order.ts'
import { check, checkName } from './signer-error.ts'
import { type Target, type TargetInput, targetReader } from './target.ts'
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

/** Everything about a signature that comes before the HMAC. A request without a body has no digest. */
export type Draft = readonly [
  mac: (message: string) => Maybe<string>,
  digest: Maybe<string> | false | 0 | undefined,
  /** Still without `x-signature`. */
  headers: Record<keyof SignatureHeaders, string>,
  /** The encoded canonical string without its digest. */
  text: string,
  url: string | undefined,
]

/** Turns what drafts into what signs: with promises, or at once. */
export type Runner = <I>(draft: (input: I) => Draft) => (input: I) => Maybe<Signed>

/** What the promising and the synchronous signer are, apart from their answers. */
export interface SignerCore {
  readonly appKey: string
  readonly algorithm: SignatureAlgorithm
  readonly streamAlgorithm: SignatureAlgorithm
  sign(input: SignInput): Maybe<Signature>
  signStream(requestBytes: Uint8Array): Maybe<StreamSignature>
}

/** The encoded canonical string. A request's digest is in upper case, a stream's is not; a stream has no URL. */
export const messageOf = (
  text: string,
  digest: string | false | 0 | undefined,
  url: string | undefined,
): string => (digest ? `${text}%26${url ? digest.toUpperCase() : digest}` : text)

/** A class for its getter: on an object literal, one would be made anew for every signature. */
export class Signed implements Signature {
  readonly headers: SignatureHeaders
  readonly url: string
  readonly #message: string

  constructor(headers: SignatureHeaders, url: string | undefined, message: string) {
    this.headers = headers
    // A stream has none, and its type does not show it.
    this.url = url as string
    this.#message = message
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
export function signerCore(options: SignerOptions, runtime: RuntimeCrypto, run: Runner): SignerCore {
  const given = ownOptions(options)
  const {
    appKey,
    appSecret,
    crypto = runtime,
    now = Date.now,
    nonce: drawNonce = createNonces(runtime.randomHex),
  } = given
  const secret = revealSecret(appSecret)
  check(typeof appKey === 'string' && /^[!-~]+$/.test(appKey), 'appKey', 'visible ASCII')
  check(secret, 'appSecret', 'text or Secret')
  const functions = { now, nonce: drawNonce, 'crypto.digest': crypto?.digest, 'crypto.hmac': crypto?.hmac }
  for (const [field, value] of Object.entries(functions)) {
    check(typeof value === 'function', field, 'a function')
  }
  const read = <N extends string>(field: keyof SignerOptions, fallback: N, table: Record<N, unknown>): N =>
    checkName(given[field] ?? fallback, table, field)
  const algorithm = read('algorithm', 'HMAC-SHA1', ALGORITHMS)
  const streamAlgorithm = read('streamAlgorithm', 'HMAC-SHA256', ALGORITHMS)
  const sortCollisions = COLLISIONS[read('headerCollision', 'sorted', COLLISIONS)]
  const compare = ORDERS[read('nameOrder', 'code-point', ORDERS)]
  const readTarget = targetReader()
  const key = utf8Encode(`${secret}&`)
  const keyEntry = entryOf('x-app-key', appKey)
  let lastPath: string
  let encodedPath: string

  /** Drafts with one algorithm: what does not change from one signature to the next is prepared here. */
  const drafter = (name: SignatureAlgorithm, separator: string) => {
    const [hash, digestName] = ALGORITHMS[name]
    const mac = crypto.hmac(hash, key)
    const head = [keyEntry, entryOf('x-signature-algorithm', name), 'x-signature-nonce%3D'].join(separator)
    let second: number | undefined
    let timestamp: string
    let tail: string

    /** A stream has no target, and always a digest. */
    return (body: SignInput['body'], target?: Target): Draft => {
      const atMs = now()
      const current = atMs - (atMs % 1000)
      if (current !== second) {
        second = current
        timestamp = timestampText(current)
        tail = [
          '',
          entryOf('x-signature-version', SIGNATURE_VERSION),
          entryOf('x-timestamp', timestamp),
        ].join(separator)
      }
      check(timestamp, 'now()', 'epoch milliseconds')
      const nonce = drawNonce()
      // Our own are right by the way they are made; looking at each would take a twentieth of a signature.
      check(!given.nonce || /^[\da-f]{32}$/.test(nonce), 'nonce()', '32 lower-case hex')
      const headers = {
        'x-app-key': appKey,
        'x-signature-algorithm': name,
        'x-signature-nonce': nonce,
        'x-signature-version': SIGNATURE_VERSION,
        'x-timestamp': timestamp,
      } as Draft[2]
      const block = head + nonce + tail
      const bytes = typeof body === 'string' && target ? utf8Encode(body) : (body as Uint8Array | undefined)
      check(
        ArrayBuffer.isView(bytes) || (target && !bytes),
        target ? 'body' : 'requestBytes',
        'bytes',
        'SIGNER_INPUT_INVALID',
      )
      const digest = (!target || bytes?.byteLength) && crypto.digest(digestName, bytes as Uint8Array)
      try {
        if (target && target.path !== lastPath) {
          encodedPath = encodeCanonical(target.path)
          lastPath = target.path
        }
        const [text, search] = target
          ? assemble(encodedPath, target.query, target.host, block, headers, compare, sortCollisions)
          : [block]
        return [mac, digest, headers, text, target && target.origin + target.path + search]
      } catch {
        // Lone surrogates, and what is no pair of texts.
      }
      check(false, 'path, query', 'text pairs', 'SIGNER_INPUT_INVALID')
    }
  }
  const draftRequest = drafter(algorithm, '%26')

  return {
    appKey,
    algorithm,
    streamAlgorithm,
    // Nothing at all is refused like a target without a host.
    sign: run((input) => {
      const own = ownOptions(input)
      return draftRequest(own.body, readTarget(own))
    }),
    // Without a path and a host before them, the entries are joined with `=`.
    signStream: run(drafter(streamAlgorithm, '%3D')),
  }
}
