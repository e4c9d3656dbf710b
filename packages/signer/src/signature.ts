/** Signatures: the headers to send, and the canonical request. */
import { canonicalRequest, type RequestParts } from './canonical-request.ts'

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
  /** Headers to send as gRPC metadata. */
  readonly headers: SignatureHeaders
  /** Canonical request, before percent-encoding. */
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

/** A signature whose canonical request is made when it is read. */
export class RequestSignature implements Signature {
  readonly headers: SignatureHeaders
  readonly url: string
  readonly #parts: RequestParts

  constructor(headers: SignatureHeaders, url: string, parts: RequestParts) {
    this.headers = headers
    this.url = url
    this.#parts = parts
  }

  get canonical(): string {
    return canonicalRequest(this.#parts)
  }
}
