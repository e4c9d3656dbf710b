/**
 * Everything about a signature that comes before the HMAC, for requests and for streams: the same for a signer whose
 * answers are promises and for one that answers at once.
 */
import { requireKnownOptions, utf8Encode } from '@brokerwire/core/internal'
import { assemble, type EntryOrder } from './assemble.ts'
import { attempt } from './attempt.ts'
import type { OpenHeaders } from './claims.ts'
import { encodeCanonical } from './encode.ts'
import { checkQuery, readQuery } from './query.ts'
import { rememberLast } from './remember-last.ts'
import { check, inputFailure } from './signer-error.ts'
import type { KeyedAlgorithm } from './signer-options.ts'
import { checkPath, readHost, readPlace, type TargetInput } from './target.ts'

/** What is signed: where it goes, and the exact bytes of its body. A text is sent as UTF-8; an empty body is none. */
export type SignInput = TargetInput & { readonly body?: string | Uint8Array | undefined }

/** A stream's opening, ready for its HMAC but for the digest of the request. */
export interface StreamDraft<Text> {
  readonly headers: OpenHeaders
  /** The encoded canonical string without a digest. */
  readonly text: string
  readonly digest: Text
}

/** A request, ready for its HMAC but for the digest of its body. */
export interface RequestDraft<Text> extends StreamDraft<Text | undefined> {
  readonly url: string
}

const NO_BYTES = new Uint8Array()

/** All fields of an input. Spread below the given ones, they hide what somebody wrote into `Object.prototype`. */
const UNSET: { readonly [Field in keyof SignInput]-?: undefined } = {
  host: undefined,
  path: undefined,
  query: undefined,
  scheme: undefined,
  origin: undefined,
  body: undefined,
}
const FIELDS = /* @__PURE__ */ Object.keys(UNSET)

/** What the HMAC of a request is made of. */
export const requestMessage = (text: string, digest: string | undefined): string =>
  digest === undefined ? text : `${text}%26${digest.toUpperCase()}`

/** What the HMAC of a stream is made of. */
export const streamMessage = (text: string, digest: string): string => `${text}%26${digest}`

/** Makes a function that drafts requests. It throws SignerErrors. */
export function requestDrafter<Text>(
  requests: KeyedAlgorithm<Text>,
  order: EntryOrder,
): (input: SignInput) => RequestDraft<Text> {
  const hostOf = rememberLast(readHost)
  const encodePath = rememberLast((path: string) => {
    checkPath(path)
    return encodeCanonical(path)
  })
  return (input) => {
    const own = { ...UNSET, ...input }
    requireKnownOptions(inputFailure, input, FIELDS)
    const { path, query = [], body } = own
    const { host, origin } = readPlace(own, hostOf)
    const encodedPath = encodePath(path)
    const bytes = typeof body === 'string' ? utf8Encode(body) : (body ?? NO_BYTES)
    check(ArrayBuffer.isView(bytes), 'body', 'text or bytes', 'SIGNER_INPUT_INVALID')
    const { headers, entries } = requests.claims()
    const pairs = readQuery(query)
    // A lone surrogate throws.
    const assembled = attempt(() => assemble(encodedPath, host, pairs, headers, entries, order))
    checkQuery(assembled)
    const { text, search } = assembled
    const digest = bytes.byteLength ? requests.digest(bytes) : undefined
    return { headers, url: origin + path + search, text, digest }
  }
}

/** Makes a function that drafts streams. It throws SignerErrors. */
export function streamDrafter<Text>(
  streams: KeyedAlgorithm<Text>,
): (requestBytes: Uint8Array) => StreamDraft<Text> {
  return (requestBytes) => {
    check(ArrayBuffer.isView(requestBytes), 'requestBytes', 'bytes', 'SIGNER_INPUT_INVALID')
    const { headers, entries } = streams.claims()
    return { headers, text: entries, digest: streams.digest(requestBytes) }
  }
}
