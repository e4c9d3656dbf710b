/**
 * Everything about a signature that comes before the HMAC, for requests and for streams: the same for a signer whose
 * answers are promises and for one that answers at once.
 *
 * What does not change from one signature to the next is prepared when the signer is made, and the timestamp once a
 * second.
 */
import { ownOptions, readQueryInput, utf8Encode } from '@brokerwire/core'
import { SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import { assemble, entryOf } from './assemble.ts'
import { attempt } from './attempt.ts'
import { encodeCanonical } from './encode.ts'
import { checkQuery } from './query.ts'
import { rememberLast } from './remember-last.ts'
import type { SignatureHeaders } from './signature.ts'
import { check } from './signer-error.ts'
import type { SignerSettings } from './signer-options.ts'
import { checkPath, placeReader, type TargetInput } from './target.ts'
import { timestampText } from './timestamp.ts'

/** What is signed: where it goes, and the exact bytes of its body. A text is sent as UTF-8; an empty body is none. */
export type SignInput = TargetInput & { readonly body?: string | Uint8Array | undefined }

/** Headers, as long as the signature is still to be filled in. */
type OpenHeaders = { -readonly [Name in keyof SignatureHeaders]: string }

/** The headers of one signature, and their entries in its canonical string. */
interface Claims {
  readonly headers: OpenHeaders
  /** Percent-encoded. */
  readonly entries: string
}

/** Makes the claims of one signature after the other. */
function claimsMaker(
  { appKey, now, drawNonce }: SignerSettings<unknown>,
  algorithm: SignatureAlgorithm,
  separator: string,
): () => Claims {
  const beforeNonce = [
    entryOf('x-app-key', appKey),
    entryOf('x-signature-algorithm', algorithm),
    'x-signature-nonce%3D',
  ].join(separator)
  const version = entryOf('x-signature-version', SIGNATURE_VERSION)
  const stampAt = rememberLast((secondMs: number) => {
    const timestamp = timestampText(secondMs)
    check(timestamp, 'now()', 'milliseconds since the Unix epoch')
    return { timestamp, afterNonce: ['', version, entryOf('x-timestamp', timestamp)].join(separator) }
  })
  return () => {
    const atMs = now()
    const { timestamp, afterNonce } = stampAt(atMs - (atMs % 1000))
    const nonce = drawNonce()
    return {
      headers: {
        'x-app-key': appKey,
        'x-signature-algorithm': algorithm,
        'x-signature-nonce': nonce,
        'x-signature-version': SIGNATURE_VERSION,
        'x-timestamp': timestamp,
        'x-signature': '',
      },
      entries: beforeNonce + nonce + afterNonce,
    }
  }
}

const NO_BYTES = new Uint8Array()

/** A request, ready for its HMAC but for the digest of its body. */
export interface RequestDraft<Text> {
  readonly headers: OpenHeaders
  readonly url: string
  /** The encoded canonical string without a digest. */
  readonly text: string
  /** Of the body; `undefined` where there is none. */
  readonly digest: Text | undefined
}

/** What the HMAC of a request is made of. */
export const requestMessage = (text: string, digest: string | undefined): string =>
  digest === undefined ? text : `${text}%26${digest.toUpperCase()}`

/** Makes a function that drafts requests. It throws SignerErrors. */
export function requestDrafter<Text>(
  settings: SignerSettings<Text>,
): (input: SignInput) => RequestDraft<Text> {
  const { requests, sorting } = settings
  const readPlace = placeReader()
  const makeClaims = claimsMaker(settings, requests.algorithm, '%26')
  const encodePath = rememberLast((path: string) => {
    checkPath(path)
    return encodeCanonical(path)
  })
  return (input) => {
    // Of nothing at all there is no host, either.
    const own = ownOptions(input)
    const { path, query = [], body } = own
    const { host, origin } = readPlace(own)
    const encodedPath = encodePath(path)
    const bytes = typeof body === 'string' ? utf8Encode(body) : (body ?? NO_BYTES)
    check(ArrayBuffer.isView(bytes), 'body', 'text or bytes', 'SIGNER_INPUT_INVALID')
    const { headers, entries } = makeClaims()
    const pairs = readQueryInput(query)
    // A lone surrogate throws.
    const assembled = attempt(
      () => pairs && assemble({ encodedPath, query: pairs, host, entries, claims: headers }, sorting),
    )
    checkQuery(assembled)
    const { text, search } = assembled
    const digest = bytes.byteLength ? requests.digest(bytes) : undefined
    return { headers, url: origin + path + search, text, digest }
  }
}

/** A stream's opening, ready for its HMAC but for the digest of the request. */
export interface StreamDraft<Text> {
  readonly headers: OpenHeaders
  /** The encoded canonical string without a digest. */
  readonly text: string
  readonly digest: Text
}

/** What the HMAC of a stream is made of. */
export const streamMessage = (text: string, digest: string): string => `${text}%26${digest}`

/** Makes a function that drafts streams. It throws SignerErrors. */
export function streamDrafter<Text>(
  settings: SignerSettings<Text>,
): (requestBytes: Uint8Array) => StreamDraft<Text> {
  const { streams } = settings
  // Without a path and a host before them, the entries are joined with `=`.
  const makeClaims = claimsMaker(settings, streams.algorithm, '%3D')
  return (requestBytes) => {
    check(ArrayBuffer.isView(requestBytes), 'requestBytes', 'bytes', 'SIGNER_INPUT_INVALID')
    const { headers, entries } = makeClaims()
    return { headers, text: entries, digest: streams.digest(requestBytes) }
  }
}
