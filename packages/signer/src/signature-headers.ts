/** The headers of one signature after the other. Each has its own nonce and the timestamp of its second. */
import { SIGNATURE_VERSION, type SignatureAlgorithm } from './algorithms.ts'
import { memoizeLast } from './memoize-last.ts'
import type { SignatureHeaders } from './signature.ts'
import { check } from './signer-error.ts'
import { timestampText } from './timestamp.ts'

/** Headers before the signature is filled in. */
export type UnsignedHeaders = { -readonly [Name in keyof SignatureHeaders]: string }

/**
 * Creates a function that returns the headers of the next signature.
 *
 * It throws SignerError `SIGNER_OPTION_INVALID` if `now` returns no instant.
 */
export function createHeaderBuilder(
  appKey: string,
  algorithm: SignatureAlgorithm,
  now: () => number,
  nextNonce: () => string,
): () => UnsignedHeaders {
  const timestampOf = memoizeLast((secondMs: number) => {
    const timestamp = timestampText(secondMs)
    check(timestamp, 'now()', 'milliseconds since the Unix epoch')
    return timestamp
  })
  return () => {
    const nowMs = now()
    return {
      'x-app-key': appKey,
      'x-signature-algorithm': algorithm,
      'x-signature-nonce': nextNonce(),
      'x-signature-version': SIGNATURE_VERSION,
      'x-timestamp': timestampOf(nowMs - (nowMs % 1000)),
      'x-signature': '',
    }
  }
}
