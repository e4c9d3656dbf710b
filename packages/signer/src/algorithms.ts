/** The two algorithm pairs: a MAC for the signature and the digest that goes with it for bodies. docs/facts.md, "Signature". */

/** Signature algorithm, as `x-signature-algorithm` names it. */
export type SignatureAlgorithm = 'HMAC-SHA1' | 'HMAC-SHA256'

/** Digest of a body or of a serialized request. */
export type DigestName = 'MD5' | 'SHA-256'

/** Hash inside the HMAC. */
export type MacHash = 'SHA-1' | 'SHA-256'

/** The only `x-signature-version` there is. */
export const SIGNATURE_VERSION = '1.0'

/** The hash inside the HMAC and the digest that goes with it, by the algorithm's name. */
export const ALGORITHMS: Readonly<Record<SignatureAlgorithm, readonly [mac: MacHash, digest: DigestName]>> = {
  'HMAC-SHA1': ['SHA-1', 'MD5'],
  'HMAC-SHA256': ['SHA-256', 'SHA-256'],
}
