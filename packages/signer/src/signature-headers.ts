/** The headers of a signature, with a new nonce and the current time in seconds. */
import { SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import { createEntry, type Entry } from './canonical-request.ts'
import { memoizeLast } from './memoize-last.ts'
import type { SignatureHeaders } from './signature.ts'
import { check } from './signer-error.ts'
import { timestampText } from './timestamp.ts'

/** Headers with an empty `x-signature`, and their entries in the canonical request. */
export interface UnsignedHeaders {
  readonly headers: { -readonly [Name in keyof SignatureHeaders]: string }
  /** Entries, sorted by name. */
  readonly entries: readonly Entry[]
}

/**
 * Creates a function that returns the headers of the next signature.
 *
 * That function throws SignerError `SIGNER_OPTION_INVALID` if `now()` does not return a valid time.
 */
export function createHeaderBuilder(
  appKey: string,
  algorithm: SignatureAlgorithm,
  now: () => number,
  nextNonce: () => string,
): () => UnsignedHeaders {
  // These entries are the same in each signature, so they are encoded only once.
  const appKeyEntry = createEntry('x-app-key', appKey)
  const algorithmEntry = createEntry('x-signature-algorithm', algorithm)
  const nonceName = createEntry('x-signature-nonce', '').name
  const versionEntry = createEntry('x-signature-version', SIGNATURE_VERSION)
  const getTimestampEntry = memoizeLast((secondMs: number) => {
    const timestamp = timestampText(secondMs)
    check(timestamp, 'now()', 'milliseconds since the Unix epoch')
    return createEntry('x-timestamp', timestamp)
  })
  return () => {
    const nowMs = now()
    const timestampEntry = getTimestampEntry(nowMs - (nowMs % 1000))
    // A nonce is hex, which percent-encoding does not change.
    const nonce = nextNonce()
    const nonceEntry = { name: nonceName, value: { text: nonce, encoded: nonce } }
    return {
      headers: {
        'x-app-key': appKey,
        'x-signature-algorithm': algorithm,
        'x-signature-nonce': nonce,
        'x-signature-version': SIGNATURE_VERSION,
        'x-timestamp': timestampEntry.value.text,
        'x-signature': '',
      },
      entries: [appKeyEntry, algorithmEntry, nonceEntry, versionEntry, timestampEntry],
    }
  }
}
