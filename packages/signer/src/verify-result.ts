/** Results of a verifier. */

/** The rule that failed. */
export type VerifyRule =
  /** A header of the signature is absent or empty. */
  | 'missing-header'
  /** A header of the signature came more than once. */
  | 'repeated-header'
  /** A header has characters or a form that none can have. */
  | 'malformed-header'
  /** `x-signature-version` is not 1.0. */
  | 'version'
  /** `x-signature-algorithm` is not one that is accepted. */
  | 'algorithm'
  /** The timestamp lies outside the window. */
  | 'timestamp'
  /** The request target is no path with a query that decodes. */
  | 'target'
  | 'unknown-app-key'
  | 'signature'
  /** The request is odd: a plain one may share its canonical string; only with `rejectAmbiguous`. */
  | 'ambiguous'
  /** The nonce was used before. */
  | 'replay'
  /** The nonce store can take no more. */
  | 'nonce-store-full'

/** A refusal of the verifier. */
export interface VerifyFailure {
  readonly ok: false
  readonly rule: VerifyRule
  /** Name of the invalid header, if any. */
  readonly header?: string | undefined
  /** Why, in words: for `ambiguous` and `timestamp`. */
  readonly reason?: string | undefined
  /** The string that should have been signed, before percent-encoding: for `signature`. Holds no secret. */
  readonly canonical?: string | undefined
}

/** The result of a verification. */
export type VerifyResult = { readonly ok: true; readonly appKey: string } | VerifyFailure
