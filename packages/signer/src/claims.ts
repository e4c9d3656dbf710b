/**
 * The headers of a signature that are signed, and their entries in the canonical string.
 *
 * What does not change from one signature to the next is encoded once, and the timestamp once a second.
 */
import { SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import { encodeCanonical } from './encode.ts'
import { rememberLast } from './remember-last.ts'
import type { SignatureHeaders } from './signature.ts'
import { check } from './signer-error.ts'
import { timestampText } from './timestamp.ts'

/** The headers of a signature that are signed, in the order in which they sort. */
export const CLAIMS = [
  'x-app-key',
  'x-signature-algorithm',
  'x-signature-nonce',
  'x-signature-version',
  'x-timestamp',
] as const

/** All signed headers, in the order in which they sort. */
export const SIGNED_HEADERS: readonly string[] = ['host', ...CLAIMS]

/** The values of all {@link CLAIMS}. */
export type ClaimHeaders = Readonly<Record<(typeof CLAIMS)[number], string>>

/** Headers, as long as the signature is still to be filled in. */
export type OpenHeaders = { -readonly [Name in keyof SignatureHeaders]: string }

/** How the encoded entries of the {@link CLAIMS} are joined: in requests like all others, in streams with `=`. */
export type Separator = '%26' | '%3D'

/** The encoded entries of the claims up to the nonce's value. */
export const entriesBeforeNonce = (appKey: string, algorithm: string, separator: Separator): string =>
  [
    `x-app-key%3D${encodeCanonical(appKey)}`,
    `x-signature-algorithm%3D${algorithm}`,
    'x-signature-nonce%3D',
  ].join(separator)

/** Makes a function that gives the encoded entries behind the nonce's value. It remembers the last timestamp's. */
export const entriesAfterNonce = (separator: Separator): ((timestamp: string) => string) =>
  rememberLast(
    (timestamp) =>
      `${separator}x-signature-version%3D${SIGNATURE_VERSION}${separator}x-timestamp%3D${encodeCanonical(timestamp)}`,
  )

/** The headers of one signature, and their entries in its canonical string. */
export interface MadeClaims {
  readonly headers: OpenHeaders
  /** Encoded, as `assemble` takes them. */
  readonly entries: string
}

/**
 * Makes a function that makes the claims of one signature after the other.
 *
 * @returns Throws SignerError `SIGNER_OPTION_INVALID` for what `now` gives.
 */
export function claimsMaker(
  appKey: string,
  algorithm: SignatureAlgorithm,
  separator: Separator,
  now: () => number,
  drawNonce: () => string,
): () => MadeClaims {
  const beforeNonce = entriesBeforeNonce(appKey, algorithm, separator)
  const afterNonce = entriesAfterNonce(separator)
  const stampAt = rememberLast((secondMs: number) => {
    const timestamp = timestampText(secondMs)
    check(timestamp, 'now()', 'milliseconds since the Unix epoch')
    return timestamp
  })
  return () => {
    const atMs = now()
    const timestamp = stampAt(atMs - (atMs % 1000))
    const nonce = drawNonce()
    const headers = {
      'x-app-key': appKey,
      'x-signature-algorithm': algorithm,
      'x-signature-nonce': nonce,
      'x-signature-version': SIGNATURE_VERSION,
      'x-timestamp': timestamp,
      'x-signature': '',
    }
    return { headers, entries: beforeNonce + nonce + afterNonce(timestamp) }
  }
}
