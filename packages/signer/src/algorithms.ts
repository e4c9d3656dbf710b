/**
 * The two signature algorithms. Each uses one hash for the HMAC and one digest for bodies. docs/facts.md,
 * "Signature".
 */

/** Signature algorithm, as `x-signature-algorithm` names it. */
export type SignatureAlgorithm = 'HMAC-SHA1' | 'HMAC-SHA256'

/** Digest of a body or of a serialized request. */
export type DigestName = 'MD5' | 'SHA-256'

/** Hash function of the HMAC. */
export type MacHash = 'SHA-1' | 'SHA-256'

/** The only value of `x-signature-version`. */
export const SIGNATURE_VERSION = '1.0'

/** HMAC hash and digest of each algorithm. */
export const ALGORITHMS: Readonly<
  Record<SignatureAlgorithm, { readonly mac: MacHash; readonly digest: DigestName }>
> = {
  'HMAC-SHA1': { mac: 'SHA-1', digest: 'MD5' },
  'HMAC-SHA256': { mac: 'SHA-256', digest: 'SHA-256' },
}

/** Names of all {@link ALGORITHMS}. */
export const ALGORITHM_NAMES = ['HMAC-SHA1', 'HMAC-SHA256'] as const satisfies readonly SignatureAlgorithm[]
