/** The two algorithm pairs: a MAC for the signature and the digest that goes with it for bodies. docs/facts.md, "Signature". */

/** Signature algorithm, as `x-signature-algorithm` names it. */
export type SignatureAlgorithm = 'HMAC-SHA1' | 'HMAC-SHA256'

/** Digest of a body or of a serialized request. */
export type DigestName = 'MD5' | 'SHA-256'

/** Hash inside the HMAC. */
export type MacHash = 'SHA-1' | 'SHA-256'

/** The only `x-signature-version` there is. */
export const SIGNATURE_VERSION = '1.0'

/** Names of the algorithms, the default first. */
export const ALGORITHMS: readonly SignatureAlgorithm[] = ['HMAC-SHA1', 'HMAC-SHA256']

/** The hash that the HMAC uses. */
export function macHash(algorithm: SignatureAlgorithm): MacHash {
  return algorithm === 'HMAC-SHA1' ? 'SHA-1' : 'SHA-256'
}

/** The digest that goes with a signature algorithm. */
export function digestName(algorithm: SignatureAlgorithm): DigestName {
  return algorithm === 'HMAC-SHA1' ? 'MD5' : 'SHA-256'
}
