/** What a signer gives: the headers to send, and what was signed. */

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
  /** What was signed, before percent-encoding. Made when it is read. */
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

/** A signed stream, or with its URL a signed request. A class, so that all signatures share one getter. */
export class Signed<Url extends string | undefined> implements StreamSignature {
  readonly headers: SignatureHeaders
  readonly #message: string
  declare readonly url: Url

  /** @param message - What was signed, percent-encoded. @param url - A stream has none, nor a property for it. */
  constructor(headers: SignatureHeaders, message: string, url: Url) {
    this.headers = headers
    this.#message = message
    if (url) this.url = url
  }

  get canonical(): string {
    return decodeURIComponent(this.#message)
  }
}
