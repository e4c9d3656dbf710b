/** Results of a verifier. */

/** The rule that a request failed. */
export type VerifyRule =
  /** A signature header is absent or empty. */
  | 'missing-header'
  /** A signature header is present more than once. */
  | 'repeated-header'
  /** A header has invalid characters, an invalid format or more than 512 characters. */
  | 'malformed-header'
  /** `x-signature-version` is not 1.0. */
  | 'version'
  /** `x-signature-algorithm` is not an accepted algorithm. */
  | 'algorithm'
  /** The timestamp is outside of the window. */
  | 'timestamp'
  /** The request target is not a path with a query that can be decoded. */
  | 'target'
  /** `secretFor` returned no secret. */
  | 'unknown-app-key'
  /** The signature does not match the request. */
  | 'signature'
  /** Another request may share the canonical string. Only with `rejectAmbiguous`. */
  | 'ambiguous'
  /** The nonce was used before. */
  | 'replay'
  /** The nonce store is full. */
  | 'nonce-store-full'

/** The result for a request that the verifier rejects. */
export interface VerifyFailure {
  /** Always `false` for a rejected request. */
  readonly ok: false
  /** The first rule that the request failed. */
  readonly rule: VerifyRule
  /** Name of the invalid header, if any. */
  readonly header?: string | undefined
  /** Reason for people, with the rules `ambiguous` and `timestamp`. */
  readonly reason?: string | undefined
  /** The expected canonical string, before percent-encoding, with the rule `signature`. It has no secret. */
  readonly canonical?: string | undefined
}

/** The result of a verification. */
export type VerifyResult =
  | {
      /** Always `true` for a valid request. */
      readonly ok: true
      /** App key of the valid signature. */
      readonly appKey: string
    }
  | VerifyFailure
