/** Signatures: the headers to send, and what was signed. */

/** The headers that carry a signature. */
export type SignatureHeaders = Readonly<
  Record<
    | 'x-app-key'
    | 'x-timestamp'
    | 'x-signature-version'
    | 'x-signature-algorithm'
    | 'x-signature-nonce'
    | 'x-signature',
    string
  >
>

/** A stream's signature. */
export interface StreamSignature {
  /** To send as gRPC metadata. */
  readonly headers: SignatureHeaders
  /** What was signed, before percent-encoding. */
  readonly canonical: string
}

/** A request's signature. */
export interface Signature extends StreamSignature {
  /** To add to the request. Never `host`: the client sends that. */
  readonly headers: SignatureHeaders
  /**
   * The URL to send: the host as it was signed, the path as given, the query as RFC 3986 in the signed order.
   */
  readonly url: string
}
